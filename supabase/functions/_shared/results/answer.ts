/** The answers of a call as a caller gets them: a read that ran, and a call that waits for a person. Pure. */

import type { ToolCall } from "../definition/call.ts";
import type { FramedTool } from "../definition/format.ts";
import type { JsonObject } from "../definition/json.ts";
import { formatAudit } from "../gate/audit.ts";
import { clipLeaving } from "./clip.ts";
import type { Leaving } from "./leaving.ts";

/** With every answer that comes from a fixture. */
export const EXAMPLE_NOTE =
  "This is a configured example, not what the system holds now. Relaying it as current numbers is inventing them.";

/** With every answer of a call that waits. */
export const WAITING_NOTE = "Nothing has been sent. A person decides about it under review_url.";

export type AnswersWith = "live system" | "configured example" | "kept read";

/** What was kept of a read, or that nothing was. */
export type Kept =
  | { readonly kept: true; readonly rows?: number; readonly read_at: string }
  | { readonly kept: false };

export interface AnsweredRead {
  readonly call: ToolCall;
  readonly leaving: Leaving;
  readonly answersWith: AnswersWith;
  readonly kept: Kept;
  /** Under which the whole can be read when it is too long to go out at once. */
  readonly resultHandle: string;
  /** The arguments that read the next page: null where there is one they cannot ask for, left out where there is none. */
  readonly next?: JsonObject | null;
}

/** The body of a read that was answered: what leaves, and not more than fits. */
export function answerOfRead(tool: FramedTool, read: AnsweredRead): JsonObject {
  const { answersWith, kept, next } = read;
  const { result, truncated } = clipLeaving(read.leaving);
  const mode = answersWith === "configured example" ? "fixture" : "live";
  return {
    ok: true,
    tool: tool.slug,
    tool_name: tool.name,
    ran: true,
    answers_with: answersWith,
    result,
    kept: { ...kept },
    ...(answersWith === "kept read" && kept.kept ? { read_at: kept.read_at } : {}),
    truncated,
    ...(truncated ? { result_handle: read.resultHandle } : {}),
    ...(next === undefined ? {} : { next }),
    audit: formatAudit({ connector: tool.slug, mode, ok: true, truncated }, read.call),
    ...(mode === "fixture" ? { note: EXAMPLE_NOTE } : {}),
  };
}

/** The body of a call that waits for a person, with HTTP status 202. */
export function answerOfWaiting(
  tool: FramedTool,
  { id, reviewUrl }: { id: string; reviewUrl: string },
): JsonObject {
  return {
    ok: true,
    ran: false,
    job_id: id,
    approval_id: id,
    status: "awaiting_approval",
    tool: tool.slug,
    tool_name: tool.name,
    review_url: reviewUrl,
    note: WAITING_NOTE,
  };
}
