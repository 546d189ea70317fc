/**
 * Connections to where a host was found to be: kept ones, bounded per host, and fresh ones for a single request. A
 * connection never looks a name up itself: it goes to an address it is given.
 */

import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import type { Dispatcher } from "undici";
import { buildConnector, Pool } from "./undici.ts";

/** One place a connection may go to, by address. */
export interface Target {
  readonly protocol: "http:" | "https:";
  readonly address: string;
  readonly port: string;
}

/** Where requests to an origin go: the targets are tried in order until one takes the connection. */
export interface Route {
  /** As the request names it, `https://ledger.example:8443`: what the Host header says. */
  readonly origin: string;
  /** What the certificate has to be for, or null when that is the address itself. */
  readonly serverName: string | null;
  readonly targets: readonly Target[];
  /** PEM of the only authorities to trust, or undefined for the system's own. */
  readonly ca: string | undefined;
}

/** Something requests can be dispatched to, and its end. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** Cuts what is open. */
  end(): Promise<void>;
}

/** The connections of one egress. */
export interface Connections {
  /** Reuses what is open to the very same targets. */
  keptTo(route: Route): Dispatcher;
  /** One new connection, the caller's to end. */
  freshTo(route: Route): Connection;
  close(): Promise<void>;
}

/** Connections at once to one host, kept and fresh ones together. */
export const MAX_CONNECTIONS_PER_HOST = 12;
/** Hosts with kept connections; the one longest unused goes first. */
const MAX_HOSTS = 64;
const MAX_TARGETS = 4;
/** For one target to take the connection. */
export const CONNECT_TIMEOUT_MS = 8_000;
/** Short: a connection the other side closes at the very moment it is used again is a failed read. */
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 32 * 1024;

/** Connections of which none is open yet. */
export function createConnections(): Connections {
  const kept = new Map<string, { readonly targets: string; readonly connection: Connection }>();
  const open = new Set<Connection>();

  function openPool(route: Route, connections: number): Connection {
    const connector = createConnector(route);
    const pool = new Pool(route.origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      connect: connector.connect,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The deadline of a request covers both; nothing else ends it early.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = {
      dispatcher: pool,
      end: async () => {
        open.delete(connection);
        connector.abandon();
        await pool.destroy();
      },
    };
    open.add(connection);
    return connection;
  }

  /** What is under way ends by itself; nothing new begins. */
  function retire(origin: string): void {
    const entry = kept.get(origin);
    if (entry === undefined) return;
    kept.delete(origin);
    entry.connection.dispatcher.close().then(() => open.delete(entry.connection), () => {});
  }

  return {
    keptTo(route) {
      const targets = JSON.stringify(route.targets);
      let entry = kept.get(route.origin);
      if (entry?.targets !== targets) {
        retire(route.origin);
        entry = { targets, connection: openPool(route, MAX_CONNECTIONS_PER_HOST) };
      }
      kept.delete(route.origin);
      kept.set(route.origin, entry);
      for (const [oldest] of kept) {
        if (kept.size <= MAX_HOSTS) break;
        retire(oldest);
      }
      return entry.connection.dispatcher;
    },
    freshTo: (route) => openPool(route, 1),
    async close() {
      kept.clear();
      await Promise.all([...open].map((connection) => connection.end()));
      // undici puts the last step of an answered request off to the next turn; after that nothing is left.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** Connects to the first target that takes the connection. Nothing of a request is sent before one does. */
function createConnector({ serverName, targets, ca }: Route) {
  // Its own timer would outlive the egress, and sessions kept by name could outlive a change of address.
  const base = buildConnector({ timeout: 0, maxCachedSessions: 0, ca });
  const pending = new Set<Socket>();
  let abandoned = false;

  function tryTarget(index: number, [options, callback]: Parameters<typeof base>): void {
    const { protocol, address, port } = targets[index]!;
    const socket = base(
      { ...options, protocol, hostname: address, host: address, port, servername: serverName ?? undefined },
      (...outcome) => {
        clearTimeout(timer);
        pending.delete(socket);
        const isLast = index + 1 >= Math.min(targets.length, MAX_TARGETS);
        if (outcome[0] === null || isLast || abandoned) callback(...outcome);
        else tryTarget(index + 1, [options, callback]);
      },
    ) as unknown as Socket;
    const timer = setTimeout(() => socket.destroy(new Error("connect timeout")), CONNECT_TIMEOUT_MS);
    pending.add(socket);
  }

  return {
    connect: ((options, callback) => tryTarget(0, [options, callback])) as typeof base,
    abandon() {
      abandoned = true;
      for (const socket of pending) socket.destroy(new Error("abandoned"));
    },
  };
}
