/** Tries something as `framed_app` in a transaction that speaks for one workspace, and undoes it. */

import type postgres from "postgres";

/** The SQLSTATE of what may not be done, by grant or by row security. */
export const DENIED = "42501";

class Undone extends Error {}

/**
 * What `work` returned, or the SQLSTATE it failed with. Whatever it did is rolled back. An empty `workspaceId` speaks
 * for nobody.
 */
export async function trySpeakingFor<T>(
  sql: postgres.Sql,
  { workspaceId, work }: { workspaceId: string; work: (tx: postgres.TransactionSql) => PromiseLike<T> },
): Promise<T | string> {
  let value: T;
  try {
    await sql.begin(async (tx) => {
      await tx`select set_config('role', 'framed_app', true), set_config('framed.workspace_id', ${workspaceId}, true)`;
      value = await work(tx);
      throw new Undone();
    });
  } catch (error) {
    if (error instanceof Undone) return value!;
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return code;
  }
  throw new Error("a transaction that throws does not commit");
}
