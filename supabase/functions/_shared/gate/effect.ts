/**
 * What a call does: it runs, it waits for a person, or it is refused. Pure, and the only place that decides it.
 * A file, a rule or a server's word can make a call stricter here, never looser.
 */

import type { ToolCall } from "../definition/call.ts";
import { requestOf } from "../definition/call-request.ts";
import type { FramedTool, McpTool, RequestTool } from "../definition/format.ts";
import { matchRules } from "./rules.ts";

/** Who calls: a person, a person's own program, or a worker's step outside an approval step. */
export type Caller = "person" | "host" | "worker";

export type Effect =
  | { readonly does: "runs" }
  | { readonly does: "waits"; readonly needs: "member" | "admin" }
  | {
    readonly does: "refused";
    readonly reason: "approval_required" | "rule_denied";
    readonly detail: string;
  };

/** What an outside MCP server says of one of its tools, and whether that is still to be looked at. */
export interface InnerTool {
  readonly readOnlyHint?: unknown;
  readonly destructiveHint?: unknown;
  /** Its description changed, or it is new: it waits, whatever it says it is. */
  readonly quarantined: boolean;
}

export interface EffectQuestion {
  readonly tool: FramedTool;
  readonly call: ToolCall;
  readonly caller: Caller;
  /** An administrator has marked this very definition "runs as a read". Counts for a read by POST only. */
  readonly runsAsRead?: boolean;
  /** Of an mcp call. Left out, the inner tool is unknown and the call waits. */
  readonly inner?: InnerTool;
  /** The arguments are a part of a call's: a rule about one that is not among them is left out. For views only. */
  readonly partial?: boolean;
}

/** The effect of one call, by the table of what a call does, and then by the file's rules. Takes checked arguments. */
export function decideEffect(question: EffectQuestion): Effect {
  const { tool, call, caller, partial = false } = question;
  const rules = listsOnly(tool, call) ? { deny: [], admin: [] } : matchRules(tool, call.args, { partial });
  if (rules.deny.length > 0) return { does: "refused", reason: "rule_denied", detail: rules.deny.join(" ") };
  const effect = effectByKind(question);
  const decided: Effect = rules.admin.length > 0 ? { does: "waits", needs: "admin" } : effect;
  if (decided.does !== "waits" || caller !== "worker") return decided;
  return {
    does: "refused",
    reason: "approval_required",
    detail: "A worker's step never does what waits for a person; the plan puts an approval step first.",
  };
}

/** Whether a call without a matching rule runs at once; what `define` and lists call `runs`. */
export function runsOnCall(question: Omit<EffectQuestion, "caller" | "partial">): boolean {
  return effectByKind({ ...question, caller: "person" }).does === "runs";
}

function effectByKind({ tool, call, runsAsRead = false, inner }: EffectQuestion): Effect {
  if (tool.access === "sensitive" && !listsOnly(tool, call)) return { does: "waits", needs: "admin" };
  const runs = tool.kind === "mcp" ? mcpRuns(tool, call, inner) : readRuns(tool, call, runsAsRead);
  return runs ? { does: "runs" } : { does: "waits", needs: "member" };
}

function readRuns(tool: Exclude<FramedTool, McpTool>, call: ToolCall, runsAsRead: boolean): boolean {
  if (tool.access !== "read" || tool.confirm === true) return false;
  return tool.kind === "fixture" || requestReads(tool, call, runsAsRead);
}

/** PUT, PATCH and DELETE are refused in a read's file; one that got here all the same waits. */
function requestReads(tool: RequestTool, call: ToolCall, runsAsRead: boolean): boolean {
  const { method } = requestOf(tool, call);
  return method === "GET" || method === "HEAD" || (method === "POST" && runsAsRead);
}

/** Hints are read strictly: what is not the very boolean is no hint, and no hint is no read. */
function mcpRuns(tool: McpTool, call: ToolCall, inner: InnerTool | undefined): boolean {
  if (listsOnly(tool, call)) return true;
  if (tool.access === "write" || tool.confirm === true || inner === undefined || inner.quarantined) {
    return false;
  }
  return inner.readOnlyHint === true && inner.destructiveHint !== true;
}

function listsOnly(tool: FramedTool, { args }: ToolCall): boolean {
  return tool.kind === "mcp" && args.action === "list";
}
