/**
 * `deno run -A scripts/migrate.ts`: applies what is missing of `supabase/migrations` to the database that
 * `SUPABASE_DB_URL` names, as `supabase db push` would.
 */

import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { applyMigrations, readMigrations } from "./stack/migrations.ts";
import { StackProblem, systemWords } from "./stack/stack-problem.ts";

const MIGRATIONS = fileURLToPath(new URL("../supabase/migrations", import.meta.url));
const USAGE = "Usage: SUPABASE_DB_URL=postgresql://… deno run -A scripts/migrate.ts";

async function main(args: readonly string[]): Promise<number> {
  // In the environment and not in the arguments, which every account of the machine can list: it holds a password.
  const url = Deno.env.get("SUPABASE_DB_URL");
  if (args.length > 0 || !url || !URL.canParse(url)) {
    console.error(USAGE);
    return 2;
  }
  const sql = postgres(url, {
    max: 1,
    prepare: false,
    fetch_types: false,
    connect_timeout: 10,
    onnotice: () => {},
  });
  try {
    const applied = await applyMigrations(sql, await readMigrations(MIGRATIONS));
    for (const { version, name } of applied) console.log(`Applied ${version}_${name}.sql`);
    if (applied.length === 0) console.log("Nothing to apply: every migration is in.");
    return 0;
  } catch (error) {
    console.error(
      error instanceof StackProblem ? error.message : `The database cannot be reached: ${systemWords(error)}`,
    );
    return 1;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
