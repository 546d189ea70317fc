/**
 * The other system of the kill test: a real server on loopback that does with each write what it was told to do, and
 * keeps count of what it received under which idempotency key.
 */

import type { Behaviour } from "./behaviour.ts";

/** What is known of the requests under one key. */
export interface Received {
  /** How often a whole head with this key came in. */
  count: number;
  /** The status that was answered in full; null where no answer was. */
  answered: number | null;
  /** When it came in first, as `performance.now()`. */
  readonly atMs: number;
}

export interface OtherSystem {
  /** One more way in. What comes by it is told with the name. */
  listen(name: string): URL;
  /** By key, `<approval id>.<n>`; a request without one is kept under the empty text. */
  readonly received: ReadonlyMap<string, Received>;
  /** Has no more patience: nothing that comes is waited with, and what waits is cut. */
  letGo(): void;
  /** Ends every connection. */
  close(): void;
}

/** What a driver wants to know and say of it. */
export interface OtherSystemOptions {
  readonly behave: (key: string) => Behaviour | Promise<Behaviour>;
  /** A connection was taken, and nothing was read of it. */
  readonly onConnection?: (by: string) => void;
  /** All of a request is there, and nothing was done with it. */
  readonly onReceived?: (by: string) => void;
  /** An answer has left in full. */
  readonly onAnswered?: (by: string) => void;
}

/** Longer than anybody waits. */
const NEVER_MS = 600_000;
const KEY = /^idempotency-key: *(.+?) *$/im;
const LENGTH = /^content-length: *(\d+) *$/im;
const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** Starts one. */
export function startOtherSystem(options: OtherSystemOptions): OtherSystem {
  const listeners = new Set<Deno.Listener>();
  const received = new Map<string, Received>();
  const open = new Set<Deno.Conn>();
  const timers = new Set<() => void>();
  let isDone = false;

  async function wait(ms: number): Promise<void> {
    if (ms === 0 || isDone) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    timers.add(end);
    await promise;
    timers.delete(end);
  }

  async function serve(conn: Deno.Conn, by: string): Promise<void> {
    options.onConnection?.(by);
    const { head, rest } = await readHead(conn);
    if (head === null) return;
    const key = KEY.exec(head)?.[1] ?? "";
    const record = received.get(key) ?? { count: 0, answered: null, atMs: performance.now() };
    record.count += 1;
    received.set(key, record);
    if (!await readRest(conn, Number(LENGTH.exec(head)?.[1] ?? 0) - rest)) return;
    options.onReceived?.(by);
    const { waitMs, then } = await options.behave(key);
    await wait(waitMs);
    if (then === "cut_before_head" || (isDone && then === "never")) return;
    if (then === "never") {
      // Until one of both has had enough.
      await Promise.race([conn.read(new Uint8Array(1)).catch(() => null), wait(NEVER_MS)]);
      return;
    }
    await answer(conn, { key, then, record, by });
  }

  async function answer(
    conn: Deno.Conn,
    { key, then, record, by }: {
      key: string;
      then: Exclude<Behaviour["then"], "never">;
      record: Received;
      by: string;
    },
  ): Promise<void> {
    const status = typeof then === "number" ? then : 200;
    const body = status === 204 ? "" : JSON.stringify({ id: 7, key });
    const head =
      `HTTP/1.1 ${status} Said\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    if (then === "cut_after_head") return await write(conn, head);
    if (then === "cut_in_body") return await write(conn, head + body.slice(0, 5));
    // Before it is there for anybody to have read.
    record.answered = status;
    await write(conn, head + body);
    options.onAnswered?.(by);
  }

  async function accept(listener: Deno.Listener, by: string): Promise<void> {
    for await (const conn of listener) {
      open.add(conn);
      serve(conn, by).catch(() => {}).finally(() => {
        open.delete(conn);
        close(conn);
      });
    }
  }

  return {
    received,
    listen(name) {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      listeners.add(listener);
      accept(listener, name);
      return new URL(`http://127.0.0.1:${listener.addr.port}`);
    },
    letGo() {
      isDone = true;
      for (const end of timers) end();
    },
    close() {
      for (const listener of listeners) listener.close();
      for (const conn of open) close(conn);
    },
  };
}

/** The head of a request and how many bytes of what follows came with it; null where the other side ended before. */
async function readHead(conn: Deno.Conn): Promise<{ head: string | null; rest: number }> {
  const chunk = new Uint8Array(16 * 1024);
  let text = "";
  for (;;) {
    const count = await conn.read(chunk);
    if (count === null) return { head: null, rest: 0 };
    text += DECODER.decode(chunk.subarray(0, count));
    const end = text.indexOf("\r\n\r\n");
    if (end >= 0) return { head: text.slice(0, end), rest: text.length - end - 4 };
  }
}

/** Whether all of the body came. What is written here is plain ASCII. */
async function readRest(conn: Deno.Conn, bytes: number): Promise<boolean> {
  const chunk = new Uint8Array(16 * 1024);
  for (let left = bytes; left > 0;) {
    const count = await conn.read(chunk);
    if (count === null) return false;
    left -= count;
  }
  return true;
}

async function write(conn: Deno.Conn, text: string): Promise<void> {
  for (let rest = ENCODER.encode(text); rest.length > 0;) rest = rest.subarray(await conn.write(rest));
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
