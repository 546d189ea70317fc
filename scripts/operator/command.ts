/** What every command of an operator does alike: the database it works on, and one line about what went wrong. */

import {
  type Database,
  isStoreUnavailable,
  openDatabase,
} from "../../supabase/functions/_shared/db/client.ts";
import type { Change } from "../../supabase/functions/_shared/flows/occasion.ts";

/** Why a command could not be done, in one line for the operator. */
export class CommandRefused extends Error {
  override name = "CommandRefused";
}

/**
 * Runs `work` on the database of SUPABASE_DB_URL and resolves with the exit code: 0 done, 1 refused, 2 no such URL. What
 * goes wrong is told on standard error in one line.
 */
export async function runOnDatabase(work: (db: Database) => Promise<void>): Promise<number> {
  const url = Deno.env.get("SUPABASE_DB_URL") ?? "";
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    console.error("SUPABASE_DB_URL is missing or no postgres:// URL: it says which database to work on.");
    return 2;
  }
  const db = openDatabase(url, { max: 1 });
  try {
    await work(db);
    return 0;
  } catch (error) {
    console.error(reasonOf(error));
    return 1;
  } finally {
    await db.end({ timeout: 1 });
  }
}

/** Who the log names for what is done at the database itself. */
export function operator(): Change {
  const startedAt = performance.now();
  return {
    actor: { kind: "operator", id: "operator", name: null },
    occasion: {
      requestId: `cmd_${crypto.randomUUID().replaceAll("-", "")}`,
      elapsedMs: () => Math.round(performance.now() - startedAt),
    },
  };
}

/** One line about what went wrong. The database's own words stay out where they could repeat what was given. */
function reasonOf(error: unknown): string {
  if (error instanceof CommandRefused) return error.message;
  const { code } = error as { code?: string };
  switch (code) {
    case "3F000":
    case "42P01":
    case "42883":
      return "The database has no schema framed, or an older one: apply the migrations first (supabase db push).";
    case "28P01":
    case "28000":
      return "The database refuses the user or password of SUPABASE_DB_URL.";
    case "3D000":
      return "The server has no database by the name in SUPABASE_DB_URL.";
    case "42501":
      return "The user of SUPABASE_DB_URL may not do this: it takes the owner of the schema framed.";
    default:
      if (isStoreUnavailable(error)) return `The database of SUPABASE_DB_URL cannot be reached (${code}).`;
      return `Nothing was changed: the database answered with an error (${code ?? "no code"}).`;
  }
}
