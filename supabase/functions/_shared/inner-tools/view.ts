/** The tools of an outside server as callers and administrators are told of them. Pure. */

import type { McpTool } from "../definition/format.ts";
import type { JsonObject } from "../definition/json.ts";
import { runsOnCall } from "../gate/effect.ts";
import { describeDifference } from "./difference.ts";
import { isQuarantined, type KnownTool, mayDestroy, toGate, type ToldTool } from "./inner-tool.ts";

/** What `list` answers: each tool by what was last accepted of it, and by what a call of it does. */
export function listAnswer(file: McpTool, tools: readonly KnownTool[]): JsonObject {
  return { tools: tools.map((tool) => listedTool(file, tool)) };
}

/** Of a tool in quarantine its name and what was accepted before: what a server says since then is read by no model. */
function listedTool(file: McpTool, tool: KnownTool): JsonObject {
  const { title, description, inputSchema }: Partial<ToldTool> = tool.accepted?.told ?? {};
  return {
    name: tool.told.name,
    title: title ?? null,
    description: description ?? null,
    arguments: inputSchema ?? null,
    runs: runsOf(file, tool),
    digest: tool.digest,
    quarantined: isQuarantined(tool),
  };
}

function runsOf(file: McpTool, tool: KnownTool): "on_call" | "after_approval" {
  const call = { args: { action: "call", tool: tool.told.name } };
  return runsOnCall({ tool: file, call, inner: toGate(tool) }) ? "on_call" : "after_approval";
}

/** What an administrator is shown of a tool: all that its server says of it now, and how that differs from what was accepted. */
export function innerToolView(file: McpTool, tool: KnownTool): JsonObject {
  const { name, title, description, inputSchema, annotations } = tool.told;
  return {
    name,
    title,
    description,
    arguments: inputSchema,
    annotations,
    runs: runsOf(file, tool),
    may_destroy: mayDestroy(tool),
    digest: tool.digest,
    quarantined: isQuarantined(tool),
    difference: describeDifference(tool),
  };
}
