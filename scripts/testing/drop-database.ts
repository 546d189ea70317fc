/** Removes a database that others may still be in, as an owner who is no superuser. */

import type postgres from "postgres";

/** PostgreSQL's word for a database that somebody is in. */
const IN_USE = "55006";

/**
 * Removes the database `name` with every session that the asking role may end. Waits up to `withinMs` for what it may
 * not end to go by itself, and throws what PostgreSQL says where that does not.
 *
 * Without `with (force)`: that ends every process in the database or none, and an autovacuum worker, which comes when
 * it likes, is not this role's to end. A plain `drop database` sends such workers away itself and waits 5 s for all.
 */
export async function dropDatabase(
  admin: postgres.Sql,
  { name, withinMs = 60_000 }: { name: string; withinMs?: number },
): Promise<void> {
  // Else a pool that loses its connections opens new ones.
  await admin`alter database ${admin(name)} with allow_connections false`;
  for (const startedMs = performance.now();;) {
    await admin`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = ${name} and pg_has_role(usesysid, 'usage')`;
    try {
      await admin`drop database ${admin(name)}`;
      return;
    } catch (error) {
      const isInUse = (error as { code?: string }).code === IN_USE;
      if (!isInUse || performance.now() - startedMs > withinMs) throw error;
    }
  }
}
