/** The built `connect-mcp` as a host starts it: under Node or Deno, with a person's folder and browser of its own. */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { join } from "node:path";
import { buildPackage } from "../build-npm.ts";
import { PROGRAMS } from "../npm/manifest.ts";
import type { Era } from "./mcp-host.ts";

/** What runs it. */
export const RUNTIMES = { node: ["node"], deno: [Deno.execPath(), "run", "--quiet", "-A"] } as const;
export type Runtime = keyof typeof RUNTIMES;

/** A person with a machine: a home, a browser that only writes down what it is asked to open, and the program. */
export interface Person {
  /** Where their configuration is. */
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the browser was asked to open so far. */
  opened(): Promise<string[]>;
}

export interface BuiltConnectMcp {
  /** A new person; `env` is what they have set. */
  person(env: Record<string, string>): Promise<Person>;
  /** The program and arguments that start it. */
  command(runtime: Runtime): [program: string, ...args: string[]];
  close(): Promise<void>;
}

/** Builds the package once. */
export async function buildConnectMcp(): Promise<BuiltConnectMcp> {
  const folder = await Deno.makeTempDir();
  await buildPackage(join(folder, "package"));
  let people = 0;
  return {
    async person(env) {
      const home = join(folder, `person ${++people}`);
      const opened = join(home, "opened");
      await Deno.mkdir(join(home, "bin"), { recursive: true });
      await Deno.writeTextFile(opened, "");
      const browser = `#!/bin/sh\nprintf '%s\\n' "$1" >> '${opened}'\n`;
      for (const name of ["xdg-open", "open"]) {
        await Deno.writeTextFile(join(home, "bin", name), browser, { mode: 0o755 });
      }
      const config = join(home, "config");
      return {
        config,
        env: {
          HOME: home,
          XDG_CONFIG_HOME: config,
          PATH: `${join(home, "bin")}:${Deno.env.get("PATH")}`,
          ...env,
        },
        opened: async () => (await Deno.readTextFile(opened)).split("\n").filter((line) => line !== ""),
      };
    },
    command: (runtime) => [...RUNTIMES[runtime], join(folder, "package", PROGRAMS["connect-mcp"])],
    close: () => Deno.remove(folder, { recursive: true }),
  };
}

/** A process with what it says. */
export interface Running {
  readonly pid: number;
  /** Writes lines to it, as a host does. */
  send(...messages: unknown[]): Promise<void>;
  /** Resolves with the first match in what it has said on standard error. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the first message on standard output that holds. */
  hears(test: (message: Message) => boolean): Promise<Message>;
  /** Closes its standard input. */
  leave(): Promise<void>;
  kill(signal: Deno.Signal): void;
  readonly ended: Promise<{ code: number; stdout: string; stderr: string }>;
}

// deno-lint-ignore no-explicit-any
export type Message = any;

/** Starts it as a bare process. */
export function startConnectMcp(
  built: BuiltConnectMcp,
  { person, runtime = "node", args = [] }: { person: Person; runtime?: Runtime; args?: string[] },
): Running {
  const [program, ...before] = built.command(runtime);
  const child = new Deno.Command(program, {
    args: [...before, ...args],
    clearEnv: true,
    env: { ...person.env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const ended = (async () => {
    const { code } = await child.status;
    await writer.close().catch(() => {});
    return { code, stdout: await stdout.whole, stderr: await stderr.whole };
  })();
  return {
    pid: child.pid,
    async send(...messages) {
      for (const message of messages) {
        await writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
      }
    },
    says: (pattern) => stderr.until((text) => pattern.exec(text)),
    hears: (test) =>
      stdout.until((text) =>
        text.split("\n").slice(0, -1).map((line) => JSON.parse(line)).find(test) ?? null
      ),
    leave: () => writer.close(),
    kill: (signal) => child.kill(signal),
    ended,
  };
}

function collect(stream: ReadableStream<Uint8Array>) {
  let [text, isOver] = ["", false];
  let wake = Promise.withResolvers<void>();
  const whole = (async () => {
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
      text += piece;
      wake.resolve();
      wake = Promise.withResolvers();
    }
    isOver = true;
    wake.resolve();
    return text;
  })();
  return {
    whole,
    async until<T>(find: (text: string) => T | null): Promise<T> {
      for (;;) {
        const found = find(text);
        if (found !== null) return found;
        if (isOver) throw new Error(`it ended without that: ${text}`);
        await wake.promise;
      }
    },
  };
}

/** A host with the official client, of the era, or finding it out by itself. */
export async function openStdioHost(
  built: BuiltConnectMcp,
  { person, runtime, era }: { person: Person; runtime: Runtime; era: Era | "auto" },
): Promise<{ client: Client; pid: number }> {
  const [command, ...args] = built.command(runtime);
  const mode = era === "2025-11-25" ? "legacy" : era === "auto" ? era : { pin: era };
  const client = new Client({ name: "test-host", version: "1.0.0" }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...person.env },
    stderr: "ignore",
  });
  await client.connect(transport);
  return { client, pid: transport.pid! };
}

/** A way to a server over TCP that tells of clients that hang up before they are answered. */
export interface WatchedWay {
  readonly port: number;
  /** Resolves when a connection ends from the client's side, that has carried this text to the server. */
  hangUp(text: string): Promise<void>;
  close(): Promise<void>;
}

export function watchWay(port: number): WatchedWay {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ended: string[] = [];
  const flows = new Set<Promise<void>>();
  let wake = Promise.withResolvers<void>();
  async function carry(client: Deno.Conn) {
    const server = await Deno.connect({ hostname: "127.0.0.1", port });
    const back = server.readable.pipeTo(client.writable).catch(() => {});
    let sent = "";
    const writer = server.writable.getWriter();
    try {
      for await (const piece of client.readable) {
        sent += new TextDecoder().decode(piece);
        await writer.write(piece);
      }
    } catch {
      // Reset is an end like another.
    }
    ended.push(sent);
    wake.resolve();
    wake = Promise.withResolvers();
    await writer.close().catch(() => {});
    await back;
  }
  const accepting = (async () => {
    for await (const client of listener) {
      const flow = carry(client).catch(() => {});
      flows.add(flow);
      flow.then(() => flows.delete(flow));
    }
  })();
  return {
    port: listener.addr.port,
    async hangUp(text) {
      while (!ended.some((sent) => sent.includes(text))) await wake.promise;
    },
    async close() {
      listener.close();
      await accepting;
      await Promise.all(flows);
    },
  };
}

/** An opening of the 2025 revisions, as a line. */
export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bare", version: "1.0.0" },
  },
};
export const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
