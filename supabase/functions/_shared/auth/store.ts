/** Asks the database who a caller is, and makes the rest of the transaction speak for the workspace they reach. */

import type { Database } from "../db/client.ts";
import { inTransaction, type Transaction } from "../db/transaction.ts";
import type { Result } from "../outcome/result.ts";
import type { Presented, Principal } from "./principal.ts";

/** What a caller presented and the workspace they ask for; null where they name none that could exist. */
export interface Approach {
  readonly presented: Presented;
  readonly workspaceId: string | null;
}

/**
 * Runs `work` in one transaction that speaks for the caller's workspace and sees no other's rows; for no workspace
 * where the caller does not reach it. A refusal or a throw rolls everything back.
 *
 * The principal is null where the key is unknown, expired, revoked or has lost its administrator.
 */
export function inTransactionOf<T>(
  db: Database,
  { presented, workspaceId, work }: Approach & {
    work: (tx: Transaction, principal: Principal | null) => Promise<Result<T>>;
  },
): Promise<Result<T>> {
  return inTransaction<Principal | null, T>(db, {
    opening: (sql) =>
      sql`framed.present_principal(${JSON.stringify(presented)}::text::jsonb, ${workspaceId}::uuid)`,
    work,
  });
}
