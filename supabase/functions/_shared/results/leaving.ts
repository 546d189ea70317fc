/** What of an answer leaves: minimized once, and everything that goes out, is kept or is paged is made of this. Pure. */

import type { ToolCall } from "../definition/call.ts";
import { findCapability } from "../definition/capability.ts";
import type { FramedTool } from "../definition/format.ts";
import type { JsonValue } from "../definition/json.ts";
import { extractRows, minimizeAnswer, type RowsFormat } from "./rows.ts";

/** The part of an answer that leaves. */
export interface Leaving {
  readonly result: JsonValue;
  /** `result` as compact JSON. */
  readonly json: string;
  /** The rows in it; null when it is a single answer. */
  readonly rows: readonly JsonValue[] | null;
}

/** What leaves of the whole `answer` of a call: only the fields the file lets out. */
export function leavingOf(
  tool: FramedTool,
  { call, answer }: { call: ToolCall; answer: JsonValue },
): Leaving {
  const format = resultFormatOf(tool, call);
  return leavingFrom(minimizeAnswer(answer, format), format);
}

/** The same of a `result` of which only what leaves is there, as it is when it was kept. */
export function leavingFrom(result: JsonValue, format: RowsFormat = {}): Leaving {
  return { result, json: JSON.stringify(result), rows: extractRows(result, format)?.rows ?? null };
}

/**
 * Whether Framed keeps what leaves of an answer: the rows of a live read, a single answer only where the caller asks
 * (`persist`); never an example, and never anything of a sensitive tool.
 */
export function isKept(
  { access }: FramedTool,
  { answersWith, rows, persist = false }: {
    answersWith: "live system" | "configured example";
    rows: Leaving["rows"];
    persist?: boolean;
  },
): boolean {
  return answersWith === "live system" && access !== "sensitive" && (rows !== null || persist);
}

/**
 * Where the rows of this call's answer are: the capability's own `result`, else the tool's. A `get` reads one thing; the
 * tools of an mcp tool's server are ours to tell, and no answer that the file speaks of.
 */
export function resultFormatOf(tool: FramedTool, { args, capability, operation }: ToolCall): RowsFormat {
  if (tool.kind === "mcp" && args.action === "list") return { rows: "tools" };
  const declared = findCapability(tool, capability);
  const format = declared?.result ?? tool.result ?? {};
  return declared !== undefined && operation === "get" ? { ...format, single: true } : format;
}
