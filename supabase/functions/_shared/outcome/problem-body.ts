/** What a refusal says to its caller, as one object: the same over HTTP, over MCP and in the view of a host. Pure. */

import { REASONS } from "./reason.ts";
import type { Refusal } from "./result.ts";

/** The body of a failing answer. */
export interface ProblemBody {
  ok: false;
  reason: string;
  status: number;
  title: string;
  detail?: string;
  hint?: string;
  problems?: readonly string[];
  request_id: string;
}

/** What a refusal says to the caller, as one object. */
export function problemBody(refusal: Refusal, requestId: string): ProblemBody {
  const { status, title } = REASONS[refusal.reason];
  return {
    ok: false,
    reason: refusal.reason,
    status,
    title,
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    ...(refusal.hint === undefined ? {} : { hint: refusal.hint }),
    ...(refusal.problems === undefined ? {} : { problems: refusal.problems }),
    request_id: requestId,
  };
}
