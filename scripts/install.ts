/**
 * `deno task install TOOL --workspace ID`: puts a tool that ships with Framed on a workspace, or the present version of it
 * in the place of an earlier one, for who operates the database.
 */

import { parseArgs } from "node:util";
import { installEverywhere, installOn } from "./install/commands.ts";
import { readShippedTool, shippedSlugs } from "../supabase/functions/_shared/shipped/shipped.ts";
import { runOnDatabase } from "./operator/command.ts";

const USAGE = `Usage: deno task install TOOL --workspace ID
       deno task install TOOL --everywhere

  --workspace ID  puts TOOL on the workspace; run again, it brings a newer version of it
  --everywhere    brings the present version to every workspace that has TOOL already

Tools: ${shippedSlugs().join(", ")}
SUPABASE_DB_URL says which database, as its owner. Pasted values stay. An administrator pastes the ones that are missing
under Connections. Exit codes: 0 done, 1 refused, 2 usage.`;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

async function main(args: string[]): Promise<number> {
  const asked = readArgs(args);
  if (typeof asked === "string") {
    console.error(`${asked} See deno task install --help.`);
    return 2;
  }
  if (asked === null) {
    console.log(USAGE);
    return 0;
  }
  const tool = readShippedTool(asked.slug);
  return await runOnDatabase(async (db) => {
    const { workspaceId } = asked;
    const lines = workspaceId === null
      ? await installEverywhere(db, { tool })
      : [await installOn(db, { tool, workspaceId })];
    for (const line of lines) console.log(line);
  });
}

/** What was asked; null for help, a text for what is wrong. */
function readArgs(args: string[]): { slug: string; workspaceId: string | null } | string | null {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        workspace: { type: "string" },
        everywhere: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return `${(error as Error).message.split(". ")[0]}.`;
  }
  const { positionals: [slug, ...rest], values: { workspace, everywhere = false, help = false } } = parsed;
  if (help) return null;
  if (slug === undefined || rest.length > 0 || !shippedSlugs().includes(slug)) {
    return `One of the tools that ship is wanted: ${shippedSlugs().join(", ")}.`;
  }
  if ((workspace !== undefined) === everywhere) return "One of --workspace ID and --everywhere is wanted.";
  if (workspace !== undefined && !UUID.test(workspace)) {
    return "--workspace takes the id of a workspace, a UUID.";
  }
  return { slug, workspaceId: workspace?.toLowerCase() ?? null };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
