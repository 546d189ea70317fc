/** A person who has looked in the other system says what became of a write that nobody could tell the end of. */

import type { Approval } from "../approvals/approval.ts";
import { openApproval, settleApproval } from "../approvals/store.ts";
import { actorOf, type Presented, type PrincipalHere } from "../auth/principal.ts";
import type { Database } from "../db/client.ts";
import type { Limits } from "../limits/limits.ts";
import { clipArgs } from "../log/event.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { readDeciding } from "./decider.ts";
import type { Occasion } from "./occasion.ts";

/** What a person says became of it, and how they know. */
export interface Settlement {
  readonly outcome: "applied" | "failed";
  readonly note: string;
}

/**
 * Settles one approval that is `unknown`. Null where nobody stands behind what was presented.
 *
 * Refuses, in this order: `rate_limited`; `person_required`, `grant_missing`; the request's shape; `not_found`;
 * `admin_required` where deciding it needed an administrator; `already_decided` for one whose end is known.
 */
export async function settle(
  { db, limits, now }: { db: Database; limits: Limits; now: () => Date },
  { presented, id, settlement, occasion }: {
    presented: Presented;
    id: string | null;
    settlement: Result<Settlement>;
    occasion: Occasion;
  },
): Promise<Result<{ approval: Approval; principal: PrincipalHere }> | null> {
  const opened = await openApproval(db, { presented, id, limits });
  const deciding = readDeciding(opened, { said: settlement, limits });
  if (deciding === null || !deciding.ok) return deciding;
  const { principal, approval, said: { outcome, note } } = deciding.value;
  if (approval.needs === "admin" && principal.workspace.role !== "admin") {
    return refuse("admin_required", { detail: "This approval needs an administrator of the workspace." });
  }
  if (approval.status !== "unknown") return refuseKnown(approval);
  const [first] = approval.calls;
  const by = actorOf(principal);
  const step = await settleApproval(db, {
    workspaceId: approval.workspace_id,
    id: approval.id,
    settled: { outcome, note, by, at: now().toISOString() },
    event: {
      event: "approval.settled",
      request_id: occasion.requestId,
      principal: by,
      tool: first!.tool,
      connector_id: first!.connector_id,
      version: first!.version,
      operation: null,
      args: null,
      outcome: "ok",
      detail: { approval_id: approval.id, outcome, note: clipArgs(note) },
      total_ms: occasion.elapsedMs(),
    },
  });
  if (step.changed === "decider") {
    return refuse("grant_missing", { detail: "You may not decide here any more. Nothing was settled." });
  }
  return step.changed === undefined
    ? ok({ approval: step.approval!, principal })
    : refuseKnown(step.approval!);
}

function refuseKnown({ status, settled }: Approval) {
  const by = settled === null ? "" : ` ${settled.by.name ?? "Somebody"} settled it at ${settled.at}.`;
  return refuse("already_decided", {
    detail: `Only what is unknown is settled; this is ${status}.${by}`,
    hint: "Read the approval again: it says how it ended.",
  });
}
