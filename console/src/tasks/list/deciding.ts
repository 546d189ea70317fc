/** Who may decide what, in words for whoever looks. Pure; the API has the last word. */

import type { Approval } from "../../api/approvals.ts";

export interface Looker {
  readonly isAdmin: boolean;
  /** Has the grant. */
  readonly mayUse: boolean;
}

/** Why `looker` decides nothing about it; null where they may. */
export function whyNot({ needs }: Pick<Approval, "needs">, { isAdmin, mayUse }: Looker): string | null {
  if (!mayUse) {
    return "You see that this waits. An administrator gives you the grant use_connectors to look at it whole and decide.";
  }
  if (needs === "admin" && !isAdmin) return "An administrator decides this one.";
  return null;
}

/** Whether a person may select it to decide it together with others. */
export function isDecidable(approval: Approval, looker: Looker): boolean {
  return approval.status === "awaiting_approval" && whyNot(approval, looker) === null;
}
