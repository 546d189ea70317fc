/** What the log row of a call says, whichever side of the call writes it. Pure. */

import type { Foreseen } from "../calls/store.ts";
import type { ToolCall } from "../definition/call.ts";
import { formatAudit } from "../gate/audit.ts";
import { clipArgs } from "../log/event.ts";
import { clipLeaving } from "../results/clip.ts";
import type { Leaving } from "../results/leaving.ts";
import { isLive, type Tool } from "../tools/tool.ts";
import type { Occasion } from "./occasion.ts";

/** The part of the row that holds whatever becomes of the call; `call` is null where the request had no shape. */
export function eventOfCall(
  { slug, call, occasion }: { slug: string; call: ToolCall | null; occasion: Occasion },
): Foreseen["event"] {
  return {
    event: "tool.called",
    request_id: occasion.requestId,
    tool: clipArgs(slug) as string,
    operation: call === null ? null : operationOf(call),
    args: call === null ? null : clipArgs(call.args),
    total_ms: occasion.elapsedMs(),
  };
}

/** The detail of a call that was answered. */
export function answeredDetail(
  { slug, kind }: Pick<Tool, "slug" | "kind">,
  { call, answersWith, leaving }: { call: ToolCall; answersWith: string; leaving: Leaving },
): { audit: string; answers_with: string; rows: number | null } {
  const mode = isLive(kind) ? "live" : "fixture";
  const { truncated } = clipLeaving(leaving);
  return {
    audit: formatAudit({ connector: slug, mode, ok: true, truncated }, call),
    answers_with: answersWith,
    rows: leaving.rows?.length ?? null,
  };
}

/** The detail of a call that its tool's definition or its execution refused. */
export function refusedDetail(
  { slug, kind }: Pick<Tool, "slug" | "kind">,
  call: ToolCall,
): { audit: string } {
  const mode = isLive(kind) ? "live" : "fixture";
  return { audit: formatAudit({ connector: slug, mode, ok: false, truncated: false }, call) };
}

function operationOf({ capability, operation }: ToolCall): string | null {
  return capability === undefined ? null : `${capability}/${operation ?? ""}`;
}
