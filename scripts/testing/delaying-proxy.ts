/**
 * A way to a server over TCP that takes its time, and counts how often a client had to wait: one round trip is
 * everything a client sends before it has heard anything back.
 */

export interface DelayingProxy {
  readonly port: number;
  /** Round trips since the start, over all connections. */
  roundTrips(): number;
  /** Connections since the start. */
  connections(): number;
  /** Cuts every connection that is open. New ones are taken. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts one to `hostname` and `port`. What the server sends arrives `delayMs` later. */
export function startDelayingProxy(
  { hostname, port, delayMs }: { hostname: string; port: number; delayMs: number },
): DelayingProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const flows = new Set<Promise<void>>();
  let roundTrips = 0;
  let connections = 0;

  async function delay(): Promise<void> {
    if (delayMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        resolve();
      }, delayMs);
      timers.add(timer);
    });
  }

  async function join(client: Deno.Conn): Promise<void> {
    connections += 1;
    open.add(client);
    let server: Deno.Conn;
    try {
      server = await Deno.connect({ hostname, port });
    } catch {
      return endAll(client);
    }
    open.add(server);
    let hasHeard = true;
    await Promise.all([
      flow(client, server, () => {
        if (hasHeard) roundTrips += 1;
        hasHeard = false;
      }),
      flow(server, client, async () => {
        await delay();
        hasHeard = true;
      }),
    ]);
  }

  /** Passes on what comes until one side is gone, which then takes the other along. */
  async function flow(from: Deno.Conn, to: Deno.Conn, before: () => void | Promise<void>): Promise<void> {
    const chunk = new Uint8Array(64 * 1024);
    try {
      for (let count = await from.read(chunk); count !== null; count = await from.read(chunk)) {
        await before();
        for (let rest = chunk.subarray(0, count); rest.length > 0;) {
          rest = rest.subarray(await to.write(rest));
        }
      }
    } catch {
      // One side was cut.
    }
    endAll(from, to);
  }

  function endAll(...conns: Deno.Conn[]): void {
    for (const conn of conns) {
      if (!open.delete(conn)) continue;
      conn.close();
    }
  }

  const accepting = (async () => {
    for await (const client of listener) {
      const joined = join(client);
      flows.add(joined);
      joined.finally(() => flows.delete(joined));
    }
  })();

  return {
    port: listener.addr.port,
    roundTrips: () => roundTrips,
    connections: () => connections,
    cut: () => endAll(...open),
    async close() {
      listener.close();
      endAll(...open);
      await accepting;
      await Promise.all(flows);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
