/** `deno task start` as a child process, for tests that need the real command. */

import { join } from "node:path";

/** The ready line of `start --json`. */
export interface ReadyLine {
  ready: true;
  api: string;
  functions: string;
  auth: string;
  console: string;
  database: string;
  publishable_key: string;
  workspace_id: string;
  api_key: string;
  reseller_key: string;
  admin: { email: string; password: string };
  member: { email: string; password: string };
  cron_secret: string;
  other: { workspace_id: string; api_key: string };
}

export interface StackProcess {
  readonly pid: number;
  /** What it printed when it was ready; rejects with its last words when it ends before. */
  readonly ready: Promise<ReadyLine>;
  readonly ended: Promise<{ code: number; stdout: string; stderr: string }>;
  /** Sends the signal to this one process and waits for its end. */
  kill(signal: Deno.Signal): Promise<{ code: number; stdout: string; stderr: string }>;
}

export interface StackProcessOptions {
  readonly env?: Record<string, string>;
  /** The account to run as, when this process may choose. */
  readonly uid?: number;
  readonly gid?: number;
  /** Where Deno and start.ts stand, when not where this process has them. */
  readonly deno?: string;
  readonly script?: string;
}

const SCRIPT = join(import.meta.dirname!, "..", "start.ts");

/** Starts `start.ts --json` with more arguments. It leads a process group of its own, as under a shell. */
export function startStackProcess(
  args: readonly string[],
  { deno = Deno.execPath(), script = SCRIPT, ...options }: StackProcessOptions = {},
): StackProcess {
  const child = new Deno.Command(deno, {
    args: ["run", "--quiet", "--no-lock", "--no-check", "--allow-all", script, "--json", ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
    cwd: "/",
    ...options,
    env: { NO_COLOR: "1", ...options.env },
  }).spawn();
  const ready = Promise.withResolvers<ReadyLine>();
  ready.promise.catch(() => {});
  const stdout = collect(child.stdout, (text) => {
    const [line, ...rest] = text.split("\n");
    if (rest.length > 0) ready.resolve(JSON.parse(line!));
  });
  const stderr = collect(child.stderr);
  const ended = (async () => {
    const { code } = await child.status;
    const said = { code, stdout: await stdout, stderr: await stderr };
    ready.reject(new Error(`start ended with ${code} and was not ready: ${said.stderr}`));
    return said;
  })();
  return {
    pid: child.pid,
    ready: ready.promise,
    ended,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** What it said on stderr beside what a first start of these sources has to tell. */
export function withoutNews(stderr: string): string {
  return stderr.replaceAll(/^(?:Applied migration .*|Building the console, once \.\.\.)\n/gm, "");
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  look: (text: string) => void = () => {},
): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    look(text);
  }
  return text;
}
