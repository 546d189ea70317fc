/** Which people of a workspace may decide about what waits there. Pure. */

import type { Approval } from "../approvals/approval.ts";
import { type PrincipalHere, requireConnectorGrant } from "../auth/principal.ts";
import type { Reason } from "../outcome/reason.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { settingsOf } from "../workspaces/settings.ts";

/**
 * Lets pass whom the approval leaves to decide it: refuses `admin_required` for what needs an administrator, and
 * `own_request`, of an approving decision only, where nobody may approve what they asked for themselves.
 */
export function requireRightToDecide(
  principal: PrincipalHere,
  { approval: { needs, requester_user_id: requester }, decision }: {
    approval: Pick<Approval, "needs" | "requester_user_id">;
    decision: "approve" | "reject";
  },
): Result<void> {
  if (needs === "admin" && principal.workspace.role !== "admin") {
    return refuse("admin_required", {
      detail: "This approval needs an administrator of the workspace.",
      hint: "Ask one of them.",
    });
  }
  const isOwn = requester !== null && requester === principal.user_id;
  if (decision === "approve" && isOwn && settingsOf(principal.workspace.settings).approver_is_not_requester) {
    return refuse("own_request", {
      detail: "On this workspace nobody approves what they asked for themselves, by whatever key or program.",
      hint: "Ask somebody else with the grant use_connectors.",
    });
  }
  return ok(undefined);
}

/** The reason for which this person's approving would be refused, whatever becomes of it meanwhile; null where it would not. */
export function whyNotApprovedBy(principal: PrincipalHere, approval: Approval): Reason | null {
  const granted = requireConnectorGrant(principal);
  if (!granted.ok) return granted.refusal.reason;
  const mayDecide = requireRightToDecide(principal, { approval, decision: "approve" });
  return mayDecide.ok ? null : mayDecide.refusal.reason;
}
