/**
 * MCP servers of others, as they are on npm, behind TLS on loopback: one that speaks HTTP by itself, and any that speaks
 * over its standard input and output, by a bridge.
 */

import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import type { ServerCertificate } from "./pki.ts";

/** A package on npm whose program is a server, at one exact version. */
export interface OutsideProgram {
  readonly pack: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that can be reached. */
export interface OutsideServer {
  readonly url: URL;
  /** Every message that came in, by its method. */
  readonly methods: readonly string[];
  close(): Promise<void>;
}

/** Starts a server that speaks over its standard input and output: a process of its own for each session. */
export function startBridge(program: OutsideProgram, certificate: ServerCertificate): OutsideServer {
  const sessions = new Map<string, StdioSession>();
  return serve(certificate, async (request, message) => {
    const id = request.headers.get("mcp-session-id") ?? "";
    if (request.method === "DELETE") {
      await sessions.get(id)?.end();
      sessions.delete(id);
      return new Response(null, { status: 200 });
    }
    if (message === null) return new Response(null, { status: 405 });
    const opened = message.method === "initialize" ? crypto.randomUUID() : id;
    if (opened !== id) sessions.set(opened, startSession(program));
    const session = sessions.get(opened);
    if (session === undefined) {
      return Response.json(
        { jsonrpc: "2.0", id: null, error: { code: -32000, message: "No valid session" } },
        {
          status: 400,
        },
      );
    }
    const answer = await session.ask(message);
    if (answer === null) return new Response(null, { status: 202 });
    return Response.json(answer, { headers: { "mcp-session-id": opened } });
  }, () => Promise.all([...sessions.values()].map((session) => session.end())));
}

/** Starts a server that speaks HTTP on the port that `PORT` says, and stands in front of it with TLS. */
export async function startHttpServer(
  program: OutsideProgram,
  { certificate, isReady }: { certificate: ServerCertificate; isReady: RegExp },
): Promise<OutsideServer> {
  const port = freePort();
  const child = spawn({ ...program, env: { ...program.env, PORT: String(port) } }, "null");
  const out = child.stdout.pipeThrough(new TextDecoderStream());
  const err = child.stderr.pipeThrough(new TextDecoderStream());
  await Promise.race([untilSaid(out, isReady), untilSaid(err, isReady)]);
  return serve(certificate, async (request, _message, body) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("host");
    return await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
      method: request.method,
      headers,
      ...(body === "" ? {} : { body }),
    });
  }, () => kill(child));
}

function serve(
  certificate: ServerCertificate,
  answer: (request: Request, message: JsonObject | null, body: string) => Promise<Response>,
  end: () => Promise<unknown>,
): OutsideServer {
  const methods: string[] = [];
  const stop = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: stop.signal,
    onListen() {},
    ...certificate,
  }, async (request) => {
    const body = await request.text();
    const message = body === "" ? null : JSON.parse(body) as JsonObject;
    methods.push(String(message?.method ?? request.method));
    return await answer(request, message, body);
  });
  return {
    url: new URL(`https://127.0.0.1:${server.addr.port}`),
    methods,
    async close() {
      stop.abort();
      await server.finished;
      await end();
    },
  };
}

interface StdioSession {
  /** Sends a message; the answer to it, or null where it wants none. */
  ask(message: JsonObject): Promise<JsonObject | null>;
  end(): Promise<unknown>;
}

function startSession(program: OutsideProgram): StdioSession {
  const child = spawn(program, "piped");
  const writer = child.stdin.getWriter();
  const waiting = new Map<unknown, (answer: JsonObject) => void>();
  const draining = child.stderr.pipeTo(new WritableStream()).catch(() => {});
  const reading = readLines(child.stdout, (line) => {
    const message = JSON.parse(line) as JsonObject;
    if (message.method === undefined) waiting.get(message.id)?.(message);
  });
  return {
    async ask(message) {
      const answered = Promise.withResolvers<JsonObject>();
      if (message.id !== undefined) waiting.set(message.id, answered.resolve);
      await writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
      return message.id === undefined ? null : await answered.promise;
    },
    async end() {
      await kill(child);
      await Promise.all([reading, draining, writer.close().catch(() => {})]);
    },
  };
}

function spawn({ pack, args = [], env = {} }: OutsideProgram, stdin: "piped" | "null"): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-lock", "--no-config", `npm:${pack}`, ...args],
    env: { ...env },
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function kill(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
  await child.status;
}

async function readLines(from: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const piece of from.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== "") take(line);
  }
}

/** Resolves once the program says so, and reads on, so that it is never held up. */
function untilSaid(from: ReadableStream<string>, what: RegExp): Promise<void> {
  const said = Promise.withResolvers<void>();
  const read = async () => {
    let all = "";
    for await (const piece of from) {
      all = (all + piece).slice(-10_000);
      if (what.test(all)) said.resolve();
    }
  };
  read().catch(() => {});
  return said.promise;
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}
