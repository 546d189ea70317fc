/** Does what `deno task install` is asked, as the owner of the database; each workspace is one transaction. */

import type { Database } from "../../supabase/functions/_shared/db/client.ts";
import { installTool } from "../../supabase/functions/_shared/flows/install-tool.ts";
import { type FramedTool, secretsOf } from "../../supabase/functions/_shared/framed-tool.ts";
import { CommandRefused, operator } from "../operator/command.ts";

/** Installs or upgrades `tool` on one workspace and says in one line what happened. Throws `CommandRefused`. */
export async function installOn(
  db: Database,
  { tool, workspaceId }: { tool: FramedTool; workspaceId: string },
): Promise<string> {
  return await db.begin(async (tx) => {
    const workspaces = await tx`select from framed.workspaces where id = ${workspaceId}`;
    if (workspaces.count === 0) throw new CommandRefused("There is no workspace with that id.");
    const result = await installTool(tx, { workspaceId, tool, change: operator() });
    if (!result.ok) throw new CommandRefused(`${result.refusal.detail} ${result.refusal.hint}`);
    const { version, did } = result.value;
    const where = `on workspace ${workspaceId}`;
    switch (did) {
      case "installed":
        return `${tool.slug} is ${where}. It needs the values of ${
          secretsOf(tool).map(({ name }) => name).join(" and ")
        }.`;
      case "upgraded":
        return `${tool.slug} ${where} is at version ${version} now. Pasted values stayed.`;
      case "nothing":
        return `${tool.slug} ${where} is this version already.`;
      default:
        return did satisfies never;
    }
  });
}

/** The same on every workspace that has `tool` as it came with Framed. One line each. */
export async function installEverywhere(db: Database, { tool }: { tool: FramedTool }): Promise<string[]> {
  const having = await db<{ workspace_id: string }[]>`
    select workspace_id from framed.v2_connectors where slug = ${tool.slug} and origin = 'seeded' order by workspace_id`;
  const lines: string[] = [];
  for (const { workspace_id } of having) {
    lines.push(await installOn(db, { tool, workspaceId: workspace_id }));
  }
  return lines.length === 0 ? [`No workspace has ${tool.slug}.`] : lines;
}
