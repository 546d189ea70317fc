/** What broke while an approved call was sent, where the approval goes on all the same: its cause goes to our log. */

import { isStoreUnavailable } from "../db/client.ts";
import { causeOf, stackOf } from "../outcome/cause.ts";
import type { Reason } from "../outcome/reason.ts";

/** Reports `error` as an unexpected one of this call, and says by which reason it goes. */
export function reportBroken(
  error: unknown,
  { requestId, approvalId, n }: { requestId: string; approvalId: string; n: number },
): Extract<Reason, "store_unavailable" | "internal"> {
  const event = isStoreUnavailable(error) ? "store_unavailable" : "internal";
  console.error(JSON.stringify({
    level: "error",
    request_id: requestId,
    event,
    approval_id: approvalId,
    call: n,
    cause: causeOf(error),
    stack: stackOf(error),
  }));
  return event;
}
