import { assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { openTestDatabase, startTestCluster, type TestCluster, type TestDatabase } from "./database.ts";
import { dropDatabase } from "./drop-database.ts";

async function onOwnCluster(use: (cluster: TestCluster) => Promise<void>): Promise<void> {
  const cluster = await startTestCluster();
  try {
    await use(cluster);
  } finally {
    await cluster.stop();
  }
}

/** Leaves an autovacuum worker at work in the database, which takes its time: minutes, where nobody sends it away. */
async function bringAutovacuum(cluster: TestCluster, { sql }: TestDatabase): Promise<void> {
  await sql`create table swept (n integer) with (
    autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`;
  await sql`insert into swept select generate_series(1, 200000)`;
  await sql`delete from swept`;
  await cluster.configure({ autovacuum_naptime: 1 });
  while (await countWorkers(sql) === 0) await sql`select pg_sleep(0.1)`;
}

/** The owner is not told what they are, and sees that they are in the database and nobody's. */
async function countWorkers(sql: postgres.Sql): Promise<number> {
  const found =
    await sql`select from pg_stat_activity where datname = current_database() and usesysid is null`;
  return found.length;
}

Deno.test("drop() removes the database although an autovacuum worker is at work in it", async () => {
  await onOwnCluster(async (cluster) => {
    const [database, admin] = await Promise.all([
      openTestDatabase({ cluster }),
      openTestDatabase({ cluster }),
    ]);
    await bringAutovacuum(cluster, database);
    const name = new URL(database.url).pathname.slice(1);
    const forced = admin.sql`drop database ${admin.sql(name)} with (force)`;
    await assertRejects(() => forced, postgres.PostgresError, "permission denied to terminate process");
    assertEquals(await countWorkers(database.sql), 1);
    await database.drop();
    assertEquals([...await admin.sql`select from pg_database where datname = ${name}`], []);
    await admin.drop();
  });
});

Deno.test("dropDatabase() waits for who is another's to leave, and throws where they stay", async () => {
  await onOwnCluster(async (cluster) => {
    const database = await openTestDatabase({ cluster });
    const admin = await openTestDatabase({ cluster });
    const name = new URL(database.url).pathname.slice(1);
    await admin.sql`create role guest login password 'guest'`;
    const url = Object.assign(new URL(database.url), { username: "guest", password: "guest" }).href;
    const guest = postgres(url, { max: 1, fetch_types: false });
    await guest`select 1`;
    await assertRejects(
      () => dropDatabase(admin.sql, { name, withinMs: 0 }),
      postgres.PostgresError,
      "is being accessed by other users",
    );
    // The sessions of one's own are gone by then.
    assertEquals((await guest`select from pg_stat_activity where datname = current_database()`).length, 1);
    const [dropped] = await Promise.all([
      dropDatabase(admin.sql, { name }),
      guest`select pg_sleep(1)`.then(() => guest.end()),
    ]);
    assertEquals(dropped, undefined);
    assertEquals([...await admin.sql`select from pg_database where datname = ${name}`], []);
    await Promise.all([database.sql.end(), admin.drop()]);
  });
});
