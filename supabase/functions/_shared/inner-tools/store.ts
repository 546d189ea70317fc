/** What outside servers list, and what was accepted of it, in the database: by workspace and address of the server. */

import { type Database, onlyRow, untilSent } from "../db/client.ts";
import type { Transaction } from "../db/transaction.ts";
import { digestOf } from "./digest.ts";
import type { AcceptedTool, Era, KnownTool, ServerList, ToldTool } from "./inner-tool.ts";
import { serverAddress } from "./server-address.ts";

/** Of which server, on which workspace. */
export interface ServerPlace {
  readonly workspaceId: string;
  /** As the file writes it; what is known of a server is kept by its `serverAddress`. */
  readonly url: string;
}

/** What a server lists, with what was accepted of each of its tools, in the server's order. */
export interface KnownList {
  readonly era: Era;
  readonly tools: readonly KnownTool[];
}

/** A list that was stored a while ago. */
export interface StoredList extends KnownList {
  readonly listedAt: Date;
}

/** What the server last listed; null where it was never asked. */
export async function findInnerList(
  db: Database,
  { workspaceId, url }: ServerPlace,
): Promise<StoredList | null> {
  const rows = await untilSent(() =>
    db<{ list: StoredRow | null }[]>`select framed.read_inner_list(${workspaceId}::uuid, ${
      serverAddress(url)
    }) as list`
  );
  const { list } = onlyRow(rows);
  if (list === null) return null;
  return { era: list.era, listedAt: new Date(list.listed_at), tools: list.tools.map(knownOf) };
}

interface StoredRow {
  readonly era: Era;
  readonly listed_at: string;
  readonly tools: readonly ToolRow[];
}

interface ToolRow {
  readonly told: ToldTool;
  readonly digest: string;
  readonly accepted: ToldTool | null;
  readonly accepted_digest: string | null;
}

function knownOf({ told, digest, accepted, accepted_digest }: ToolRow): KnownTool {
  return { told, digest, accepted: accepted === null ? null : { told: accepted, digest: accepted_digest! } };
}

/**
 * Stores what a server answered when it was asked at `askedAt`, and tells it with what is accepted. The very first list
 * is accepted as it is; later ones accept nothing, and one that was asked for before the stored one is not stored.
 */
export async function storeInnerList(
  db: Database,
  { workspaceId, url, list, askedAt }: ServerPlace & { list: ServerList; askedAt: Date },
): Promise<KnownList> {
  const tools = list.tools.map((told) => ({ told, digest: digestOf(told) }));
  const rows = await untilSent(() =>
    db<{ accepted: AcceptedTool[] }[]>`
    select framed.store_inner_list(${workspaceId}::uuid, ${
      serverAddress(url)
    }, ${list.era}, ${askedAt.toISOString()}::timestamptz,
      ${JSON.stringify(tools)}::text::json) as accepted`
  );
  const accepted = new Map(onlyRow(rows).accepted.map((one) => [one.told.name, one]));
  return {
    era: list.era,
    tools: tools.map(({ told, digest }) => ({ told, digest, accepted: accepted.get(told.name) ?? null })),
  };
}

/** The tool of that name as the server last listed it; null where it did not. */
export async function findInnerTool(
  tx: Transaction,
  { workspaceId, url, name }: ServerPlace & { name: string },
): Promise<KnownTool | null> {
  const [row] = await tx<ToolRow[]>`
    select ${shown(tx)} from framed.v2_inner_tools
     where workspace_id = ${workspaceId} and url = ${
    serverAddress(url)
  } and name = ${name} and position is not null`;
  return row === undefined ? null : knownOf(row);
}

/** The tools the server last listed, by name, after `after`, at most `limit`. */
export async function listInnerTools(
  tx: Transaction,
  { workspaceId, url, after, limit }: ServerPlace & { after: string | null; limit: number },
): Promise<KnownTool[]> {
  const rows = await tx<ToolRow[]>`
    select ${shown(tx)} from framed.v2_inner_tools
     where workspace_id = ${workspaceId} and url = ${
    serverAddress(url)
  } and position is not null and name > ${after ?? ""}
     order by name limit ${limit}`;
  return rows.map(knownOf);
}

function shown(tx: Transaction) {
  return tx`told, encode(digest, 'hex') as digest, accepted, encode(accepted_digest, 'hex') as accepted_digest`;
}

/** Accepts what the server now tells of the tool, where that still has the digest; tells whether it has. */
export async function acceptInnerTool(
  tx: Transaction,
  { workspaceId, url, name, digest, userId }: ServerPlace & { name: string; digest: string; userId: string },
): Promise<boolean> {
  const rows = await tx`
    update framed.v2_inner_tools set accepted = told, accepted_digest = digest, accepted_at = now(), accepted_by = ${userId}
     where workspace_id = ${workspaceId} and url = ${
    serverAddress(url)
  } and name = ${name} and position is not null
       and digest = decode(${digest}, 'hex')
    returning 1`;
  return rows.length === 1;
}
