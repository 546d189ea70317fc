/** What is to be followed up after a write, filled in from the call as it went out and what it was answered. Pure. */

import { findObstacle } from "../definition/arguments/limits.ts";
import { fillValue, type WhyUnfilled } from "../definition/fill.ts";
import type { FramedTool } from "../definition/format.ts";
import { ALARM_AFTER_DAYS, STOP_AFTER_DAYS } from "../definition/format-after.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import { ok, type Result } from "../outcome/result.ts";

/** A call that went out, and may have landed. */
export interface WrittenCall {
  readonly file: FramedTool;
  /** Its place in the approval, from 0. */
  readonly n: number;
  readonly connectorId: string;
  /** As they went out; of an mcp tool with the inner ones in them. */
  readonly args: JsonObject;
  /** What left of its answer; null where there is none. */
  readonly result: JsonValue | null;
  readonly landed: "applied" | "unknown";
}

/** Why a call is not followed up: its tool does not ask for it, or what it asks for cannot be filled in. */
export type WhyNot = "not_asked" | WhyUnfilled | "too_long" | "not_storable";

/** Of what is filled in, as compact JSON: what the arguments of a call may hold. */
const MAX_BYTES = 64 * 1024;
/** Of lists and objects in it. */
const MAX_LEVELS = 64;
/** Characters of what people are told. */
const MAX_SHOWN = 500;

/**
 * What `framed.start_follow_up` takes for this call, or why it is not followed up: there is never a check with a hole in it.
 *
 * `{{args.…}}` and `{{result.…}}` are filled once, a text that is nothing but one keeps the type of what it found. Of a call
 * whose tool is sensitive, or of which nobody knows what became, there is no answer: every `{{result.…}}` finds nothing.
 */
export function fillFollowUp(call: WrittenCall): Result<JsonObject, WhyNot> {
  const asked = call.file.follow_up;
  if (asked === undefined) return { ok: false, refusal: "not_asked" };
  const { check, done_when, alarm_after_days, stop_after_days } = asked;
  const sources = sourcesOf(call);
  const told = fillValue([asked.what, asked.until], sources, { refuseLeaky: true, scalarsOnly: true });
  const asks: JsonValue = [check.args as JsonObject, done_when as JsonObject];
  const looked = fillValue(asks, sources, { refuseLeaky: true });
  if (!told.ok) return { ok: false, refusal: told.refusal[0]!.why };
  if (!looked.ok) return { ok: false, refusal: looked.refusal[0]!.why };
  if (hasHole(asks, looked.value)) return { ok: false, refusal: "found_nothing" };
  const unfit = findUnfit([told.value, looked.value]);
  if (unfit !== null) return { ok: false, refusal: unfit };
  const [what, until] = told.value as JsonValue[];
  const [checkArgs, doneWhen] = looked.value as JsonValue[];
  return ok({
    call: call.n,
    connector_id: call.connectorId,
    tool: call.file.slug,
    what: clip(String(what)),
    until: clip(String(until)),
    check_tool: check.tool,
    check_args: checkArgs!,
    done_when: doneWhen!,
    alarm_after_days: alarm_after_days ?? ALARM_AFTER_DAYS,
    stop_after_days: stop_after_days ?? STOP_AFTER_DAYS,
  });
}

/** What `framed.start_follow_up` takes for this call; null where it is not followed up. */
export function startOf(call: WrittenCall): JsonObject | null {
  const filled = fillFollowUp(call);
  return filled.ok ? filled.value : null;
}

/** What the placeholders stand for. */
function sourcesOf({ file, args, result, landed }: WrittenCall): { args: JsonValue; result: JsonValue } {
  const hasAnswer = landed === "applied" && file.access !== "sensitive";
  return { args: file.kind === "mcp" ? args.arguments ?? {} : args, result: hasAnswer ? result : null };
}

/** Whether a placeholder became `null`: there is a value, and nothing in it that could be looked for. */
function hasHole(template: JsonValue, filled: JsonValue): boolean {
  if (typeof template === "string") return filled === null;
  if (typeof template !== "object" || template === null) return false;
  return Object.entries(template).some(([key, member]) => hasHole(member, (filled as JsonObject)[key]!));
}

/** What of the whole the store would not take: what records the write must not break on what follows it. */
function findUnfit(filled: JsonValue): "too_long" | "not_storable" | null {
  const obstacle = findObstacle(filled, { maxBytes: MAX_BYTES, maxLevels: MAX_LEVELS });
  if (obstacle?.kind === "bytes" || obstacle?.kind === "levels") return "too_long";
  if (obstacle !== null) return "not_storable";
  for (const text of textsIn(filled)) {
    if (text.includes("\0") || !text.isWellFormed()) return "not_storable";
  }
  return null;
}

function* textsIn(value: JsonValue): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) { for (const element of value) yield* textsIn(element); }
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      yield key;
      yield* textsIn(member);
    }
  }
}

function clip(text: string): string {
  const points = [...text];
  return points.length <= MAX_SHOWN ? text : `${points.slice(0, MAX_SHOWN - 1).join("")}…`;
}
