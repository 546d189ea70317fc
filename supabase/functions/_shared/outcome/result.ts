/** What a step that may be refused returns: a value or a refusal, never an exception for what can be expected. */

import type { Reason } from "./reason.ts";

/** Why something was not done, in words for the caller. Holds no credential, no SQL, no stack. */
export interface Refusal {
  readonly reason: Reason;
  /** Sentence case: what was found and what is wanted. */
  readonly detail?: string;
  /** What to do about it. */
  readonly hint?: string;
  /** One line for each thing that is wrong, `path: what was found and what is wanted`. */
  readonly problems?: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** Either a value or a refusal. */
export type Result<T, E = Refusal> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: E };

/** The value, as a result. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** The refusal for `reason`, as a result. */
export function refuse(
  reason: Reason,
  more: Omit<Refusal, "reason"> = {},
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: { reason, ...more } };
}

/** The same words for what does not exist and for what the caller may not see, so that the two cannot be told apart. */
export const NOT_FOUND: Refusal = {
  reason: "not_found",
  detail: "Nothing by that name is here for this caller.",
  hint:
    "Check the workspace id and the name; what a caller may not see looks the same as what does not exist.",
};
