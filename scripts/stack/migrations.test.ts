import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "node:path";
import postgres from "postgres";
import { openTestDatabase } from "../testing/database.ts";
import { applyMigrations, type Migration, pendingMigrations, readMigrations } from "./migrations.ts";
import { StackProblem } from "./stack-problem.ts";

const ONE = migration("20260101000000", "create table public.one (id int);");
const TWO = migration(
  "20260102000000",
  "set search_path = ''; create table public.two (id int); insert into public.two values (2);",
);
const BROKEN = migration(
  "20260103000000",
  "create table public.three (id int);\n\ncreate tabel public.four (id int);",
);

function migration(version: string, sql: string): Migration {
  return { version, name: "change_something", sql };
}

async function withFolder(
  files: Record<string, string>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("readMigrations() reads the files in the order of their versions and leaves others alone", async () => {
  await withFolder({
    "20260102000000_add_b.sql": "b",
    "20260101000000_add_a.sql": "a",
    "README.md": "no migration",
  }, async (folder) => {
    assertEquals(await readMigrations(folder), [
      { version: "20260101000000", name: "add_a", sql: "a" },
      { version: "20260102000000", name: "add_b", sql: "b" },
    ]);
  });
});

for (
  const [what, files, says] of [
    ["a name without its place in the order", { "add_a.sql": "" }, "add_a.sql is not named"],
    [
      "a version twice",
      { "20260101000000_a.sql": "", "20260101000000_b.sql": "" },
      "have the version 20260101000000",
    ],
  ] as const
) {
  Deno.test(`readMigrations() refuses ${what}`, async () => {
    await withFolder(files, async (folder) => {
      await assertRejects(() => readMigrations(folder), StackProblem, says);
    });
  });
}

Deno.test("pendingMigrations() is what comes after the applied ones", () => {
  assertEquals(pendingMigrations([ONE, TWO], []), [ONE, TWO]);
  assertEquals(pendingMigrations([ONE, TWO], [ONE.version]), [TWO]);
  assertEquals(pendingMigrations([ONE, TWO], [ONE.version, TWO.version]), []);
});

Deno.test("pendingMigrations() refuses what the Supabase CLI refuses", () => {
  assertThrows(
    () => pendingMigrations([ONE], [ONE.version, "20270101000000"]),
    StackProblem,
    "has 20270101000000 applied",
  );
  assertThrows(
    () => pendingMigrations([ONE, TWO], [TWO.version]),
    StackProblem,
    "would come before 20260102000000",
  );
});

Deno.test("applyMigrations() on a real database", async (t) => {
  const database = await openTestDatabase();
  const { sql } = database;
  const applied = () =>
    sql`select version, name, statements[1] as sql from supabase_migrations.schema_migrations`;
  try {
    await sql`drop schema supabase_migrations cascade`;

    await t.step("applies what is missing and records it in the CLI's table", async () => {
      assertEquals(await applyMigrations(sql, [ONE]), [ONE]);
      assertEquals(await applyMigrations(sql, [ONE, TWO]), [TWO]);
      assertEquals(await applyMigrations(sql, [ONE, TWO]), []);
      assertEquals((await applied()).map((row) => ({ ...row })), [{ ...ONE }, { ...TWO }]);
      const columns = await sql`
        select column_name || ' ' || data_type as is from information_schema.columns
         where table_schema = 'supabase_migrations' and table_name = 'schema_migrations' order by ordinal_position`;
      assertEquals(columns.map((row) => row.is), ["version text", "statements ARRAY", "name text"]);
    });

    await t.step("leaves no setting of a file behind", async () => {
      const [row] = await sql`select current_setting('search_path') as path`;
      assertEquals(row?.path, '"$user", public');
    });

    await t.step("names file and line of what the database refuses, and keeps nothing of it", async () => {
      const says = `20260103000000_change_something.sql:3: syntax error at or near "tabel"`;
      await assertRejects(() => applyMigrations(sql, [ONE, TWO, BROKEN]), StackProblem, says);
      assertEquals((await applied()).length, 2);
      assertEquals((await sql`select to_regclass('public.three') as found`)[0]?.found, null);
    });

    await t.step("lets two runners apply each file once", async () => {
      const files = ["20260104000000", "20260105000000"].map((version) =>
        migration(version, `create table public.t${version} (id int);`)
      );
      const second = postgres(database.url, { max: 1, fetch_types: false, onnotice: () => {} });
      const both = await Promise.all([sql, second].map((db) => applyMigrations(db, [ONE, TWO, ...files])));
      await second.end();
      assertEquals(both.flat().toSorted((a, b) => a.version.localeCompare(b.version)), files);
    });
  } finally {
    await database.drop();
  }
});
