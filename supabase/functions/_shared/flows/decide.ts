/** A person decides what waits: held against everything as it is now, decided once, and what is approved sent with that. */

import type { Approval } from "../approvals/approval.ts";
import {
  beginApproval,
  LEASE_SECONDS,
  openDecision,
  type OpenedDecision,
  type Step,
} from "../approvals/store.ts";
import { actorOf, type Presented, type PrincipalHere } from "../auth/principal.ts";
import { requireValues } from "../connectors.ts";
import type { Limits } from "../limits/limits.ts";
import { clipArgs, type LogEvent } from "../log/event.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { settingsOf } from "../workspaces/settings.ts";
import { type Age, startAge } from "./age.ts";
import { askerOfApproval } from "./asker.ts";
import { judgeAgain, mayBegin } from "./approved-chain.ts";
import { callOf } from "./stored-call.ts";
import type { CallMeans } from "./call-tool.ts";
import { findInnerChange } from "./inner-still.ts";
import { readDeciding } from "./decider.ts";
import type { Occasion } from "./occasion.ts";
import { comparePreviews, type Previewed, readPreviews } from "./preview.ts";
import { renew, type Renewal } from "./renew-approval.ts";
import { requireRightToDecide } from "./right-to-decide.ts";
import { sendApproved } from "./send-approved.ts";

/**
 * In a request that is this old, in milliseconds, no other system is asked whether what was seen is so still: its answer is
 * due within a minute, and what follows takes up to half of one.
 */
const LOOK_WITHIN_MS = 20_000;

/** What decisions are made with. */
export interface DecideMeans extends CallMeans {
  readonly limits: Limits;
}

/** What a person says of one approval. */
export interface Decision {
  readonly decision: "approve" | "reject";
  /** Of what they saw: 64 hex digits. */
  readonly digest: string;
  /** Of a rejection, for who asked. */
  readonly reason?: string | undefined;
}

/** A decision as it arrives. */
export interface DecisionRequest {
  readonly presented: Presented;
  /** Null for a text that can be no approval's id. */
  readonly id: string | null;
  /** What is wrong with the request's shape is told after authority, and before anything of the approval. */
  readonly decision: Result<Decision>;
  readonly occasion: Occasion;
  /** False for all but the first decision of a request, which is one call to the limits. */
  readonly isCounted: boolean;
}

/** The approval after a decision, and who decided. */
export interface DecidedApproval {
  readonly approval: Approval;
  readonly principal: PrincipalHere;
}

/**
 * Decides one approval. Null where nobody stands behind what was presented.
 *
 * Refuses, in this order: `rate_limited`; `person_required`, `grant_missing`; the request's shape; `not_found`;
 * `approval_changed` for what was superseded or never stood under this digest, `approval_expired`, `already_decided`, which
 * says who decided and when; `admin_required`; `own_request`; and of an approval that does not hold any more
 * `approval_changed`, which names the fresh one, or `secret_missing`, which leaves it waiting.
 *
 * Two round trips to the store before anything is sent and one for each call that was.
 */
export async function decide(
  means: DecideMeans,
  { presented, id, decision, occasion, isCounted }: DecisionRequest,
): Promise<Result<DecidedApproval> | null> {
  const limits = isCounted ? means.limits : null;
  const opened = await openDecision(means.db, { presented, id, limits });
  const deciding = readDeciding(opened, { said: decision, limits });
  if (deciding === null || !deciding.ok) return deciding;
  const { principal, approval, said } = deciding.value;
  const context = { opened, principal, approval, decision: said, occasion };
  const stands = requireWaiting(approval, { digest: said.digest, now: means.now() });
  if (!stands.ok) return stands;
  const mayDecide = requireRightToDecide(principal, { approval, decision: said.decision });
  if (!mayDecide.ok) return mayDecide;
  return said.decision === "reject" ? await reject(means, context) : await approve(means, context);
}

const REQUESTER_GONE = "Whoever asked may not use tools here any more.";

interface Context {
  readonly opened: OpenedDecision;
  readonly principal: PrincipalHere;
  readonly approval: Approval;
  readonly decision: Decision;
  readonly occasion: Occasion;
}

/** Lets pass what still waits, under the digest that was seen. Says of anything else what became of it. */
function requireWaiting(approval: Approval, { digest, now }: { digest: string; now: Date }): Result<void> {
  switch (approval.status) {
    case "awaiting_approval":
      break;
    case "superseded":
      return refuseChanged(approval);
    case "expired":
      return refuseExpired(approval);
    case "running":
    case "applied":
    case "failed":
    case "unknown":
    case "rejected": {
      const { decided_by: by, decided_at: at, status } = approval;
      const what = status === "rejected" ? "rejected" : "approved";
      return refuse("already_decided", {
        detail: `${by?.name ?? "Somebody"} ${what} this at ${at}. It is ${status}.`,
        hint: "Read the approval again: it says how it ended.",
      });
    }
    default:
      throw new TypeError(approval.status satisfies never);
  }
  if (Date.parse(approval.expires_at) <= now.getTime()) return refuseExpired(approval);
  if (digest.toLowerCase() !== approval.digest) {
    return refuse("approval_changed", {
      detail: "The digest is not the one of this approval as it stands. Nothing was decided.",
      hint: "Read the approval again, and decide on what it says now.",
    });
  }
  return ok(undefined);
}

function refuseExpired({ expires_at }: Approval) {
  return refuse("approval_expired", {
    detail: `Nobody decided before ${expires_at}. Nothing was sent.`,
    hint: "Whoever asked can propose it again.",
  });
}

/** Says what took the place of an approval. */
export function refuseChanged({ superseded_by: by, superseded_because: because }: Approval) {
  return refuse("approval_changed", {
    detail: [
      because ?? "What was to be approved has changed.",
      "Nothing was sent.",
      by === null ? "No fresh approval takes its place." : `A fresh approval takes its place: ${by}`,
    ].join(" "),
    hint: by === null ? "Whoever asked can propose it again." : `Look at ${by} and decide that one.`,
  });
}

async function reject(means: DecideMeans, context: Context): Promise<Result<DecidedApproval>> {
  const reject_reason = context.decision.reason ?? "";
  const step = await begin(means, context, { reject_reason, events: [], sends: false });
  return step.changed === undefined
    ? ok({ approval: step.approval!, principal: context.principal })
    : await afterChange(means, { context, step });
}

async function approve(means: DecideMeans, context: Context): Promise<Result<DecidedApproval>> {
  const { opened, approval, principal, occasion } = context;
  const changed = findChange(context);
  if (changed !== null) return await makeWay(means, context, changed);
  const tools = opened.tools!;
  for (const { connector_id } of approval.calls) {
    const usable = requireValues(tools[connector_id]!.tool);
    if (!usable.ok) return usable;
  }
  const looked = await lookOutside(means, context);
  if (!looked.ok) return looked.refused;
  // Asked only now: other systems may have taken their time.
  const sends = looked.isSo && mayBegin(occasion);
  const step = await begin(means, context, { events: looked.events, sends });
  if (step.changed !== undefined) return await afterChange(means, { context, step });
  if (!step.claimed) return ok({ approval: step.approval!, principal });
  const sent = await sendApproved(means, {
    claimed: {
      approval: step.approval!,
      n: 0,
      opened: step.claimed,
      args: approval.calls[0]!.args,
      age: step.age,
      tools,
      sender: step.sender,
      byAdministrator: principal.workspace.role === "admin",
      accountId: principal.account_id,
    },
    occasion,
  });
  return ok({ approval: sent, principal });
}

/** Why the approval cannot be sent as it was seen; null where all of it still holds. */
function findChange({ opened, approval, principal }: Context): Pick<Renewal, "because" | "tools"> | null {
  if (opened.requester_stands !== true) {
    return { because: REQUESTER_GONE, tools: null };
  }
  const tools = opened.tools!;
  for (const call of approval.calls) {
    const now = tools[call.connector_id]?.tool;
    if (now === undefined) return { because: `${call.tool} was removed.`, tools: null };
    if (now.version !== call.version) {
      return { because: `${call.tool} was defined anew since this was asked.`, tools };
    }
    if (call.from_calls.length > 0) continue;
    const byAdministrator = principal.workspace.role === "admin";
    const judged = judgeAgain({ tool: now, call: callOf(call, call.args), byAdministrator });
    if (!judged.ok) return { because: judged.refusal.detail ?? "The call is refused now.", tools };
  }
  return null;
}

type Looked =
  /** Not known to be so where nobody was asked. */
  | { readonly ok: true; readonly isSo: boolean; readonly events: Previewed["events"] }
  | { readonly ok: false; readonly refused: Result<never> };

/**
 * Asks other systems whether what was seen is so still. In a request with no time for that nobody is asked: nothing is sent
 * then either, and the tick asks right before it sends.
 */
async function lookOutside(means: DecideMeans, context: Context): Promise<Looked> {
  if (context.occasion.elapsedMs() >= LOOK_WITHIN_MS) return { ok: true, isSo: false, events: [] };
  const { opened, approval, occasion } = context;
  const inner = await findInnerChange(means, { approval, tools: opened.tools!, occasion });
  if (!inner.ok) return { ok: false, refused: inner };
  if (inner.value !== null) {
    return { ok: false, refused: await makeWay(means, context, inner.value) };
  }
  return await lookAgain(means, context);
}

async function makeWay(
  means: DecideMeans,
  { approval, principal, occasion }: Context,
  { because, tools, ...more }: Pick<Renewal, "because" | "tools" | "known" | "previews" | "events">,
): Promise<Result<never>> {
  const superseded = await renew(means, {
    approval,
    because,
    tools,
    ...more,
    accountId: principal.account_id,
    approvalDays: settingsOf(principal.workspace.settings).approval_days,
    occasion,
    ways: means,
  });
  return refuseChanged(superseded);
}

/** Reads the previews once more: what a person saw has to be so still. */
async function lookAgain(
  means: DecideMeans,
  context: Context,
): Promise<Looked> {
  const { approval, opened, principal, occasion } = context;
  if (approval.calls.every(({ preview }) => preview === null)) return { ok: true, isSo: true, events: [] };
  const tools = opened.tools!;
  const { previews, events } = await readPreviews(means, {
    wanted: approval.calls.map((call) => ({
      tool: tools[call.connector_id]!.tool,
      call: callOf(call, call.args),
      isLate: call.from_calls.length > 0,
    })),
    asker: askerOfApproval(approval, principal.account_id),
    occasion,
    lookups: opened.lookups!,
  });
  for (const { preview, n } of approval.calls) {
    const now = previews[n] ?? null;
    if (preview === null || now === null) continue;
    const compared = comparePreviews(preview, now);
    if (compared.is === "different") {
      return {
        ok: false,
        refused: await makeWay(means, context, { because: compared.says, tools, previews, events }),
      };
    }
    if (compared.is === "unreadable") {
      return {
        ok: false,
        refused: refuse("approval_changed", {
          detail:
            `What ${preview.tool} shows has to be compared right before sending, and cannot be read: ${compared.says} Nothing was sent, and the approval still waits.`,
          hint: "Approve again once the other system answers.",
        }),
      };
    }
  }
  return { ok: true, isSo: true, events };
}

interface BegunStep extends Step {
  readonly sender: string;
  /** Since it was asked for. */
  readonly age: Age;
}

async function begin(
  means: DecideMeans,
  { approval, principal, occasion }: Context,
  { events, sends, reject_reason }: {
    events: readonly LogEvent[];
    /** False where the tick sends what is approved. */
    sends: boolean;
    reject_reason?: string;
  },
): Promise<BegunStep> {
  const sender = crypto.randomUUID();
  const age = startAge();
  const step = await beginApproval(means.db, {
    workspaceId: approval.workspace_id,
    id: approval.id,
    decided: {
      by: actorOf(principal),
      at: means.now().toISOString(),
      digest: approval.digest,
      needs: approval.needs,
      ...(reject_reason === undefined ? {} : { reject_reason }),
      sender,
      lease_seconds: LEASE_SECONDS,
      sends,
    },
    events: [decidedEvent({ approval, principal, occasion, reject_reason }), ...events],
  });
  return { ...step, sender, age };
}

/** What came in between the look and the step: another decision, another definition, or a right that was taken. */
async function afterChange(
  means: DecideMeans,
  { context, step }: { context: Context; step: Step },
): Promise<Result<never>> {
  const { changed, approval } = step;
  switch (changed) {
    case "decider":
      return refuse("grant_missing", { detail: "You may not decide here any more. Nothing was decided." });
    case "values":
      return refuse("secret_missing", {
        detail: "A value the tool needs was removed just now. Nothing was sent.",
      });
    case "requester":
      return await makeWay(means, context, { because: REQUESTER_GONE, tools: null });
    case "tool":
    case "tool_gone":
      return refuse("approval_changed", {
        detail: "The tool was changed just now. Nothing was sent.",
        hint: "Read the approval again, and decide on what it says now.",
      });
    case "claimed":
    case "decided":
    case "settled":
    case undefined: {
      const stands = requireWaiting(approval!, { digest: context.decision.digest, now: means.now() });
      if (!stands.ok) return stands;
      throw new Error("An approval still waits that was told to be decided");
    }
    default:
      throw new TypeError(changed satisfies never);
  }
}

function decidedEvent(
  { approval, principal, occasion, reject_reason }: Pick<Context, "approval" | "principal" | "occasion"> & {
    reject_reason: string | undefined;
  },
): LogEvent {
  const [first] = approval.calls;
  const isRejected = reject_reason !== undefined;
  return {
    event: isRejected ? "approval.rejected" : "approval.approved",
    request_id: occasion.requestId,
    principal: actorOf(principal),
    tool: first!.tool,
    connector_id: first!.connector_id,
    version: first!.version,
    operation: null,
    args: null,
    outcome: "ok",
    detail: isRejected && reject_reason !== "" ? { reason: clipArgs(reject_reason) } : {},
    total_ms: occasion.elapsedMs(),
  };
}
