/** One call of an approval as it is called. Pure. */

import type { ApprovalCall } from "../approvals/approval.ts";
import type { ToolCall } from "../definition/call.ts";
import type { JsonObject } from "../definition/json.ts";

/** The call as a kind executes it. */
export function callOf({ capability, operation }: ApprovalCall, args: JsonObject): ToolCall {
  return {
    args,
    ...(capability === null ? {} : { capability }),
    ...(operation === null ? {} : { operation }),
  };
}
