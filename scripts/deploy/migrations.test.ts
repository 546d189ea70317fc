/** What the Supabase CLI and our own runner think of each other's work, on a real database. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMigrations, readMigrations } from "../stack/migrations.ts";
import { databaseTest, openTestDatabase, type TestDatabase } from "../testing/database.ts";
import { runSupabase } from "./supabase-cli.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const migrations = await readMigrations(join(ROOT, "supabase/migrations"));
const names = migrations.map(({ version, name }) => `${version}_${name}.sql`);
const home = await Deno.makeTempDir({ prefix: "framed-deploy-" });
globalThis.addEventListener("unload", () => Deno.removeSync(home, { recursive: true }));

async function withDatabase(
  options: { migrated: boolean },
  use: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  const database = await openTestDatabase(options);
  try {
    await use(database);
  } finally {
    await database.drop();
  }
}

async function supabase(database: TestDatabase, ...args: string[]) {
  const { code, stdout, stderr } = await runSupabase([...args, `--remote=${database.url}`], {
    project: ROOT,
    home,
  });
  return { code, said: stdout + stderr, stdout };
}

databaseTest(
  "supabase db push makes the database that our runner makes, and leaves it nothing to apply",
  async () => {
    await withDatabase({ migrated: false }, async (pushed) => {
      const { code, said } = await supabase(pushed, "db", "push");
      assertEquals(code, 0, said);
      for (const name of names) assertStringIncludes(said, `Applying migration ${name}`);
      assertEquals(await applyMigrations(pushed.sql, migrations), []);
      await withDatabase({ migrated: true }, async (ours) => {
        assertEquals(await readCatalog(pushed), await readCatalog(ours));
        assertEquals(await recorded(pushed), await recorded(ours));
      });
    });
  },
);

databaseTest("supabase db push applies what our runner left, and nothing twice", async () => {
  await withDatabase({ migrated: false }, async (database) => {
    await applyMigrations(database.sql, migrations.slice(0, -1));
    const { code, said } = await supabase(database, "db", "push");
    assertEquals(code, 0, said);
    assertEquals(
      [...said.matchAll(/Applying migration (\S+\.sql)/g)].map(([, name]) => name),
      names.slice(-1),
    );
    assertMatch((await supabase(database, "db", "push")).said, /up to date/);
    assertEquals(await applyMigrations(database.sql, migrations), []);
  });
});

databaseTest("our runner applies what supabase db push left", async () => {
  await withDatabase({ migrated: false }, async (database) => {
    const project = await Deno.makeTempDir({ dir: home });
    await Deno.mkdir(join(project, "supabase/migrations"), { recursive: true });
    for (const name of names.slice(0, -1)) {
      const path = join("supabase/migrations", name);
      await Deno.copyFile(join(ROOT, path), join(project, path));
    }
    const args = ["db", "push", `--remote=${database.url}`];
    const { code, stderr } = await runSupabase(args, { project, home });
    assertEquals(code, 0, stderr);
    assertEquals((await applyMigrations(database.sql, migrations)).map(({ version }) => version), [
      migrations.at(-1)!.version,
    ]);
  });
});

databaseTest("supabase db advisors finds no error in the migrated database, and would", async () => {
  await withDatabase({ migrated: true }, async (database) => {
    const { code, said } = await supabase(
      database,
      "db",
      "advisors",
      "--level",
      "error",
      "--fail-on",
      "error",
    );
    assertEquals(code, 0, said);
    await database.sql`create table public.open (id int)`;
    await database.sql`grant usage on schema public to anon`;
    await database.sql`grant select on public.open to anon`;
    const open = await supabase(database, "db", "advisors", "--level", "error", "--fail-on", "error");
    assertEquals(open.code, 1, open.said);
    assertStringIncludes(open.said, "rls_disabled_in_public");
  });
});

async function recorded({ sql }: TestDatabase) {
  return [...await sql`select version, name from supabase_migrations.schema_migrations order by version`];
}

/** Everything the migrations make, as PostgreSQL itself describes it, so that two databases can be compared. */
async function readCatalog({ sql }: TestDatabase): Promise<unknown[]> {
  return [
    ...await sql`
    select 'table' as kind, c.relname::text as name, concat(c.relkind, c.relrowsecurity, c.relacl, obj_description(c.oid)) as says
      from pg_class c where c.relnamespace = 'framed'::regnamespace
    union all
    select 'column', a.attrelid::regclass || '.' || a.attname, concat(format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attacl,
        pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum))
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where c.relnamespace = 'framed'::regnamespace and a.attnum > 0
    union all
    select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'framed'::regnamespace
    union all
    select 'index', indexname, indexdef from pg_indexes where schemaname = 'framed'
    union all
    select 'policy', policyname || ' on ' || tablename, concat(permissive, roles, cmd, qual, ' / ', with_check)
      from pg_policies where schemaname = 'framed'
    union all
    select 'trigger', tgname, pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'framed'::regnamespace and not t.tgisinternal
    union all
    select 'function', p.oid::regprocedure::text, concat(pg_get_functiondef(p.oid), p.proowner::regrole, p.proacl,
        obj_description(p.oid)) from pg_proc p where p.pronamespace = 'framed'::regnamespace and p.prokind = 'f'
    union all
    select 'schema', nspname, concat(nspacl, obj_description(oid)) from pg_namespace where nspname = 'framed'
    order by kind, name`,
  ];
}
