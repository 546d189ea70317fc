/** A person stops the checks of what follows an approved write. */

import type { Approval } from "../approvals/approval.ts";
import { openApproval } from "../approvals/store.ts";
import { actorOf, type Presented, type PrincipalHere } from "../auth/principal.ts";
import type { Database } from "../db/client.ts";
import { stopWaiting } from "../follow-ups/store.ts";
import type { Limits } from "../limits/limits.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { readDeciding } from "./decider.ts";
import type { Occasion } from "./occasion.ts";

/**
 * Stops the follow-up of one approval: nothing is checked or said of it any more. Null where nobody stands behind what was
 * presented.
 *
 * Refuses, in this order: `rate_limited`; `person_required`, `grant_missing`; the request's shape; `not_found` also where
 * nothing is followed up; `follow_up_ended` where it has ended before, by itself or by another person.
 */
export async function stopFollowUp(
  { db, limits, now }: { db: Database; limits: Limits; now: () => Date },
  { presented, id, shape, occasion }: {
    presented: Presented;
    id: string | null;
    shape: Result<unknown>;
    occasion: Occasion;
  },
): Promise<Result<{ approval: Approval; principal: PrincipalHere }> | null> {
  const opened = await openApproval(db, { presented, id, limits });
  const deciding = readDeciding(opened, { said: shape, limits });
  if (deciding === null || !deciding.ok) return deciding;
  const { principal, approval } = deciding.value;
  if (approval.follow_up === null) {
    return refuse("not_found", { detail: "Nothing is followed up after this approval." });
  }
  const { tool, connector_id, version } = approval.calls[approval.follow_up.call]!;
  const by = actorOf(principal);
  const { stopped, approval: after } = await stopWaiting(db, {
    workspaceId: approval.workspace_id,
    approvalId: approval.id,
    by,
    at: now(),
    event: {
      event: "follow_up.stopped",
      request_id: occasion.requestId,
      principal: by,
      tool,
      connector_id,
      version,
      operation: null,
      args: null,
      outcome: "ok",
      detail: { approval_id: approval.id },
      total_ms: occasion.elapsedMs(),
    },
  });
  return stopped ? ok({ approval: after, principal }) : refuseEnded(after);
}

function refuseEnded({ follow_up: followUp }: Approval) {
  const { status, ended_at, stopped_by } = followUp!;
  const by = stopped_by === null ? "" : ` by ${stopped_by.name ?? "somebody"}`;
  return refuse("follow_up_ended", {
    detail: `The follow-up is ${
      status.replace("_", " ")
    } since ${ended_at}${by}. Nothing is checked any more.`,
  });
}
