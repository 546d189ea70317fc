/** `server.ts` as a process of its own that can be killed, with its own way to the database. */

import { join } from "node:path";
import type { ServerOrders } from "./server.ts";
import { startStatementProxy, type StatementProxy } from "./statement-proxy.ts";

export interface ServerProcess {
  readonly pid: number;
  /** Of its front door, no slash at the end. */
  readonly url: string;
  readonly statements: StatementProxy;
  /** Whether it was not killed yet. */
  isAlive(): boolean;
  /** Ends it with SIGKILL, at once; a second time does nothing. */
  kill(): void;
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Kills it where that is still to be done, and cuts its way to the database. */
  close(): Promise<void>;
}

const SCRIPT = join(import.meta.dirname!, "server.ts");

/**
 * Starts one and returns when it serves. `onComplaint` is told of what may not happen there whatever dies around it: that it
 * breaks, or ends by itself.
 */
export async function startServerProcess(
  orders: ServerOrders,
  { onComplaint }: { onComplaint: (text: string) => void },
): Promise<ServerProcess> {
  const direct = new URL(orders.databaseUrl);
  const statements = startStatementProxy({ hostname: direct.hostname, port: Number(direct.port) });
  direct.port = String(statements.port);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-lock", "--no-check", "--allow-all", SCRIPT],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let alive = true;
  const input = child.stdin.getWriter();
  await input.write(
    new TextEncoder().encode(`${JSON.stringify({ ...orders, databaseUrl: direct.href })}\n`),
  );
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: port } = await output.read();
  if (port === undefined) throw new Error("A server did not start");
  const kill = () => {
    if (!alive) return;
    alive = false;
    child.kill("SIGKILL");
  };
  const said = readComplaints(child.stderr, onComplaint);
  const ended = child.status.then(async ({ code }) => {
    if (!alive) return;
    alive = false;
    onComplaint(`A process ended by itself, with ${code}: ${await said}`);
  });
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port.trim()}/api`,
    statements,
    isAlive: () => alive,
    kill,
    signal: (signal) => child.kill(signal),
    async close() {
      kill();
      await Promise.all([ended, said, input.close().catch(() => {}), output.cancel().catch(() => {})]);
      await statements.close();
    },
  };
}

/** Tells of each line that says so, and resolves with the last one that was no log line. */
async function readComplaints(
  errors: ReadableStream<Uint8Array>,
  onComplaint: (text: string) => void,
): Promise<string> {
  let rest = "";
  let lastWords = "";
  for await (const text of errors.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (!line.startsWith("{")) lastWords = line.trim() || lastWords;
      else if (/"event":"(?:internal|tick_failed)"/.test(line)) onComplaint(`A process broke: ${line}`);
    }
  }
  return lastWords;
}
