/** A tool of kind mcp, and calls of it against a server on loopback that speaks as a test wants. */

import type { McpTool } from "../../supabase/functions/_shared/definition/format.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { createEgress, type Egress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import type { Era } from "../../supabase/functions/_shared/inner-tools/inner-tool.ts";
import type { Executed, Means } from "../../supabase/functions/_shared/kinds/kind.ts";
import { executeMcp } from "../../supabase/functions/_shared/kinds/mcp.ts";
import { ok } from "../../supabase/functions/_shared/outcome/result.ts";
import { createRedactor } from "../../supabase/functions/_shared/secrets/redact.ts";
import { innerTool, type Speaking, speakMcp } from "./mcp-server.ts";
import { type ReceivedRequest, startUpstream } from "./upstream.ts";

export const SERVER_HOST = "mcp.tracker.example";
/** The secret of the tool, which nothing may hold that comes back. */
export const SERVER_TOKEN = "canary-token-of-the-tracker";
export const SERVER_TOOL: McpTool = {
  format: "framed-tool/1",
  slug: "issue_tracker",
  name: "Issue tracker",
  description: "The team's issue tracker.",
  kind: "mcp",
  mcp: { url: `https://${SERVER_HOST}/mcp`, auth: { secret: "CONNECTOR_TRACKER_TOKEN" } },
};
export const SEARCH_CALL = { args: { action: "call", tool: "search", arguments: { q: "login" } } };
export const SEARCH_SCHEMA = innerTool("search").inputSchema as JsonObject;

/** What a server says or does in place of what it should. */
export type Instead = NonNullable<Speaking["instead"]>;

/** Runs `ask` against a server that speaks so. The `tools/call` has all the time there is, or `callMs` of its own. */
export async function withServer<T>(
  speaking: Speaking | ((request: ReceivedRequest) => Response | Promise<Response>),
  ask: (means: Means, requests: readonly ReceivedRequest[]) => Promise<T>,
  { callMs, fresh = false }: { callMs?: number; fresh?: boolean } = {},
): Promise<T> {
  const upstream = startUpstream(typeof speaking === "function" ? speaking : speakMcp(speaking));
  const egress = createEgress({ upstreams: new Map([[SERVER_HOST, upstream.url]]) });
  const send: Egress["send"] = (request, options) => {
    const isCall = request.body?.includes('"tools/call"') ?? false;
    return egress.send(request, isCall && callMs !== undefined ? { ...options, timeoutMs: callMs } : options);
  };
  const means: Means = {
    egress: { ...egress, send },
    openCredentials: () =>
      Promise.resolve(ok({
        values: new Map([["secret" as const, SERVER_TOKEN]]),
        names: new Map([["secret" as const, "CONNECTOR_TRACKER_TOKEN"]]),
        redact: createRedactor([SERVER_TOKEN]),
      })),
    timeLeftMs: () => 20_000,
    now: () => new Date(),
    ...(fresh ? { fresh: true, idempotencyKey: "1.0" } : {}),
  };
  try {
    return await ask(means, upstream.requests);
  } finally {
    await egress.close();
    await upstream.close();
  }
}

/** Calls the tool's one inner tool, in a session of that generation. */
export function callSearch(means: Means, era: Era = "modern"): Promise<Executed> {
  return executeMcp(SERVER_TOOL, { call: SEARCH_CALL, means, server: { era, inputSchema: SEARCH_SCHEMA } });
}

/** What a server was asked, in order. */
export function methodsOf(requests: readonly ReceivedRequest[]): string[] {
  return requests.map(({ method, body }) => body === "" ? method : String(JSON.parse(body).method));
}

/** An answer that begins so and ends when it is told to. */
export function streamOf(
  text: string,
  { until, type = "text/event-stream" }: { until: Promise<void>; type?: string },
): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      await until;
      // Whoever asked is gone already.
      try {
        controller.close();
      } catch { /* nothing is left to close */ }
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}
