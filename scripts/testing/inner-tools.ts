/** What an outside server listed, put into the store without one. */

import type postgres from "postgres";

/** Of the tool that `addInnerTool` adds. */
export const UNSEEN_DIGEST = "0".repeat(64);

/** A tool that the server at `url` lists and nobody has looked at. */
export async function addInnerTool(
  sql: postgres.Sql,
  { workspaceId, url, name }: { workspaceId: string; url: string; name: string },
): Promise<void> {
  const told = { name, title: null, description: null, inputSchema: {}, outputSchema: null, annotations: {} };
  await sql`
    insert into framed.v2_inner_lists (workspace_id, url, era, first_listed_at, listed_at)
    values (${workspaceId}, ${url}, 'modern', now(), now())`;
  await sql`
    insert into framed.v2_inner_tools (workspace_id, url, name, position, told, digest)
    values (${workspaceId}, ${url}, ${name}, 1, ${
    JSON.stringify(told)
  }::text::json, decode(${UNSEEN_DIGEST}, 'hex'))`;
}
