/** What a tool can be asked, and which of its requests a call makes. Pure, and by itself: who lists tools fills no request. */

import type { ToolCall } from "./call.ts";
import type { FramedTool, RequestTool } from "./format.ts";
import type { RequestTemplate } from "./request.ts";

/** The request template of `call`: the one its capability has for the operation, else the tool's own. */
export function requestOf(tool: RequestTool, { capability, operation }: ToolCall): RequestTemplate {
  const declared = tool.capabilities?.find(({ id }) => id === capability);
  if (operation !== "list" && operation !== "get") return tool.request;
  return declared?.requests?.[operation] ?? tool.request;
}

/**
 * One call for each thing `tool` can be asked, without its arguments: every operation of every capability, else the tool
 * as a whole; of an mcp tool the call of one of its server's tools.
 */
export function operationsOf(tool: FramedTool): readonly ToolCall[] {
  if (tool.kind === "mcp") return [{ args: { action: "call" } }];
  if (tool.capabilities === undefined) return [{ args: {} }];
  return tool.capabilities.flatMap(({ id, operations }) =>
    operations.map((operation) => ({ args: {}, capability: id, operation }))
  );
}
