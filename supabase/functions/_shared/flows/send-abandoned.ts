/** What was approved and left lying: sent where it was not begun, and said to be unknown where nobody can tell. */

import type { Approval } from "../approvals/approval.ts";
import { nextCall } from "../approvals/state.ts";
import { expireApprovals, forgetSealedResults, listAbandoned } from "../approvals/due-store.ts";
import {
  type ApprovalPlace,
  claimAbandoned,
  endCall,
  openAbandoned,
  type OpenedAbandoned,
  stopApproval,
} from "../approvals/store.ts";
import { isStoreUnavailable } from "../db/client.ts";
import { startOf } from "../follow-ups/start.ts";
import type { LogEvent } from "../log/event.ts";
import { clipArgs } from "../log/event.ts";
import { NO_WORK, type Share, type Work } from "../outcome/work.ts";
import { settingsOf } from "../workspaces/settings.ts";
import { startAge } from "./age.ts";
import { fillNext, followUpBefore } from "./approved-chain.ts";
import { callOf } from "./stored-call.ts";
import { eventOfCall, refusedDetail } from "./call-event.ts";
import type { CallMeans } from "./call-tool.ts";
import type { Occasion } from "./occasion.ts";
import { occasionOfTick } from "./renew-stale.ts";
import { renew } from "./renew-approval.ts";
import { sendApproved } from "./send-approved.ts";
import { findShownChange } from "./shown-still.ts";

/** Approvals of one tick: each may wait for another system. */
const MAX_ABANDONED = 50;
/** Approvals that are taken up at once: one slow system holds up no other's. */
const AT_ONCE = 8;
/** Approvals that one statement expires. */
const EXPIRED_AT_ONCE = 500;

/**
 * Takes up approvals whose sender is gone: what was begun is `unknown`, since nobody knows whether it arrived; what was
 * not begun is sent now. Safe to run twice at once: each step is one process's.
 */
export async function sendAbandoned(means: CallMeans, { now, hasTime, report }: Share): Promise<Work> {
  const age = startAge();
  // What comes late in the tick has a lease of its own that is as long as any other's.
  const clock = () => new Date(now.getTime() + age());
  const abandoned = await listAbandoned(means.db, { now, limit: MAX_ABANDONED });
  const work = { ...NO_WORK, claimed: abandoned.length, more: abandoned.length === MAX_ABANDONED };
  const left = [...abandoned];
  const worker = async () => {
    for (;;) {
      const place = hasTime() ? left.shift() : undefined;
      if (place === undefined) return;
      try {
        await takeUp(means, { place, clock });
        work.done++;
      } catch (error) {
        if (isStoreUnavailable(error)) throw error;
        work.failed++;
        report(error, { approval_id: place.id });
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const broken = ended.find((one) => one.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return { ...work, more: work.more || left.length > 0 };
}

async function takeUp(
  means: CallMeans,
  { place, clock }: { place: ApprovalPlace; clock: () => Date },
): Promise<Approval | null> {
  const opened = await openAbandoned(means.db, place);
  if (opened === null || opened.approval.status !== "running") return null;
  const lost = opened.approval.calls.find(({ status }) => status === "running");
  if (lost !== undefined) return await giveUp(means, { opened, n: lost.n, now: clock() });
  const n = nextCall(opened.approval.calls.map(({ status }) => status));
  return n === null ? null : await sendNext(means, { opened, n, clock });
}

/** Records that nobody knows what became of a call that was begun. Its follow-up may find out. */
async function giveUp(
  { db }: CallMeans,
  { opened: { approval, tools }, n, now }: { opened: OpenedAbandoned; n: number; now: Date },
): Promise<Approval> {
  const stored = approval.calls[n]!;
  const args = stored.sent_args ?? stored.args;
  const call = callOf(stored, args);
  const file = tools[stored.connector_id]?.tool.file;
  const occasion = occasionOfTick(approval.id);
  const event: LogEvent = {
    ...eventOfCall({ slug: stored.tool, call, occasion }),
    principal: approval.requested_by as LogEvent["principal"],
    connector_id: stored.connector_id,
    version: stored.version,
    args: clipArgs(args),
    outcome: "internal",
    detail: {
      ...refusedDetail({ slug: stored.tool, kind: file?.kind ?? "request" }, call),
      approval_id: approval.id,
      call: n,
      landing: "unknown",
    },
  };
  const step = await endCall(db, {
    workspaceId: approval.workspace_id,
    id: approval.id,
    n,
    ended: {
      status: "unknown",
      at: now.toISOString(),
      reason: "internal",
      detail: "Whoever was sending this stopped before its end was recorded.",
      lost: true,
      outcome:
        "Whoever was sending this stopped before its end was recorded, so nobody can tell whether it was done. It is not sent again. Look in the other system, then settle it here.",
    },
    resultJson: null,
    event,
    next: null,
    followUp: file?.follow_up === undefined ? null : startOf({
      file,
      n,
      connectorId: stored.connector_id,
      args,
      result: null,
      landed: "unknown",
    }),
  });
  return step.approval!;
}

async function sendNext(
  means: CallMeans,
  { opened, n, clock }: { opened: OpenedAbandoned; n: number; clock: () => Date },
): Promise<Approval> {
  const { approval, tools, decider } = opened;
  const place = { workspaceId: approval.workspace_id, id: approval.id };
  const byAdministrator = decider?.role === "admin";
  const { account_id: accountId } = opened;
  const occasion = occasionOfTick(approval.id);
  const filled = await fillNext(means, {
    claimed: { approval, tools, byAdministrator, accountId },
    n,
    answers: new Map(),
    occasion,
  });
  if (!filled.ok) {
    const { reason, detail = "It is refused." } = filled.refusal;
    const outcome = `Call ${n + 1} of ${approval.calls.length} was not sent: ${detail}`;
    const because = { reason, detail, outcome, follow_up: followUpBefore({ approval, tools, n }) };
    return await stopApproval(means.db, { ...place, n, because, at: clock().toISOString() });
  }
  // As at the decision, which may be long ago.
  const changed = n > 0 ? null : await findShownChange(means, { approval, tools, accountId, occasion });
  if (changed !== null) return await makeWay(means, { opened, because: changed, tools, occasion });
  const sender = crypto.randomUUID();
  const at = clock().toISOString();
  const age = startAge();
  const step = await claimAbandoned(means.db, {
    ...place,
    next: { n, args: filled.value, sender, sends: true },
    at,
  });
  switch (step.changed) {
    case undefined:
      break;
    case "claimed":
    case "decided":
    case "settled":
    case "decider":
      return approval;
    case "tool":
    case "tool_gone":
    case "values":
    case "requester": {
      if (n === 0 && step.changed !== "values") {
        const [because, now] = step.changed === "requester"
          ? ["Whoever asked may not use tools here any more.", null] as const
          : [`${approval.calls[0]!.tool} was changed since this was approved.`, tools] as const;
        return await makeWay(means, { opened, because, tools: now, occasion });
      }
      const because = {
        reason: step.changed === "values"
          ? "secret_missing"
          : step.changed === "requester"
          ? "grant_missing"
          : "tool_changed",
        detail: "What was approved does not hold any more. Nothing was sent.",
        outcome: `Call ${
          n + 1
        } of ${approval.calls.length} was not sent: what was approved does not hold any more.`,
        follow_up: followUpBefore({ approval, tools, n }),
      };
      return await stopApproval(means.db, { ...place, n, because, at });
    }
    default:
      throw new TypeError(step.changed satisfies never);
  }
  return await sendApproved({ ...means, now: clock }, {
    claimed: {
      approval: step.approval!,
      n,
      opened: step.claimed!,
      args: filled.value,
      age,
      tools,
      sender,
      byAdministrator,
      accountId,
    },
    occasion,
  });
}

/** Of an approval of which nothing was begun and which does not hold any more: nothing is sent, and there is a fresh look. */
async function makeWay(
  means: CallMeans,
  { opened: { approval, account_id: accountId, settings }, because, tools, occasion }: {
    opened: OpenedAbandoned;
    because: string;
    tools: OpenedAbandoned["tools"] | null;
    occasion: Occasion;
  },
): Promise<Approval> {
  return await renew(means, {
    approval,
    because,
    tools,
    accountId,
    approvalDays: settingsOf(settings).approval_days,
    occasion,
    ways: means,
  });
}

/** Expires what nobody decided in time. Safe to run twice at once. */
export async function expireWaiting({ db }: Pick<CallMeans, "db">, { now, hasTime }: Share): Promise<Work> {
  const work = { ...NO_WORK };
  for (;;) {
    if (!hasTime()) return { ...work, more: true };
    const expired = await expireApprovals(db, { now, limit: EXPIRED_AT_ONCE });
    work.claimed += expired;
    work.done += expired;
    if (expired < EXPIRED_AT_ONCE) return work;
  }
}

/** Forgets the answers of sensitive calls a day after they came. Safe to run twice at once. */
export async function forgetSealed({ db }: Pick<CallMeans, "db">, { now, hasTime }: Share): Promise<Work> {
  const work = { ...NO_WORK };
  for (;;) {
    if (!hasTime()) return { ...work, more: true };
    const forgotten = await forgetSealedResults(db, { now, limit: EXPIRED_AT_ONCE });
    work.claimed += forgotten;
    work.done += forgotten;
    if (forgotten < EXPIRED_AT_ONCE) return work;
  }
}
