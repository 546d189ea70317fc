/**
 * The other system of a test: a real server on loopback, plain or TLS, that remembers what it was asked. One that
 * speaks HTTP as it should, and one that says whatever bytes a test wants.
 */

import type { ServerCertificate } from "./pki.ts";

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as they stood in the request line. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: string;
  /** Equal for requests that came over one connection. */
  readonly connection: number;
}

/** A running server. `requests` grows as they arrive. */
export interface Upstream {
  readonly port: number;
  /** Where it really is, `http://127.0.0.1:<port>` or `https://…`. */
  readonly url: URL;
  readonly requests: readonly ReceivedRequest[];
  /** Ends every connection and waits until the port is free. */
  close(): Promise<void>;
}

/**
 * Starts a server that answers each request by `answer`. With `certificate` it speaks TLS only. One that does not
 * remember takes any number of requests.
 */
export function startUpstream(
  answer: (request: ReceivedRequest) => Response | Promise<Response>,
  { certificate, port = 0, remembers = true }: {
    certificate?: ServerCertificate;
    port?: number;
    remembers?: boolean;
  } = {},
): Upstream {
  const requests: ReceivedRequest[] = [];
  const stop = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port,
    signal: stop.signal,
    onListen() {},
    ...certificate,
  }, async (request, { remoteAddr }) => {
    const { pathname, search } = new URL(request.url);
    const received = {
      method: request.method,
      target: pathname + search,
      headers: request.headers,
      body: await request.text(),
      connection: remoteAddr.port,
    };
    if (remembers) requests.push(received);
    return answer(received);
  });
  const close = async () => {
    stop.abort();
    await server.finished;
  };
  return { ...place(server.addr.port, certificate), requests, close };
}

/** A running server that is no HTTP server. */
export interface RawUpstream {
  readonly port: number;
  readonly url: URL;
  /** What came in over each connection, as far as it was read. */
  readonly received: readonly string[];
  close(): Promise<void>;
}

/** What a raw server does on one connection. */
export interface RawConversation {
  /** Resolves with the head of the next request, or with what came before the other side closed. */
  readHead(): Promise<string>;
  /** Sends bytes; false when the other side is gone. */
  say(bytes: string | Uint8Array): Promise<boolean>;
}

/** Starts a server that talks as `talk` says and closes the connection when that returns. */
export function startRawUpstream(
  talk: (conversation: RawConversation) => Promise<void>,
  { certificate }: { certificate?: ServerCertificate } = {},
): RawUpstream {
  const where = { hostname: "127.0.0.1", port: 0 };
  const listener: Deno.Listener<Deno.Conn> = certificate
    ? Deno.listenTls({ ...where, ...certificate })
    : Deno.listen(where);
  const received: string[] = [];
  const open = new Set<Deno.Conn>();
  const talks = new Set<Promise<void>>();
  const accepting = acceptAll(listener, (conn) => {
    open.add(conn);
    const talking = talk(converse(conn, received)).finally(() => {
      open.delete(conn);
      endConnection(conn);
    });
    talks.add(talking);
    talking.finally(() => talks.delete(talking)).catch(() => {});
  });
  const close = async () => {
    listener.close();
    for (const conn of open) endConnection(conn);
    await accepting;
    await Promise.allSettled(talks);
  };
  const { port } = listener.addr as Deno.NetAddr;
  return { ...place(port, certificate), received, close };
}

async function acceptAll(listener: Deno.Listener, accepted: (conn: Deno.Conn) => void): Promise<void> {
  for (;;) {
    try {
      accepted(await listener.accept());
    } catch (error) {
      if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) return;
      // One handshake that fails is the business of the client that failed it.
    }
  }
}

function converse(conn: Deno.Conn, received: string[]): RawConversation {
  const index = received.push("") - 1;
  return {
    async readHead() {
      const chunk = new Uint8Array(16 * 1024);
      let head = "";
      while (!head.includes("\r\n\r\n")) {
        const count = await conn.read(chunk).catch(() => null);
        if (count === null) break;
        const text = new TextDecoder().decode(chunk.subarray(0, count));
        head += text;
        received[index] += text;
      }
      return head;
    },
    async say(bytes) {
      let rest = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
      try {
        while (rest.length > 0) rest = rest.subarray(await conn.write(rest));
        return true;
      } catch {
        return false;
      }
    },
  };
}

function endConnection(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}

function place(port: number, certificate?: ServerCertificate): { port: number; url: URL } {
  return { port, url: new URL(`${certificate ? "https" : "http"}://127.0.0.1:${port}`) };
}
