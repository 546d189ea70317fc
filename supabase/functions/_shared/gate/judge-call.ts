/**
 * What one call comes to, decided in one place and in one order, before any fixture, client or HTTP. Pure. The server
 * answers by it, and the view of a host shows what it says.
 */

import { checkCall, prepareCall, type ToolCall } from "../definition/call.ts";
import type { FramedTool } from "../definition/format.ts";
import type { PreparedRequest } from "../definition/request.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { decideCapability } from "./capability.ts";
import { decideEffect, type Effect, type EffectQuestion } from "./effect.ts";

/** A call that is not refused: whether it runs or waits, and the request it makes. */
export interface JudgedCall {
  readonly effect: Exclude<Effect, { readonly does: "refused" }>;
  /** Null for a kind that makes no request of its own. */
  readonly request: PreparedRequest | null;
}

/**
 * Decides, in this order: the capability and operation (a write is denied even if someone sends it), the arguments,
 * whether they fit the request, then whether the call runs, waits for a person or is refused.
 */
export function judgeCall(question: EffectQuestion): Result<JudgedCall> {
  const { tool, call } = question;
  const declared = decideCapability(tool, call);
  if (!declared.ok) return declared;
  const request = prepare(tool, call);
  if (!request.ok) return request;
  const effect = decideEffect(question);
  if (effect.does === "refused") return refuse(effect.reason, { detail: effect.detail });
  return ok({ effect, request: request.value });
}

function prepare(tool: FramedTool, call: ToolCall): Result<PreparedRequest | null> {
  if (tool.kind === "request") return prepareCall(tool, call);
  const checked = checkCall(tool, call);
  return checked.ok ? ok(null) : checked;
}
