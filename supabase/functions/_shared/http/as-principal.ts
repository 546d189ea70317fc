/** The one order in which a request is decided: who calls, what they may, the request's shape, then what exists. */

import { type Presented, type Principal, type PrincipalHere, requireSession } from "../auth/principal.ts";
import { inTransactionOf } from "../auth/store.ts";
import type { Transaction } from "../db/transaction.ts";
import { limitRefusal } from "../limits/limits.ts";
import { admitRequest } from "../limits/store.ts";
import { NOT_FOUND, type Result } from "../outcome/result.ts";
import type { RequestContext } from "./app.ts";
import { readPresented, UNAUTHENTICATED } from "./presented.ts";
import type { Services } from "./services.ts";

/** What a request is decided by: the workspace it is about, who may, its shape, and what is done then. */
export interface Deciding<S, T> {
  readonly services: Services;
  readonly workspaceId: string | null;
  readonly shape: () => Result<S>;
  readonly authority: (principal: PrincipalHere) => Result<void>;
  readonly work: (tx: Transaction, context: { principal: PrincipalHere; shape: S }) => Promise<Result<T>>;
}

/**
 * Runs `work` in one transaction that speaks for the caller's workspace.
 *
 * Refuses, in this order: `unauthenticated`; `rate_limited`; what `authority` refuses; what is wrong with the `shape`; `not_found` for
 * a workspace that does not exist or is out of the caller's reach. A refusal by `work` undoes what it wrote. The shape is
 * not looked at before it is its turn: who may not ask costs no check of a file.
 */
export async function asPrincipal<S, T>(c: RequestContext, deciding: Deciding<S, T>): Promise<Result<T>> {
  const presented = await readPresented(c.req.raw.headers, deciding.services);
  return presented.ok ? await asPresented(presented.value, deciding) : presented;
}

/** The same for what was presented already. */
export async function asPresented<S, T>(
  presented: Presented,
  { services, workspaceId, shape, authority, work }: Deciding<S, T>,
): Promise<Result<T>> {
  const limited = await refuseOverLimit(presented, { services, workspaceId });
  if (limited !== null) return limited;
  return await inTransactionOf(services.db, {
    presented,
    workspaceId,
    async work(tx, principal) {
      if (principal === null) return UNAUTHENTICATED;
      const { workspace } = principal;
      if (workspace !== null) {
        const allowed = authority({ ...principal, workspace });
        if (!allowed.ok) return allowed;
      }
      const shaped = shape();
      if (!shaped.ok) return shaped;
      if (workspace === null) return { ok: false, refusal: NOT_FOUND };
      return await work(tx, { principal: { ...principal, workspace }, shape: shaped.value });
    },
  });
}

/**
 * Runs `work` in one transaction that speaks for the person who is signed in, and for no workspace: it sees what is
 * theirs on every one.
 *
 * Refuses, in this order: `unauthenticated`; `rate_limited`; `person_required` for a key; what is wrong with the `shape`.
 */
export async function asPerson<S, T>(
  c: RequestContext,
  { services, shape, work }: {
    services: Services;
    shape: () => Result<S>;
    work: (tx: Transaction, context: { person: Principal; shape: S }) => Promise<Result<T>>;
  },
): Promise<Result<T>> {
  const presented = await readPresented(c.req.raw.headers, services);
  if (!presented.ok) return presented;
  return await asAnyone(presented.value, {
    services,
    async work(tx, person) {
      const session = requireSession(person);
      if (!session.ok) return session;
      const shaped = shape();
      return shaped.ok ? await work(tx, { person, shape: shaped.value }) : shaped;
    },
  });
}

/** Runs `work` for whoever presented something that stands, and for no workspace. Refuses `rate_limited`, `unauthenticated`. */
export async function asAnyone<T>(
  presented: Presented,
  { services, work }: {
    services: Services;
    work: (tx: Transaction, principal: Principal) => Promise<Result<T>>;
  },
): Promise<Result<T>> {
  const limited = await refuseOverLimit(presented, { services, workspaceId: null });
  if (limited !== null) return limited;
  return await inTransactionOf(services.db, {
    presented,
    workspaceId: null,
    work: async (tx, principal) => principal === null ? UNAUTHENTICATED : await work(tx, principal),
  });
}

/**
 * Refuses whose caller or workspace is over its limit: from the same buckets as calls.
 *
 * A statement of its own: what is taken stays taken when the request is refused, and nobody waits for the transaction.
 */
async function refuseOverLimit(
  presented: Presented,
  { services: { db, limits }, workspaceId }: { services: Services; workspaceId: string | null },
): Promise<Result<never> | null> {
  const limited = await admitRequest(db, { presented, workspaceId, limits });
  return limited === null ? null : limitRefusal(limits, limited);
}
