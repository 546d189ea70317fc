import { assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { openTestDatabase } from "./testing/database.ts";

const SCRIPT = fileURLToPath(new URL("migrate.ts", import.meta.url));

async function migrate(url: string, args: string[] = []) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "--no-check", "-A", SCRIPT, ...args],
    env: { SUPABASE_DB_URL: url, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("migrate applies what is missing once", async () => {
  const database = await openTestDatabase();
  try {
    const { stdout, code } = await migrate(database.url);
    assertEquals([code, stdout], [0, "Nothing to apply: every migration is in.\n"]);

    await database.sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`;
    const refused = await migrate(database.url);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, "has 29990101000000 applied");
  } finally {
    await database.drop();
  }
});

Deno.test("migrate says in one line that there is no database", async () => {
  const { code, stderr } = await migrate("postgresql://postgres:canary-password@127.0.0.1:1/postgres");
  assertEquals(code, 1);
  assertEquals(stderr, "The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n");
});

Deno.test("migrate takes the address from the environment only", async () => {
  assertEquals((await migrate("")).code, 2);
  assertEquals((await migrate("postgresql://postgres@127.0.0.1:1/postgres", ["--help"])).code, 2);
});
