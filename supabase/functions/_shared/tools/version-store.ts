/** Every definition a tool ever had, in the database. `store.ts` writes them. */

import type { FramedTool } from "../definition/format.ts";
import type { Transaction } from "../db/transaction.ts";
import type { Actor } from "../auth/principal.ts";
import type { Tool } from "./tool.ts";

/** Who defined a tool so, and when. */
export interface ListedVersion {
  readonly version: number;
  readonly defined_by: Actor;
  /** In ISO 8601. */
  readonly defined_at: string;
}

/** The versions of a tool that are older than `before`, newest first, at most `limit`. */
export async function listVersions(
  tx: Transaction,
  { tool, before, limit }: { tool: Tool; before: number | null; limit: number },
): Promise<ListedVersion[]> {
  return await tx<ListedVersion[]>`
    select v.version, v.defined_by, to_json(v.defined_at) #>> '{}' as defined_at
      from framed.v2_connector_versions v
     where v.workspace_id = ${tool.workspace_id} and v.connector_id = ${tool.id}
       ${before === null ? tx`` : tx`and v.version < ${before}::integer`}
     order by v.version desc limit ${limit}`;
}

/** One version with the file as it was defined; null where the tool never had it. */
export async function findVersion(
  tx: Transaction,
  { tool, version }: { tool: Tool; version: number },
): Promise<(ListedVersion & { readonly file: FramedTool }) | null> {
  const [row] = await tx<(ListedVersion & { file: FramedTool })[]>`
    select v.version, v.defined_by, to_json(v.defined_at) #>> '{}' as defined_at, v.file
      from framed.v2_connector_versions v
     where v.workspace_id = ${tool.workspace_id} and v.connector_id = ${tool.id} and v.version = ${version}::integer`;
  return row ?? null;
}
