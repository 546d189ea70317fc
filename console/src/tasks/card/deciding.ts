/** What whoever looks may do about what waits, in words. Pure; the API says it, and has the last word. */

import type { Approval } from "../../api/approvals.ts";

type Waiting = Pick<Approval, "status" | "approve_refused">;

const WHY_NOT: Readonly<Record<NonNullable<Approval["approve_refused"]>, string>> = {
  grant_missing:
    "You see that this waits. An administrator gives you the grant use_connectors to look at it whole and decide.",
  admin_required: "An administrator of this workspace decides about this.",
  own_request:
    "You asked for this yourself, and on this workspace somebody else approves it. You can reject it.",
};

/** Why they may not approve it; null where they may. */
export function whyNot({ approve_refused: refused }: Waiting): string | null {
  return refused === null ? null : WHY_NOT[refused];
}

/** Whether they may reject it: what they asked for themselves too. */
export function mayReject({ status, approve_refused: refused }: Waiting): boolean {
  return status === "awaiting_approval" && (refused === null || refused === "own_request");
}

/** Whether they may decide it either way, and so together with others. */
export function isDecidable({ status, approve_refused: refused }: Waiting): boolean {
  return status === "awaiting_approval" && refused === null;
}
