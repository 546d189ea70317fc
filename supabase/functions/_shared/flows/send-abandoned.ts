/** What was approved and left lying: sent where it was not begun, and said to be unknown where nobody can tell. */

import type { Approval } from "../approvals/approval.ts";
import { nextCall } from "../approvals/state.ts";
import {
  expireApprovals,
  forgetSealedResults,
  listAbandoned,
  putOffApproval,
} from "../approvals/due-store.ts";
import {
  type ApprovalPlace,
  claimAbandoned,
  type ClaimStep,
  endCall,
  openAbandoned,
  type OpenedAbandoned,
  type OpenedTool,
  stopApproval,
  type Stopped,
} from "../approvals/store.ts";
import { isStoreUnavailable } from "../db/client.ts";
import type { JsonObject } from "../definition/json.ts";
import { startOf } from "../follow-ups/start.ts";
import type { LogEvent } from "../log/event.ts";
import { clipArgs } from "../log/event.ts";
import type { Reason } from "../outcome/reason.ts";
import { NO_WORK, type Share, type Work } from "../outcome/work.ts";
import { settingsOf } from "../workspaces/settings.ts";
import { startAge } from "./age.ts";
import { fillNext, followUpBefore } from "./approved-chain.ts";
import { callOf } from "./stored-call.ts";
import { eventOfCall, refusedDetail } from "./call-event.ts";
import type { CallMeans } from "./call-tool.ts";
import { findInnerChange } from "./inner-still.ts";
import type { Occasion } from "./occasion.ts";
import { occasionOfTick } from "./renew-stale.ts";
import { renew, type Renewal } from "./renew-approval.ts";
import { whyNotApprovedBy } from "./right-to-decide.ts";
import { sendApproved } from "./send-approved.ts";
import { findShownChange } from "./shown-still.ts";

/** Approvals of one tick: each may wait for another system. */
const MAX_ABANDONED = 50;
/** Approvals that are taken up at once: one slow system holds up no other's. */
const AT_ONCE = 8;
/** Approvals that one statement expires. */
const EXPIRED_AT_ONCE = 500;
/** How often something may break while an approval is taken up: the last time is some two hours after the first. */
const MOST_TRIES = 8;

/**
 * Takes up approvals whose sender is gone: what was begun is `unknown`, since nobody knows whether it arrived; what was
 * not begun is sent now. Safe to run twice at once: each step is one process's.
 *
 * What breaks is tried again later and later, behind what is due then, and in the end `failed` where nothing of it is under
 * way. A store that is away breaks the job, and counts against no approval.
 */
export async function sendAbandoned(means: CallMeans, { now, hasTime, report }: Share): Promise<Work> {
  const age = startAge();
  // What comes late in the tick has a lease of its own that is as long as any other's.
  const clock = () => new Date(now.getTime() + age());
  const abandoned = await listAbandoned(means.db, { now, limit: MAX_ABANDONED });
  const work = { ...NO_WORK, claimed: abandoned.length, more: abandoned.length === MAX_ABANDONED };
  const left = [...abandoned];
  /** Does `step`, and tells whether it broke. */
  const breaks = async (step: () => Promise<unknown>, { id }: ApprovalPlace): Promise<boolean> => {
    try {
      await step();
      return false;
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      report(error, { approval_id: id });
      return true;
    }
  };
  const worker = async () => {
    for (;;) {
      const place = hasTime() ? left.shift() : undefined;
      if (place === undefined) return;
      let opened: OpenedAbandoned | null = null;
      const isBroken = await breaks(async () => {
        opened = await openAbandoned(means.db, place);
        if (opened !== null) await takeUp(means, { opened, clock });
      }, place);
      if (isBroken) await breaks(() => putOff(means, { place, opened, at: clock().toISOString() }), place);
      work[isBroken ? "failed" : "done"]++;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const broken = ended.find((one) => one.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return { ...work, more: work.more || left.length > 0 };
}

async function putOff(
  { db }: CallMeans,
  { place, opened, at }: { place: ApprovalPlace; opened: OpenedAbandoned | null; at: string },
): Promise<void> {
  const because = stoppedAt({
    opened,
    n: opened === null ? 0 : nextCallOf(opened) ?? 0,
    reason: "internal",
    detail:
      `Something broke here in each of ${MOST_TRIES} tries, before anything of it left. It is not tried again.`,
    hint: "Tell whoever runs Framed, who finds it in the errors of the tick. Then it can be proposed again.",
  });
  await putOffApproval(db, { ...place, because, mostTries: MOST_TRIES, at });
}

async function takeUp(
  means: CallMeans,
  { opened, clock }: { opened: OpenedAbandoned; clock: () => Date },
): Promise<void> {
  if (opened.approval.status !== "running") return;
  const lost = opened.approval.calls.find(({ status }) => status === "running");
  if (lost !== undefined) return await giveUp(means, { opened, n: lost.n, now: clock() });
  const n = nextCallOf(opened);
  if (n !== null) await sendNext(means, { opened, n, clock, occasion: occasionOfTick(opened.approval.id) });
}

function nextCallOf({ approval: { calls } }: OpenedAbandoned): number | null {
  return nextCall(calls.map(({ status }) => status));
}

/**
 * The tools with their files as they were approved: what becomes of a write is never said by a definition nobody approved
 * it under. Without those of which that file is gone.
 */
function toolsAsApproved(
  { approval: { calls }, tools, approved_files: files }: OpenedAbandoned,
): Record<string, OpenedTool> {
  const approved: Record<string, OpenedTool> = {};
  for (const { connector_id: id, version } of calls) {
    const opened = tools[id];
    if (opened === undefined) continue;
    const file = opened.tool.version === version ? opened.tool.file : files[id];
    if (file !== undefined) approved[id] = { ...opened, tool: { ...opened.tool, file } };
  }
  return approved;
}

/** Records that nobody knows what became of a call that was begun. Its follow-up may find out. */
async function giveUp(
  { db }: CallMeans,
  { opened, n, now }: { opened: OpenedAbandoned; n: number; now: Date },
): Promise<void> {
  const { approval } = opened;
  const stored = approval.calls[n]!;
  const args = stored.sent_args ?? stored.args;
  const call = callOf(stored, args);
  const file = toolsAsApproved(opened)[stored.connector_id]?.tool.file;
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
  await endCall(db, {
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
}

/** An approval that is taken up, and the call of it that is next. */
interface Taken {
  readonly opened: OpenedAbandoned;
  readonly n: number;
  readonly clock: () => Date;
  readonly occasion: Occasion;
}

async function sendNext(means: CallMeans, taken: Taken): Promise<void> {
  const { opened, n, clock, occasion } = taken;
  const { approval, decider, account_id: accountId } = opened;
  const place = { workspaceId: approval.workspace_id, id: approval.id };
  const byAdministrator = decider?.role === "admin";
  const tools = toolsAsApproved(opened);
  // Before anything is read for it, and once more with the claim.
  const over = n === 0 ? isExpired(approval, clock()) ? "expired" : null : findLostTerm(opened, n);
  if (over !== null) return await endUnclaimed(means, { ...taken, changed: over });
  const changed = n === 0 ? await findChange(means, taken) : null;
  if (changed !== null) return await makeWay(means, taken, changed);
  const filled = await fillNext(means, {
    claimed: { approval, tools, byAdministrator, accountId },
    n,
    answers: new Map(),
    occasion,
  });
  if (!filled.ok) {
    const { reason, detail = "It is refused." } = filled.refusal;
    return await stop(means, taken, { reason, detail });
  }
  const sender = crypto.randomUUID();
  const age = startAge();
  const step = await claimAbandoned(means.db, {
    ...place,
    next: { n, args: filled.value, sender, sends: true },
    at: clock().toISOString(),
  });
  if (step.changed !== undefined) return await endUnclaimed(means, { ...taken, changed: step.changed });
  await sendApproved({ ...means, now: clock }, {
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

function isExpired({ expires_at }: Approval, now: Date): boolean {
  return Date.parse(expires_at) <= now.getTime();
}

const REQUESTER_GONE = "Whoever asked may not use tools here any more.";

/** What of the terms of call `n` holds no more, as its claim would find it. */
function findLostTerm(
  { approval, tools, requester_stands: stands }: OpenedAbandoned,
  n: number,
): "requester" | "tool" | null {
  if (!stands) return "requester";
  const { connector_id: id, version } = approval.calls[n]!;
  return tools[id]?.tool.version === version ? null : "tool";
}

type Change = Pick<Renewal, "because" | "tools" | "known">;

/** Why nothing of what was approved is begun, held against everything as at the decision, which may be long ago. */
async function findChange(means: CallMeans, { opened, occasion }: Taken): Promise<Change | null> {
  const { approval, tools, account_id: accountId } = opened;
  if (!opened.requester_stands) return { because: REQUESTER_GONE, tools: null };
  const decider = findLostDecider(opened);
  if (decider !== null) return { because: decider, tools };
  for (const { connector_id: id, version, tool } of approval.calls) {
    const now = tools[id]?.tool;
    if (now === undefined) return { because: `${tool} was removed.`, tools: null };
    if (now.version !== version) return { because: `${tool} was changed since this was approved.`, tools };
  }
  // A server that cannot be asked is asked once more by the call itself, which then says why it was not sent.
  const inner = await findInnerChange(means, { approval, tools, occasion });
  if (inner.ok && inner.value !== null) return inner.value;
  const shown = await findShownChange(means, { approval, tools, accountId, occasion });
  return shown === null ? null : { because: shown, tools };
}

/** Why whoever approved it may not approve it now; null where they may. */
function findLostDecider({ approval, decider, account_id, settings }: OpenedAbandoned): string | null {
  const by = approval.decided_by;
  if (by === null || decider === null) return DECIDER_GONE;
  const why = whyNotApprovedBy({
    kind: "session",
    id: by.id,
    name: by.name,
    user_id: by.id,
    account_id,
    workspace: { id: approval.workspace_id, account_id, settings, ...decider },
  }, approval);
  switch (why) {
    case null:
      return null;
    case "admin_required":
      return "Whoever approved this is no administrator any more, and it needs one.";
    case "own_request":
      return "Whoever approved this had asked for it, and nobody approves here any more what they asked for themselves.";
    default:
      return DECIDER_GONE;
  }
}

const DECIDER_GONE = "Whoever approved this may not decide here any more.";

/** What becomes of an approval whose next call is not claimed. */
async function endUnclaimed(
  means: CallMeans,
  { changed, ...taken }: Taken & { changed: NonNullable<ClaimStep["changed"]> },
): Promise<void> {
  const { opened: { approval, tools }, n } = taken;
  const first = approval.calls[0]!.tool;
  switch (changed) {
    case "claimed":
      return;
    case "expired":
      return await stop(means, taken, {
        reason: "approval_expired",
        detail: `It was approved and could not be sent before it expired at ${approval.expires_at}.`,
        hint: "Whoever asked can propose it again.",
      });
    case "values":
      return await stop(means, taken, {
        reason: "secret_missing",
        detail: "A value that its tool needs is not there any more.",
      });
    case "decider":
      return await makeWay(means, taken, { because: DECIDER_GONE, tools });
    case "requester":
      return n === 0
        ? await makeWay(means, taken, { because: REQUESTER_GONE, tools: null })
        : await stop(means, taken, { reason: "grant_missing", detail: REQUESTER_GONE });
    case "tool":
    case "tool_gone":
      return n === 0
        ? await makeWay(means, taken, { because: `${first} was changed since this was approved.`, tools })
        : await stop(means, taken, {
          reason: "tool_changed",
          detail: "Its tool was changed or removed since this was approved.",
        });
    default:
      throw new TypeError(changed satisfies never);
  }
}

/** Why a call is not sent, and what to do, in words. */
interface WhyUnsent {
  readonly reason: Reason;
  readonly detail: string;
  readonly hint?: string;
}

async function stop(
  { db }: CallMeans,
  { opened, n, clock }: Taken,
  why: WhyUnsent,
): Promise<void> {
  const { approval: { workspace_id: workspaceId, id } } = opened;
  const because = stoppedAt({ ...why, opened, n });
  await stopApproval(db, { workspaceId, id, n, because, at: clock().toISOString() });
}

function stoppedAt(
  { opened, n, reason, detail, hint }: WhyUnsent & { opened: OpenedAbandoned | null; n: number },
): Stopped {
  const unsent = detail.includes("Nothing was sent.") ? detail : `${detail} Nothing was sent.`;
  const count = opened?.approval.calls.length ?? 1;
  const outcome = n === 0 ? unsent : `Call ${n + 1} of ${count} was not sent: ${detail}`;
  return {
    reason,
    detail: unsent,
    outcome: hint === undefined ? outcome : `${outcome} ${hint}`,
    follow_up: opened === null || n === 0 ? null : followUpSoFar(opened, n),
  };
}

/** The follow-up of what landed before call `n`. What cannot be made out keeps nothing from its end. */
function followUpSoFar(opened: OpenedAbandoned, n: number): JsonObject | null {
  try {
    return followUpBefore({ approval: opened.approval, tools: toolsAsApproved(opened), n });
  } catch {
    return null;
  }
}

/** Of an approval of which nothing was begun and which does not hold any more: nothing is sent, and there is a fresh look. */
async function makeWay(
  means: CallMeans,
  { opened: { approval, account_id: accountId, settings }, occasion }: Taken,
  change: Change,
): Promise<void> {
  await renew(means, {
    approval,
    ...change,
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
