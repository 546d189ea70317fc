/** What reads left behind: whole answers under a handle, and the newest of each call, kept until the next one. */

import type { JsonObject, JsonValue } from "../definition/json.ts";
import type { Transaction } from "../db/transaction.ts";
import type { Tool } from "../tools/tool.ts";
import { type ResultPlace, writeHandle } from "./handle.ts";

/** A stored result and the tool it is of. */
export interface StoredResult {
  readonly tool: Tool;
  readonly result: JsonValue;
  readonly read_at: string;
}

/**
 * The result at a place of the transaction's workspace: a long answer for a day, or what is kept of a call now. Null
 * for any other, and once its tool is gone or has another definition, which may withhold what that one let out.
 */
export async function findResult(
  tx: Transaction,
  { workspaceId, id }: ResultPlace,
): Promise<StoredResult | null> {
  const [row] = await tx<StoredResult[]>`
    select framed.tool_json(c) as tool, r.result, to_json(r.read_at) #>> '{}' as read_at
      from (
        select connector_id, version, result, read_at from framed.v2_results
         where workspace_id = ${workspaceId} and id = ${id} and read_at > now() - interval '1 day'
        union all
        select connector_id, version, result, read_at from framed.v2_kept_reads
         where workspace_id = ${workspaceId} and id = ${id}
      ) r
      join framed.v2_connectors c on c.workspace_id = ${workspaceId} and c.id = r.connector_id and c.version = r.version`;
  return row ?? null;
}

/** One kept read in a list. */
export interface ListedRead {
  readonly id: string;
  readonly workspace_id: string;
  readonly args: JsonObject;
  /** `capability/operation`, null where the tool has none. */
  readonly operation: string | null;
  readonly rows: number | null;
  readonly read_at: string;
}

/** What is kept of a tool's calls under its present definition, newest first, after the read at `after`. */
export async function listKeptReads(
  tx: Transaction,
  { tool, after, limit }: { tool: Tool; after: string | null; limit: number },
): Promise<ListedRead[]> {
  const { readAt, id } = readPlace(after);
  return await tx<ListedRead[]>`
    select id, workspace_id, args, operation, row_count as rows, to_json(read_at) #>> '{}' as read_at
      from framed.v2_kept_reads
     where workspace_id = ${tool.workspace_id} and connector_id = ${tool.id} and version = ${tool.version}
       and (${readAt}::timestamptz is null or (read_at, id) < (${readAt}::timestamptz, ${id}::uuid))
     order by read_at desc, id desc limit ${limit}`;
}

/** Where a read stands in the list, for the cursor after it. Reads are timed in whole milliseconds. */
export function placeOfRead({ read_at, id }: ListedRead): string {
  return `${Date.parse(read_at)} ${id}`;
}

/** The place a cursor names; one that was made up names none, and the list begins at its start. */
function readPlace(after: string | null): { readAt: string | null; id: string | null } {
  const [, ms, id = null] = /^(\d{1,13}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(after ?? "") ??
    [];
  return { readAt: ms === undefined ? null : new Date(Number(ms)).toISOString(), id };
}

/** A kept read as a caller sees it. */
export function listedRead({ id, workspace_id, args, operation, rows, read_at }: ListedRead): JsonObject {
  const [capability, name] = operation?.split("/") ?? [];
  return {
    args,
    ...(capability === undefined || name === undefined ? {} : { capability, operation: name }),
    rows,
    read_at,
    result_handle: writeHandle({ workspaceId: workspace_id, id }),
  };
}
