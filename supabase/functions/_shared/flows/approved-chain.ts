/** What comes after one call of what was approved: the next one with its values, or the end of the whole. */

import type { Approval } from "../approvals/approval.ts";
import { fillLate } from "../approvals/chain.ts";
import { nextCall } from "../approvals/state.ts";
import type { Ended, Next, OpenedTool } from "../approvals/store.ts";
import { decideCall } from "../connectors.ts";
import type { ToolCall } from "../definition/call.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { startOf } from "../follow-ups/start.ts";
import type { InnerTool } from "../gate/effect.ts";
import type { JudgedCall } from "../gate/judge-call.ts";
import { ok, type Refusal, refuse, type Result } from "../outcome/result.ts";
import { openAnswer } from "./approved-answer.ts";
import type { CallMeans } from "./call-tool.ts";
import type { Age } from "./age.ts";
import type { Occasion } from "./occasion.ts";
import { holdPreview } from "./preview.ts";
import { reportBroken } from "./report-broken.ts";
import { askerOfApproval } from "./asker.ts";
import { callOf } from "./stored-call.ts";

/** No call is begun in a request that is this old, in milliseconds: its answer is due within a minute. */
const BEGUN_WITHIN_MS = 25_000;

/** Whether a call may still be begun in this request; the tick begins it where it may not. */
export function mayBegin({ elapsedMs }: Occasion): boolean {
  return elapsedMs() < BEGUN_WITHIN_MS;
}

/** An approval of which a call was just claimed. */
export interface Claimed {
  readonly approval: Approval;
  /** The call that is claimed, with its tool as it was at that step. */
  readonly n: number;
  readonly opened: OpenedTool;
  /** Its arguments, filled from earlier calls. */
  readonly args: JsonObject;
  /** Since the claim was asked for: its lease began no earlier. */
  readonly age: Age;
  /** The tools of all its calls, by id, as they were looked at. */
  readonly tools: Readonly<Record<string, OpenedTool>>;
  /** The process that sends it. */
  readonly sender: string;
  /** Whether who decided may decide what needs an administrator. */
  readonly byAdministrator: boolean;
  /** Of the workspace. */
  readonly accountId: string | null;
}

/** How a call ended, but for how the whole did. */
export type EndedCall = Omit<Ended, "outcome">;

/**
 * What of a chain comes after a call: the next one, claimed with its record, or the end. The follow-up is of the end, which
 * comes all the same where the next one turns out not to be claimable.
 *
 * Whatever breaks while the next one is looked at changes nothing of what became of this one, which only this process knows.
 */
export async function prepareNext(
  means: CallMeans,
  { claimed, ended, answers, occasion }: {
    claimed: Claimed;
    ended: EndedCall;
    answers: Map<number, JsonValue>;
    occasion: Occasion;
  },
): Promise<{ ended: Ended; next: Next | null; followUp: JsonObject | null }> {
  const { approval, n, sender } = claimed;
  const statuses = approval.calls.map(({ status }, at) => at === n ? ended.status : status);
  const following = nextCall(statuses);
  const next = following === null
    ? null
    : await lookAhead(means, { claimed, n: following, answers, occasion });
  const followUp = followUpOf({ claimed, ended, answers });
  if (next !== null && next.ok) {
    const filled = next.value;
    return {
      ended: { ...ended, outcome: unlessNext(claimed) },
      next: {
        n: following!,
        args: filled ?? approval.calls[following!]!.args,
        sender,
        sends: filled !== null,
      },
      followUp,
    };
  }
  const skipped = next === null ? undefined : next.refusal;
  return {
    ended: {
      ...ended,
      outcome: outcomeText({ approval, n, ended, skipped }),
      ...(skipped === undefined ? {} : { skipped: { reason: skipped.reason, detail: inWords(skipped) } }),
    },
    next: null,
    followUp,
  };
}

/** `fillNext` of the next call; null where that is left to the tick, for want of time or of the store. */
async function lookAhead(
  means: CallMeans,
  { claimed, n, answers, occasion }: {
    claimed: Claimed;
    n: number;
    answers: Map<number, JsonValue>;
    occasion: Occasion;
  },
): Promise<Result<JsonObject | null>> {
  if (!mayBegin(occasion)) return ok(null);
  try {
    const filled = await fillNext(means, { claimed, n, answers, occasion });
    return filled.ok && !mayBegin(occasion) ? ok(null) : filled;
  } catch (error) {
    const reason = reportBroken(error, { requestId: occasion.requestId, approvalId: claimed.approval.id, n });
    if (reason === "store_unavailable") return ok(null);
    return refuse(reason, {
      detail:
        "Something broke on our side while it was looked at right before sending; the cause is in our log. Nothing of it was sent.",
    });
  }
}

/** The arguments of call `n` with the values of earlier answers, held against its file and rules again. */
export async function fillNext(
  means: CallMeans,
  { claimed: { approval, tools, byAdministrator, accountId }, n, answers, occasion }: {
    claimed: Pick<Claimed, "approval" | "tools" | "byAdministrator" | "accountId">;
    n: number;
    answers: Map<number, JsonValue>;
    occasion: Occasion;
  },
): Promise<Result<JsonObject>> {
  const stored = approval.calls[n]!;
  const opened = tools[stored.connector_id];
  if (opened === undefined) {
    return refuse("tool_changed", { detail: `${stored.tool} is gone. Nothing was sent.` });
  }
  const { tool } = opened;
  if (stored.from_calls.length === 0 && n === 0) return ok(stored.args);
  if (stored.from_calls.length === 0) {
    // What was shown beside the first call was looked at again by whoever lets it go; time has passed since.
    const asker = askerOfApproval(approval, accountId);
    const holds = await holdPreview(means, { tool, stored, asker, occasion });
    return holds.ok ? ok(stored.args) : holds;
  }
  for (const { call } of stored.from_calls) {
    if (answers.has(call)) continue;
    const result = await openAnswer(means, { approval, n: call });
    if (result !== null) answers.set(call, result);
  }
  const filled = fillLate(stored.args, answers);
  if (!filled.ok) return filled;
  const judged = judgeAgain({ tool, call: callOf(stored, filled.value), byAdministrator });
  return judged.ok ? ok(filled.value) : judged;
}

/** What the gate says right before sending. Values that came late may need another person than who decided. */
export function judgeAgain(
  { tool, call, byAdministrator }: Pick<Claimed, "byAdministrator"> & {
    tool: OpenedTool["tool"];
    call: ToolCall;
  },
  inner?: InnerTool,
): Result<JudgedCall> {
  const decided = decideCall({ tool, call, caller: "person", ...(inner === undefined ? {} : { inner }) });
  if (!decided.ok) return decided;
  const { effect } = decided.value;
  if (effect.does === "waits" && effect.needs === "admin" && !byAdministrator) {
    return refuse("admin_required", {
      detail:
        "This call needs an administrator: by the values that came from earlier calls, or because whoever approved it is none now. It was not sent.",
    });
  }
  return ok(decided.value);
}

/** The follow-up of what landed before call `n`, which cannot be sent any more. */
export function followUpBefore(
  { approval, tools, n }: Pick<Claimed, "approval" | "tools" | "n">,
): JsonObject | null {
  const claimed = { approval, tools, n, args: {} };
  return followUpOf({ claimed, ended: { status: "failed" }, answers: new Map() });
}

/**
 * The follow-up of the whole: of the last call that landed and whose tool asks for one, also where a later one did not; of a
 * call that nobody can tell the end of its own, and no earlier call's, which would settle what it knows nothing of.
 */
function followUpOf(
  { claimed: { approval, n, tools, args }, ended: { status }, answers }: {
    claimed: Pick<Claimed, "approval" | "n" | "tools" | "args">;
    ended: Pick<EndedCall, "status">;
    answers: Map<number, JsonValue>;
  },
): JsonObject | null {
  const sent = approval.calls.slice(0, status === "failed" ? n : n + 1);
  const asking = sent.findLast(({ connector_id }) => tools[connector_id]?.tool.file.follow_up !== undefined);
  if (asking === undefined || (status === "unknown" && asking.n !== n)) return null;
  return startOf({
    file: tools[asking.connector_id]!.tool.file,
    n: asking.n,
    connectorId: asking.connector_id,
    args: asking.n === n ? args : asking.sent_args ?? asking.args,
    result: asking.n === n && status === "unknown" ? null : answers.get(asking.n) ?? asking.result,
    landed: asking.n === n && status === "unknown" ? "unknown" : "applied",
  });
}

/** Said only where the next call cannot be claimed: what was approved changed meanwhile, or all of it was given up. */
function unlessNext({ approval: { calls }, n }: Claimed): string {
  return `Call ${n + 1} of ${calls.length} was sent and taken. Nothing after it was sent.`;
}

/** For people, who count from one. */
function outcomeText(
  { approval: { calls }, n, ended: { status, detail }, skipped }: {
    approval: Approval;
    n: number;
    ended: EndedCall;
    skipped: Refusal | undefined;
  },
): string {
  const which = calls.length === 1 ? "The call" : `Call ${n + 1} of ${calls.length}`;
  const rest = n + 1 < calls.length ? " Nothing after it was sent." : "";
  if (skipped !== undefined) {
    return `Call ${n + 2} of ${calls.length} was not sent: ${inWords(skipped)} Nothing after it was sent.`;
  }
  switch (status) {
    case "applied":
      return calls.length === 1
        ? "The call was sent and taken."
        : `All ${calls.length} calls were sent and taken.`;
    case "failed":
      return `${which} failed: ${detail ?? "the other system did not take it."}${rest}`;
    case "unknown":
      return `Nobody can tell whether ${which.toLowerCase()} was done: ${
        detail ?? "no complete answer came."
      } It is not sent again. Look in the other system, then settle it here.${rest}`;
    default:
      throw new TypeError(status satisfies never);
  }
}

function inWords({ detail, problems = [] }: Refusal): string {
  return [detail ?? "it is refused.", ...problems].join(" ");
}
