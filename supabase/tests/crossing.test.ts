/** Tries to reach another workspace's rows from inside a transaction of framed_app, table by table. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import postgres from "postgres";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";
import { DENIED, trySpeakingFor } from "../../scripts/testing/speaking-for.ts";
import { addTwoAccounts } from "../../scripts/testing/two-accounts.ts";

const { sql, url } = await openTestDatabase();
const { here, stranger, sibling } = await addTwoAccounts(sql);

/** The tables, and those of their columns that framed_app may insert and update. */
const tables = await sql<{ name: string; insertable: string[]; updatable: string[] }[]>`
  select c.relname as name,
    coalesce(jsonb_agg(a.attname) filter (where a.attidentity = '' and a.attgenerated = ''
      and has_column_privilege('framed_app', c.oid, a.attnum, 'insert')), '[]') as insertable,
    coalesce(jsonb_agg(a.attname) filter (where has_column_privilege('framed_app', c.oid, a.attnum, 'update')), '[]') as updatable
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'framed'::regnamespace and c.relkind in ('r', 'p') group by c.relname order by c.relname`;

/** Tries `work` speaking for `here`, and presenting the client and the request for consent that were added with it. */
function tryHere<T>(work: (tx: postgres.TransactionSql) => PromiseLike<T>) {
  return trySpeakingFor(sql, {
    workspaceId: here.id,
    async work(tx) {
      await tx`select set_config('framed.client_id', ${here.id}, true),
        set_config('framed.key_hash', encode(sha256(${here.id}::text::bytea), 'hex'), true)`;
      return await work(tx);
    },
  });
}

/** The condition that picks a workspace's own rows in a table. */
function rowsOf(table: string, { id, accountId }: { id: string; accountId: string }) {
  if (table === "accounts") return sql`id = ${accountId}`;
  if (table === "call_rates") return sql`bucket = ${id}`;
  // Of no workspace: each is reached by what was presented alone.
  if (table === "connect_clients") return sql`id = ${id}`;
  if (table === "connect_requests") return sql`request_hash = sha256(${id}::text::bytea)`;
  return table === "workspaces" ? sql`id = ${id}` : sql`workspace_id = ${id}`;
}

databaseTest("framed: there are tables to try", () => assertNotEquals(tables.length, 0));

for (const { name, insertable, updatable } of tables) {
  databaseTest(`framed.${name}: a transaction of one workspace reaches no row of another`, async (t) => {
    const table = sql(`framed.${name}`);
    // Where the role may update nothing, naming any column has to be refused.
    const columns = updatable.length > 0 ? updatable : insertable.slice(0, 1);
    const others: [string, typeof here][] = [["a stranger's", stranger]];
    // The account is the sibling's too.
    if (name !== "accounts") others.push(["its sibling's", sibling]);

    await t.step("sees its own, so that seeing none means something", async () => {
      assert(
        Number(
          await tryHere(async (tx) => (await tx`select from ${table} where ${rowsOf(name, here)}`).count),
        ) >
          0,
      );
      for (const [, other] of others) {
        assert((await sql`select from ${table} where ${rowsOf(name, other)}`).count > 0);
      }
    });
    await t.step("sees nothing else at all", async () => {
      assertEquals(
        await tryHere(async (tx) =>
          (await tx`select from ${table} where (${rowsOf(name, here)}) is not true`).count
        ),
        0,
      );
    });
    await t.step("changes its own where it may, so that changing none means something", async () => {
      for (const column of columns) {
        const changed = await tryHere(async (tx) =>
          (await tx`update ${table} set ${tx(column)} = ${tx(column)} where ${rowsOf(name, here)}`).count
        );
        if (updatable.length === 0) assertEquals(changed, DENIED);
        else assert(Number(changed) > 0, `${column}: ${changed}`);
      }
    });
    for (const [whose, other] of others) {
      await t.step(`changes none of ${whose}`, async () => {
        for (const column of columns) {
          const changed = await tryHere(async (tx) =>
            (await tx`update ${table} set ${tx(column)} = ${tx(column)} where ${rowsOf(name, other)}`).count
          );
          assertEquals(changed, updatable.length === 0 ? DENIED : 0, column);
        }
      });
      await t.step(`removes none of ${whose}`, async () => {
        const removed = await tryHere(async (tx) =>
          (await tx`delete from ${table} where ${rowsOf(name, other)}`).count
        );
        assert(removed === 0 || removed === DENIED, String(removed));
      });
      await t.step(`adds none to ${whose}`, async () => {
        // A row of theirs as it stands: row security is asked before any unique constraint is.
        const [theirs] = await sql`select to_jsonb(r) as row from ${table} r where ${rowsOf(name, other)}`;
        const given = insertable.length > 0 ? insertable : Object.keys(theirs!.row);
        const added = await tryHere((tx) =>
          tx`
          insert into ${table} (${tx(given)})
          select ${tx(given)} from jsonb_populate_record(null::${table}, ${
            JSON.stringify(theirs!.row)
          }::text::jsonb)`
        );
        assertEquals(added, DENIED);
      });
    }
    if (updatable.includes("workspace_id")) {
      await t.step("moves none of its own away", async () => {
        assertEquals(
          await tryHere((tx) => tx`update ${table} set workspace_id = ${stranger.id}`),
          DENIED,
        );
      });
    }
    await t.step("empties nothing", async () => {
      assertEquals(await tryHere((tx) => tx`truncate ${table} cascade`), DENIED);
    });
    await t.step("and sees nothing before it speaks for anyone", async () => {
      const seen = await trySpeakingFor(sql, {
        workspaceId: "",
        work: async (tx) => (await tx`select from ${table}`).count,
      });
      assertEquals(seen, 0);
    });
  });
}

databaseTest("two transactions at once never see each other's workspace", async () => {
  const other = postgres(url, { max: 1, fetch_types: false });
  try {
    const bothSpeak = Promise.withResolvers<void>();
    let speaking = 0;
    const look = (db: postgres.Sql, workspaceId: string) =>
      db.begin(async (tx) => {
        await tx`select set_config('role', 'framed_app', true), set_config('framed.workspace_id', ${workspaceId}, true)`;
        if (++speaking === 2) bothSpeak.resolve();
        await bothSpeak.promise;
        const seen = await tx<
          { workspace_id: string }[]
        >`select distinct workspace_id from framed.v2_connectors`;
        return seen.map((row) => row.workspace_id);
      });
    assertEquals(await Promise.all([look(sql, here.id), look(other, stranger.id)]), [[here.id], [
      stranger.id,
    ]]);
  } finally {
    await other.end();
  }
});

databaseTest(
  "a connection forgets whom it spoke for when its transaction ends, by commit or by rollback",
  async () => {
    const speak =
      sql`select set_config('role', 'framed_app', true), set_config('framed.workspace_id', ${here.id}, true)`;
    for (const last of [sql`select 1`, sql`select 1 / 0`]) {
      await sql.begin(async (tx) => {
        await tx`${speak}`;
        await tx`${last}`;
      }).catch(({ code }) => assertEquals(code, "22012"));
      const [after] =
        await sql`select framed.current_workspace_id() as id, current_user = 'framed_app' as dropped`;
      assertEquals({ ...after }, { id: null, dropped: false });
    }
  },
);
