/** Who asked for an approval, as it remembers them. */

import type { Approval } from "../approvals/approval.ts";
import type { Caller } from "../gate/effect.ts";
import type { Asker } from "./draft-approval.ts";

/** Who asked, as the approval remembers them. */
export function askerOfApproval(approval: Approval, accountId: string | null): Asker {
  return {
    workspaceId: approval.workspace_id,
    by: approval.requested_by,
    userId: approval.requester_user_id,
    accountId,
    caller: callerOf(approval.requested_by.kind),
  };
}

function callerOf(kind: string): Caller {
  return kind === "session" ? "person" : "host";
}
