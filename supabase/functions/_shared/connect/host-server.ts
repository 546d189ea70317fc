/** The MCP server a host talks to: the five host tools, and nothing else. One of its own for each request. */

import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import type { JsonValue } from "../definition/json.ts";
import type { Result } from "../outcome/result.ts";
import { type HostToolName, isHostTool, listHostTools } from "./host-tools.ts";
import type { HostCall } from "./run-host-tool.ts";
import type { HostResult } from "./tell.ts";

/** Runs one call of a host tool to the result its host is told. */
export type RunCall = (
  asked: { tool: HostToolName; args: Result<JsonValue> } & Pick<HostCall, "signal" | "onAdmitted">,
) => Promise<HostResult>;

const INFO = { name: "framed-connect", title: "Framed", version: "1.0.0" };

const INSTRUCTIONS =
  `These tools reach a company's own systems through Framed. Begin with framed_list of "tools". Read with framed_read. What changes something is proposed with framed_tool: nothing is sent until a person of the company approves it, so propose once, tell the person where to review it, and ask with framed_approval. An answer marked "configured example" is no current data: never relay it as such.`;

const OPTIONS = {
  capabilities: { tools: {} },
  instructions: INSTRUCTIONS,
  // The same for everyone, and it changes only with a release.
  cacheHints: {
    "tools/list": { ttlMs: 300_000, cacheScope: "public" as const },
    "server/discover": { ttlMs: 300_000, cacheScope: "public" as const },
  },
  // Made once for all: each server would make one, and none here asks a host for input.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error("nothing is asked of a host here");
    },
  },
};

/** How often a host that asked for progress hears that its call still runs, and how long one may run, in milliseconds. */
const PROGRESS_EVERY_MS = 5_000;
const CALL_SECONDS = 30;

/** A server for one request. `bodyProblems` refuse the calls in it. */
export function buildHostServer(run: RunCall, argumentsOf: (args: JsonValue) => Result<JsonValue>): Server {
  const server = new Server(INFO, OPTIONS);
  server.setRequestHandler("tools/list", () => ({ tools: listHostTools() }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name } = params;
    if (!isHostTool(name)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(name)}. ` +
          `A tool of the workspace is called with framed_read or framed_tool, which name it under "tool".`,
      );
    }
    const progress = startProgress(context);
    try {
      const args = argumentsOf((params.arguments ?? {}) as JsonValue);
      return await run({ tool: name, args, signal: context.mcpReq.signal, onAdmitted: progress.begin });
    } finally {
      progress.end();
    }
  });
  return server;
}

/** Tells a host that asked for it that the call goes on; nothing to others, and nothing before the call is let in. */
function startProgress({ mcpReq }: ServerContext): { begin: () => void; end: () => void } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { begin() {}, end() {} };
  const startedAt = performance.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const say = (message: string) => {
    const seconds = Math.min(CALL_SECONDS, Math.round((performance.now() - startedAt) / 1000));
    mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress: seconds, total: CALL_SECONDS, message },
    }).catch(() => {
      // Whoever asked is gone; the call hears of that by itself.
    });
  };
  return {
    begin() {
      say("The call was let in.");
      timer = setInterval(say, PROGRESS_EVERY_MS, "The other system has not answered yet.");
    },
    end: () => clearInterval(timer),
  };
}
