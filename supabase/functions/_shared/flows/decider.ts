/** Who may decide, settle and stop: a person's own session with leave to use tools; and what they are about to decide on. */

import type { Approval } from "../approvals/approval.ts";
import type { OpenedApproval } from "../approvals/store.ts";
import {
  type Principal,
  type PrincipalHere,
  requireConnectorGrant,
  requireSession,
} from "../auth/principal.ts";
import { limitRefusal, type Limits } from "../limits/limits.ts";
import { NOT_FOUND, ok, type Result } from "../outcome/result.ts";

/** A person who may decide here, the approval, and what they say of it. */
export interface Deciding<S> {
  readonly principal: PrincipalHere;
  readonly approval: Approval;
  readonly said: S;
}

/**
 * What a request about an approval comes to before the state of that counts. Null where nobody stands behind what was
 * presented. Refuses, in this order: `rate_limited`; `person_required`, `grant_missing`; what is wrong with what was `said`;
 * `not_found`.
 */
export function readDeciding<S>(
  opened: OpenedApproval,
  { said, limits }: { said: Result<S>; limits: Limits | null },
): Result<Deciding<S>> | null {
  if (opened.principal === null) return null;
  if (opened.limited_by !== undefined) {
    return limitRefusal(limits!, { limitedBy: opened.limited_by, waitSeconds: opened.wait! });
  }
  const decider = requireDecider(opened.principal);
  if (!decider.ok) return decider;
  if (!said.ok) return said;
  const { approval } = opened;
  if (decider.value === null || approval === undefined) return { ok: false, refusal: NOT_FOUND };
  return ok({ principal: decider.value, approval, said: said.value });
}

/**
 * Lets pass a person's own session with the grant `use_connectors`, and no key or token whatever its owner may do. Null for
 * a person who reaches no such workspace, who is told after everything else that nothing is there.
 */
function requireDecider(principal: Principal): Result<PrincipalHere | null> {
  const session = requireSession(principal);
  if (!session.ok) return session;
  if (principal.workspace === null) return ok(null);
  const here = { ...principal, workspace: principal.workspace };
  const allowed = requireConnectorGrant(here);
  return allowed.ok ? ok(here) : allowed;
}
