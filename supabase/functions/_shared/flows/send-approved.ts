/** Sends what was approved: each call once, in order, and records what became of it before anything else happens. */

import type { Approval } from "../approvals/approval.ts";
import { endCall, type Ended, type Step } from "../approvals/store.ts";
import { executeDeclaredCapability } from "../connectors.ts";
import { isStoreUnavailable } from "../db/client.ts";
import type { ToolCall } from "../definition/call.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import { endUnsent, type Executed } from "../kinds/kind.ts";
import { clipArgs, type LogEvent } from "../log/event.ts";
import type { Refusal } from "../outcome/result.ts";
import { leavingOf } from "../results/leaving.ts";
import { SealBroken } from "../secrets/envelope.ts";
import { type Age, startAge } from "./age.ts";
import { keepAnswer } from "./approved-answer.ts";
import { innerBeforeSending } from "./approved-inner.ts";
import { type Claimed, judgeAgain, prepareNext } from "./approved-chain.ts";
import { callOf } from "./stored-call.ts";
import { answeredDetail, eventOfCall, refusedDetail } from "./call-event.ts";
import type { CallMeans } from "./call-tool.ts";
import { meterEgress } from "./meter.ts";
import type { Occasion } from "./occasion.ts";
import { reportBroken } from "./report-broken.ts";

/** All one approved call may take, in milliseconds. */
const CALL_TIMEOUT_MS = 30_000;
/** A claimed call that could not be begun within this many milliseconds is not begun: its lease has to outlast it. */
const BEGIN_WITHIN_MS = 15_000;
/**
 * The last milliseconds after its claim at which a call may leave: no call that is begun in time is refused by that, and the
 * clocks of two machines may differ by the 15 s that are left of the lease.
 */
const LEAVES_WITHIN_MS = BEGIN_WITHIN_MS + CALL_TIMEOUT_MS;
/** How long after the claim what became of a call is still tried to be recorded, where the store is away. */
const RECORD_WITHIN_MS = 50_000;
/** Between two tries to record it. */
const RECORD_AGAIN_AFTER_MS = 500;

/**
 * Sends the claimed call and those behind it, until one does not land or there is no time left for another, which the
 * tick sends then. Returns the approval as it stands after that.
 *
 * What was claimed is sent once or not at all: nothing here tries a send again, nothing leaves once the lease may be over,
 * and what is not recorded when this process dies becomes `unknown` then.
 */
export async function sendApproved(
  means: CallMeans,
  { claimed, occasion }: { claimed: Claimed; occasion: Occasion },
): Promise<Approval> {
  const answers = answersSoFar(claimed.approval);
  let current = claimed;
  for (;;) {
    const sent = await sendOne(means, { claimed: current, occasion });
    if (sent.answer !== null) answers.set(current.n, sent.answer);
    const follows = await prepareNext(means, {
      claimed: current,
      ended: sent.ended,
      answers,
      occasion,
    });
    const step = await untilRecorded(() =>
      endCall(means.db, {
        workspaceId: current.approval.workspace_id,
        id: current.approval.id,
        n: current.n,
        ended: follows.ended,
        resultJson: sent.resultJson,
        event: sent.event,
        next: follows.next,
        followUp: follows.followUp,
      }), current.age);
    if (!step.claimed || follows.next === null) return step.approval!;
    current = {
      ...current,
      approval: step.approval!,
      n: follows.next.n,
      opened: step.claimed,
      args: follows.next.args,
      age: sent.endedAge,
    };
  }
}

/** Nobody else knows what became of the call: a store that is away for a moment is waited for. */
async function untilRecorded(record: () => Promise<Step>, age: Age): Promise<Step> {
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (!isStoreUnavailable(error) || age() > RECORD_WITHIN_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_AFTER_MS));
    }
  }
}

/**
 * What the calls before have answered. The store tells it with the first claim only: after each call it would be told again,
 * megabytes of it. A sensitive answer goes nowhere.
 */
function answersSoFar({ calls }: Approval): Map<number, JsonValue> {
  const answered = calls.filter(({ status, result_id, sealed_result, access }) =>
    status === "applied" && result_id !== null && sealed_result === null && access !== "sensitive"
  );
  return new Map(answered.map(({ n, result }) => [n, result]));
}

/** One call that went out, or did not. */
interface Sent {
  readonly ended: Omit<Ended, "outcome">;
  /** What leaves of its answer; null where there is none. */
  readonly answer: JsonValue | null;
  readonly resultJson: string | null;
  readonly event: LogEvent;
  /** Since `ended.at`, from which the lease of the next call counts. */
  readonly endedAge: Age;
}

async function sendOne(
  means: CallMeans,
  { claimed, occasion }: { claimed: Claimed; occasion: Occasion },
): Promise<Sent> {
  const { approval, n, opened: { tool }, age } = claimed;
  const stored = approval.calls[n]!;
  const call: ToolCall = callOf(stored, claimed.args);
  const way = meterEgress(means.egress, {
    workspaceId: approval.workspace_id,
    mayLeave: () => age() > LEAVES_WITHIN_MS ? TOO_LATE : null,
  });
  let { args } = call;
  try {
    const executed = age() > BEGIN_WITHIN_MS
      ? endUnsent({ ok: false, refusal: TOO_LATE })
      : await executeOrNot({ ...means, egress: way.egress }, {
        claimed,
        call,
        occasion,
        onArgs: (redacted) => args = redacted,
      });
    const endedAge = startAge();
    const endedAt = means.now();
    const { landing, answered } = executed;
    const answer = answered.ok ? leavingOf(tool.file, { call, answer: answered.value.value }) : null;
    const audited = answered.ok
      ? answeredDetail(tool, { call, answersWith: answered.value.answersWith, leaving: answer! })
      : refusedDetail(tool, call);
    const kept = await keepAnswer(means, { claimed, json: answer?.json ?? null, endedAt, occasion });
    return {
      ended: {
        status: landing,
        at: endedAt.toISOString(),
        reason: answered.ok ? null : answered.refusal.reason,
        detail: answered.ok ? null : answered.refusal.detail ?? null,
        ...kept.ended,
      },
      answer: answer?.result ?? null,
      resultJson: kept.resultJson,
      event: {
        ...eventOfCall({ slug: tool.slug, call, occasion }),
        principal: approval.requested_by as LogEvent["principal"],
        connector_id: tool.id,
        version: tool.version,
        args: clipArgs(args),
        outcome: answered.ok ? "ok" : answered.refusal.reason,
        detail: { ...audited, approval_id: approval.id, call: n, landing },
        ...way.measured(),
      },
      endedAge,
    };
  } finally {
    way.end();
  }
}

const TOO_LATE: Refusal = {
  reason: "store_unavailable",
  detail:
    "The call was not begun in time: whoever was to send it stood still, or claiming it took too long. Nothing was sent.",
};

interface Execution {
  readonly claimed: Claimed;
  readonly call: ToolCall;
  readonly occasion: Occasion;
  readonly onArgs: (args: JsonObject) => void;
}

/** Executes the call. What breaks before it was handed to the way out has failed; after that nobody could tell. */
async function executeOrNot(means: CallMeans, execution: Execution): Promise<Executed> {
  const { claimed: { approval, n }, occasion: { requestId } } = execution;
  let isHandedOut = false;
  const egress: Egress = {
    ...means.egress,
    send(request, options) {
      // Of all that is asked for one call, an outside server's list too, only itself goes over a connection of its own.
      isHandedOut ||= options.fresh === true;
      return means.egress.send(request, options);
    },
  };
  try {
    return await execute({ ...means, egress }, execution);
  } catch (error) {
    if (isHandedOut) throw error;
    const reason = reportBroken(error, { requestId, approvalId: approval.id, n });
    return endUnsent({ ok: false, refusal: { reason, detail: inWords(error) } });
  }
}

function inWords(error: unknown): string {
  if (error instanceof SealBroken) {
    return "A value that the tool uses cannot be opened with the keys of this stack. Nothing was sent. An administrator pastes it anew on the tool under Connections; where that is refused, the operator finds the cause in the log.";
  }
  return isStoreUnavailable(error)
    ? "The store could not be asked right before sending. Nothing was sent. Whoever asked can propose it again."
    : "Something broke on our side right before sending; the cause is in our log. Nothing was sent. Whoever asked can propose it again.";
}

/** Judges the call once more, by the definition it was claimed with, and executes it. */
async function execute(
  means: CallMeans,
  { claimed, call, occasion, onArgs }: Execution,
): Promise<Executed> {
  const { approval, n, opened: { tool, sealed }, byAdministrator } = claimed;
  const startedMs = occasion.elapsedMs();
  const timeLeftMs = () => Math.max(1, CALL_TIMEOUT_MS - (occasion.elapsedMs() - startedMs));
  const stored = approval.calls[n]!;
  const asked = await innerBeforeSending(means, { tool, sealed, call, stored, timeLeftMs });
  if (!asked.ok) return endUnsent(asked);
  const decided = judgeAgain({ tool, call, byAdministrator }, asked.value.inner);
  if (!decided.ok) return endUnsent(decided);
  return await executeDeclaredCapability({
    ...asked.value,
    tool,
    call,
    caller: "person",
    decided: decided.value,
    sealed,
    keyRing: means.keyRing,
    egress: means.egress,
    timeLeftMs,
    now: means.now,
    approved: { idempotencyKey: `${approval.id}.${n}` },
    onOpened: ({ redact }) => onArgs(redact.json(call.args) as JsonObject),
  });
}
