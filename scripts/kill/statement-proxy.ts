/**
 * A way to PostgreSQL that sees each statement go by and can stop one: before the server has it, while it runs, or once
 * its answer is there and before the client has it.
 */

/** A statement that was stopped. Nothing of it has reached the server. */
export interface Held {
  /** Its text. */
  readonly statement: string;
  /** Lets the server have it, also when the client is gone. */
  send(): Promise<void>;
  /** Resolves when the whole answer is there; it stays here. Rejects when the server is gone before. */
  readonly answered: Promise<void>;
  /** Lets the client have the answer, as far as it is there and from then on. */
  deliver(): Promise<void>;
  /** Ends the client's connection. The server's own stays for a statement that it has, or may yet be sent. */
  cut(): void;
}

/** Which statement is stopped next, and what happens then. */
export interface Trap {
  readonly statement: RegExp;
  readonly onHeld: (held: Held) => void | Promise<void>;
}

export interface StatementProxy {
  readonly port: number;
  /** Stops the next statement like this, and no other after it. Null stops none. */
  arm(trap: Trap | null): void;
  /** Whether the armed trap still waits for its statement. */
  isArmed(): boolean;
  close(): Promise<void>;
}

const SYNC = "S".charCodeAt(0);
const PARSE = "P".charCodeAt(0);
const BIND = "B".charCodeAt(0);
const READY = "Z".charCodeAt(0);
const DECODER = new TextDecoder();

/** Starts one to the server at `hostname` and `port`. */
export function startStatementProxy({ hostname, port }: { hostname: string; port: number }): StatementProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let trap: Trap | null = null;
  const takeTrap = (statement: string): Trap | null => {
    if (trap === null || !trap.statement.test(statement)) return null;
    const sprung = trap;
    trap = null;
    return sprung;
  };

  async function join(client: Deno.TcpConn): Promise<void> {
    open.add(client);
    // Messages are passed on one by one: none waits for the next.
    client.setNoDelay();
    try {
      const server = await Deno.connect({ hostname, port });
      open.add(server);
      server.setNoDelay();
      await joinConnections({ client, server, takeTrap });
      open.delete(server);
      endConnection(server);
    } catch {
      // The server is away, or one side was cut.
    }
    open.delete(client);
    endConnection(client);
  }

  const accepting = (async () => {
    for await (const client of listener) join(client);
  })();

  return {
    port: listener.addr.port,
    arm: (next) => trap = next,
    isArmed: () => trap !== null,
    async close() {
      listener.close();
      for (const conn of open) endConnection(conn);
      await accepting;
    },
  };
}

/** Passes on what comes until both sides are done with each other. */
async function joinConnections(
  { client, server, takeTrap }: {
    client: Deno.Conn;
    server: Deno.Conn;
    takeTrap: (statement: string) => Trap | null;
  },
): Promise<void> {
  const statements = new Map<string, string>();
  /** Answers that are under way: one for each Sync the server got. */
  let owed = 0;
  let hold: Hold | null = null;

  async function toServer(message: Uint8Array): Promise<void> {
    if (message[0] === SYNC) owed += 1;
    await writeAll(server, message);
  }

  async function fromClient(message: Uint8Array): Promise<void> {
    if (hold !== null && !hold.isOver) return void hold.waiting.push(message);
    if (message[0] === PARSE) {
      const [name, text] = readTexts(message, 2);
      statements.set(name!, text!);
    }
    if (message[0] === BIND) {
      const statement = statements.get(readTexts(message, 2)[1]!) ?? "";
      const sprung = takeTrap(statement);
      if (sprung !== null) {
        hold = createHold({ client, statement, before: owed, toServer });
        hold.waiting.push(message);
        // Whatever is done with it takes its time, and what comes from the client meanwhile is kept.
        Promise.resolve(sprung.onHeld(hold.held)).catch((error) => console.error("A trap broke", error));
        return;
      }
    }
    await toServer(message);
  }

  async function fromServer(message: Uint8Array): Promise<void> {
    if (message[0] === READY) owed -= 1;
    if (hold === null || hold.isOver) return await writeAll(client, message);
    await hold.fromServer(message);
  }

  const clientSide = eachMessage(client, { hasStartup: true }, fromClient).catch(() => {}).then(() => {
    if (hold === null || hold.isOver) endConnection(server);
  });
  const serverSide = eachMessage(server, { hasStartup: false }, fromServer).catch(() => {}).then(() => {
    hold?.lose();
    endConnection(client);
  });
  await Promise.all([clientSide, serverSide]);
}

interface Hold {
  readonly held: Held;
  /** What the client sent and the server has not. */
  readonly waiting: Uint8Array[];
  isOver: boolean;
  fromServer(message: Uint8Array): Promise<void>;
  lose(): void;
}

function createHold(
  { client, statement, before, toServer }: {
    client: Deno.Conn;
    statement: string;
    /** Answers to earlier statements, which are the client's. */
    before: number;
    toServer: (message: Uint8Array) => Promise<void>;
  },
): Hold {
  const answered = Promise.withResolvers<void>();
  answered.promise.catch(() => {});
  const answer: Uint8Array[] = [];
  let earlier = before;
  const hold: Hold = {
    waiting: [],
    isOver: false,
    async fromServer(message) {
      if (earlier > 0) {
        if (message[0] === READY) earlier -= 1;
        return await writeAll(client, message).catch(() => {});
      }
      answer.push(message);
      if (message[0] === READY) answered.resolve();
    },
    lose: () => answered.reject(new Error("The server is gone")),
    held: {
      statement,
      answered: answered.promise,
      async send() {
        while (hold.waiting.length > 0) {
          const message = hold.waiting.shift()!;
          await toServer(message);
          if (message[0] === SYNC) return;
        }
      },
      async deliver() {
        for (const message of answer.splice(0)) await writeAll(client, message);
        for (const message of hold.waiting.splice(0)) await toServer(message);
        hold.isOver = true;
      },
      cut: () => endConnection(client),
    },
  };
  return hold;
}

/** The messages of one direction, each whole. The first of a client has no type. */
async function eachMessage(
  from: Deno.Conn,
  { hasStartup }: { hasStartup: boolean },
  use: (message: Uint8Array) => Promise<void>,
): Promise<void> {
  let isFirst = hasStartup;
  let kept = new Uint8Array(0);
  const chunk = new Uint8Array(64 * 1024);
  for (let count = await from.read(chunk); count !== null; count = await from.read(chunk)) {
    const joined = new Uint8Array(kept.length + count);
    joined.set(kept);
    joined.set(chunk.subarray(0, count), kept.length);
    let at = 0;
    for (;;) {
      const lengthAt = at + (isFirst ? 0 : 1);
      if (joined.length < lengthAt + 4) break;
      const end = lengthAt + new DataView(joined.buffer, joined.byteOffset + lengthAt).getUint32(0);
      if (joined.length < end) break;
      isFirst = false;
      await use(joined.slice(at, end));
      at = end;
    }
    kept = joined.slice(at);
  }
}

/** The texts at the start of a message, each ended by a zero. */
function readTexts(message: Uint8Array, count: number): string[] {
  const texts: string[] = [];
  let from = 5;
  while (texts.length < count) {
    const end = message.indexOf(0, from);
    texts.push(DECODER.decode(message.subarray(from, end)));
    from = end + 1;
  }
  return texts;
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await to.write(rest));
}

function endConnection(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
