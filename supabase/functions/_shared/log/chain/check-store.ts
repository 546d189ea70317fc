/** Reads a chain and what hangs on it, for the check. Runs as the owner. */

import type { Queryable } from "../../db/client.ts";
import { FIRST_PREVIOUS_HASH } from "./link.ts";
import type { Link, Seal } from "./store.ts";

/** Where a chain starts and ends. */
export interface Chain {
  readonly startSeal: number;
  readonly startId: string;
  readonly startHash: string;
  readonly lastSeal: number;
  readonly lastId: string;
  readonly lastHash: string;
}

/** The workspace's chain; an empty one where nothing was ever sealed. */
export async function findChain(tx: Queryable, { workspaceId }: { workspaceId: string }): Promise<Chain> {
  const [chain] = await tx<Chain[]>`
    select start_seal::float8 as "startSeal", start_id::text as "startId", encode(start_hash, 'hex') as "startHash",
      last_seal::float8 as "lastSeal", last_id::text as "lastId", encode(last_hash, 'hex') as "lastHash"
    from framed.log_chains where workspace_id = ${workspaceId}`;
  const end = { id: "0", hash: FIRST_PREVIOUS_HASH };
  return chain ?? {
    startSeal: 0,
    startId: end.id,
    startHash: end.hash,
    lastSeal: 0,
    lastId: end.id,
    lastHash: end.hash,
  };
}

/** Seals numbered above `after`, in order. */
export async function listSeals(
  tx: Queryable,
  { workspaceId, after, limit }: { workspaceId: string; after: number; limit: number },
): Promise<Seal[]> {
  return [
    ...await tx<Seal[]>`
    select s.number::float8 as number, s.first_id::text, s.last_id::text, s.row_count, encode(s.hash, 'hex') as hash
      from framed.log_seals s where s.workspace_id = ${workspaceId} and s.number > ${after}
     order by s.number limit ${limit}`,
  ];
}

/** Links above `after`, up to `upTo`, in order. */
export async function listLinks(
  tx: Queryable,
  { workspaceId, after, upTo, limit }: { workspaceId: string; after: string; upTo: string; limit: number },
): Promise<Link[]> {
  return [
    ...await tx<Link[]>`
    select l.event_id::text, encode(l.previous_hash, 'hex') as previous_hash, encode(l.hash, 'hex') as hash
      from framed.log_links l
     where l.workspace_id = ${workspaceId} and l.event_id > ${after}::bigint and l.event_id <= ${upTo}::bigint
     order by l.event_id limit ${limit}`,
  ];
}

/** Something outside of a chain: a row or a link by the row's id, a seal by its number. */
export interface Stray {
  readonly kind: "event" | "link" | "seal";
  readonly id: string;
}

/** What is outside of the chain and must not be there: a row before its start, a link or a seal past its ends. */
export async function findStray(
  tx: Queryable,
  { workspaceId }: { workspaceId: string },
): Promise<Stray | null> {
  const [stray] = await tx<Stray[]>`
    select kind, id::text from (
      select 'event' as kind, min(e.id) as id from framed.log_events e where e.workspace_id = ${workspaceId}
        and e.id <= (select start_id from framed.log_chains where workspace_id = ${workspaceId})
      union all
      select 'link', min(l.event_id) from framed.log_links l where l.workspace_id = ${workspaceId}
        and not exists (select from framed.log_chains c where c.workspace_id = l.workspace_id
          and l.event_id > c.start_id and l.event_id <= c.last_id)
      union all
      select 'seal', min(s.number) from framed.log_seals s where s.workspace_id = ${workspaceId}
        and not exists (select from framed.log_chains c where c.workspace_id = s.workspace_id
          and s.number > c.start_seal and s.number <= c.last_seal)
    ) stray where id is not null order by kind limit 1`;
  return stray ?? null;
}

/** How many rows wait to be sealed. */
export async function countUnsealed(
  tx: Queryable,
  { workspaceId, after }: { workspaceId: string; after: string },
): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select count(*)::int as rows from framed.log_events where workspace_id = ${workspaceId} and id > ${after}::bigint`;
  return row!.rows;
}

/** Every workspace, by id and name. */
export async function listWorkspaces(
  tx: Queryable,
  { id = null }: { id?: string | null } = {},
): Promise<{ id: string; name: string }[]> {
  return [
    ...await tx<{ id: string; name: string }[]>`
    select id, name from framed.workspaces where ${id}::uuid is null or id = ${id}::uuid order by id`,
  ];
}
