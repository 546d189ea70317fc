import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { openTestDatabase } from "./database.ts";

Deno.test("openTestDatabase() gives each caller a migrated database of its own", async (t) => {
  const [one, two] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  try {
    await t.step("migrated", async () => {
      const [found] = await one.sql`select to_regclass('framed.v2_connectors') is not null as there`;
      assertEquals(found?.there, true);
    });
    await t.step("as an owner who is no superuser, as on Supabase", async () => {
      const [role] = await one.sql`select rolname, rolsuper from pg_roles where rolname = current_user`;
      assertEquals({ ...role }, { rolname: "postgres", rolsuper: false });
    });
    await t.step("unseen by the other", async () => {
      await one.sql`insert into framed.accounts (name) values ('Mine')`;
      assertEquals((await one.sql`select from framed.accounts`).length, 1);
      assertEquals((await two.sql`select from framed.accounts`).length, 0);
    });
  } finally {
    await Promise.all([one.drop(), two.drop()]);
  }
});

Deno.test("drop() removes the database although somebody is connected", async () => {
  const database = await openTestDatabase();
  const left = postgres(database.url, { max: 1, fetch_types: false });
  assert((await left`select 1`).length === 1);
  await database.drop();
  await assertRejects(() => left`select 1`);
  await left.end();
});
