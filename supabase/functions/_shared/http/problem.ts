/** A refusal as an HTTP answer: `application/problem+json`, the same shape everywhere. */

import { problemBody } from "../outcome/problem-body.ts";
import type { Refusal } from "../outcome/result.ts";

/** The refusal as an answer with its status, and `Retry-After` where waiting helps. Source: RFC 9457. */
export function problemResponse(
  refusal: Refusal,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  const body = problemBody(refusal, requestId);
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: {
      "content-type": "application/problem+json",
      ...(refusal.retryAfterSeconds === undefined
        ? {}
        : { "retry-after": String(refusal.retryAfterSeconds) }),
      ...headers,
    },
  });
}
