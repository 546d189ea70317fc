/**
 * The host's side: MCP on standard input and output, in the revision that the host speaks. What it asks goes on to
 * Connect, and what Connect answers comes back, whichever revision is spoken there.
 */

import {
  type JSONRPCMessage,
  ProtocolError,
  Server,
  type ServerContext,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { failureIn } from "./failure.ts";
import type { Passing, Upstream } from "./upstream.ts";

type Era = "legacy" | "modern";

export interface HostSide {
  /** Resolves when the host is gone. */
  readonly gone: Promise<void>;
  /** Answers the host from now on, what it asked before included. */
  serve(upstream: Upstream): void;
  /** Answers whatever the host asked with why there is nothing to be had. */
  refuse(words: string): Promise<void>;
  close(): Promise<void>;
}

/** Of JSON-RPC, the first that an implementation may give a meaning to. */
const UNAVAILABLE = -32000;

/** Listens to the host. Until `serve`, what it says is kept, so that it is heard when it leaves. */
export function listenToHost(): HostSide {
  const wire = new StdioServerTransport();
  let leave!: () => void;
  const gone = new Promise<void>((resolve) => leave = resolve);
  const kept: JSONRPCMessage[] = [];
  wire.onmessage = (message) => void kept.push(message);
  wire.onclose = leave;
  // A line that is no message is passed over, as the protocol has it.
  wire.onerror = () => {};
  const started = wire.start();
  let served: { close(): Promise<void> } | null = null;
  return {
    gone,
    serve(upstream) {
      served = serveStdio(({ era }) => buildServer(upstream, era), {
        transport: resumed(wire, { started, kept, leave }),
      });
    },
    async refuse(words) {
      for (const message of kept) {
        if (!("method" in message && "id" in message)) continue;
        const error = { code: UNAVAILABLE, message: words };
        await wire.send({ jsonrpc: "2.0", id: message.id, error }).catch(() => {});
      }
    },
    async close() {
      await served?.close();
      await wire.close();
    },
  };
}

/** The wire as one that has yet to be started, which then brings what had come before. */
function resumed(
  wire: Transport,
  { started, kept, leave }: { started: Promise<void>; kept: JSONRPCMessage[]; leave: () => void },
): Transport {
  const later: Transport = {
    async start() {
      await started;
      wire.onmessage = (message) => later.onmessage?.(message);
      wire.onclose = () => {
        later.onclose?.();
        leave();
      };
      wire.onerror = (error) => later.onerror?.(error);
      for (const message of kept.splice(0)) later.onmessage?.(message);
    },
    send: (message) => wire.send(message),
    close: () => wire.close(),
  };
  return later;
}

/** A server that is Connect to the host: its name, its words, its tools. */
function buildServer(upstream: Upstream, era: Era): Server {
  const server = new Server(upstream.info, {
    capabilities: { tools: {} },
    ...(upstream.instructions === undefined ? {} : { instructions: upstream.instructions }),
    jsonSchemaValidator: NOTHING_ASKED,
  });
  server.setRequestHandler("tools/list", async ({ params }, context) => {
    const asked = params?.cursor === undefined ? {} : { cursor: params.cursor };
    return inEra(era, await inWords(upstream.listTools(asked, passingOf(context))));
  });
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args } }, context) => {
    const asked = args === undefined ? { name } : { name, arguments: args };
    return inEra(era, await inWords(upstream.callTool(asked, passingOf(context))));
  });
  return server;
}

/** Made once for all: nothing is asked of a host here. */
const NOTHING_ASKED = {
  getValidator() {
    throw new Error("nothing is asked of a host here");
  },
};

/** What the host says with a request, but for what is about its connection with us. */
function passingOf({ mcpReq }: ServerContext): Passing {
  const { progressToken, ...said } = mcpReq._meta ?? {};
  return {
    meta: withoutProtocol(said),
    signal: mcpReq.signal,
    onProgress: progressToken === undefined ? null : (progress) => {
      // A host that is gone hears nothing.
      mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken } }).catch(
        () => {},
      );
    },
  };
}

/**
 * A result of Connect as the host's revision has it. Who answered is said by the server here, in its own words; how long
 * an answer may be kept is something that the 2025 revisions do not know.
 */
function inEra<T extends { _meta?: Record<string, unknown> | undefined }>(era: Era, result: T): T {
  const { _meta, ...rest } = result;
  const meta = withoutProtocol(_meta ?? {});
  const answer: Record<string, unknown> = {
    ...rest,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  if (era === "legacy") { for (const name of ["resultType", "ttlMs", "cacheScope"]) delete answer[name]; }
  return answer as T;
}

function withoutProtocol(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).filter(([name]) => !name.startsWith("io.modelcontextprotocol/")),
  );
}

/** Errors of the protocol go on to the host as they are; failures are told in their own words. */
async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const failure = failureIn(error);
    if (failure !== null) throw new ProtocolError(UNAVAILABLE, failure.message);
    if (error instanceof Error && "code" in error && typeof error.code === "number") {
      throw new ProtocolError(error.code, error.message, "data" in error ? error.data : undefined);
    }
    throw new ProtocolError(
      UNAVAILABLE,
      "Connect answered with what is no answer of the protocol. Try again.",
    );
  }
}
