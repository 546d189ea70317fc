/**
 * Seals, links and where each workspace's chain stands, in the database. Every query here runs as the owner: the role
 * the functions work as reads the chain and can write none of it.
 */

import type { Database, Queryable } from "../../db/client.ts";
import { eventLine } from "../store.ts";

/** Up to where a workspace's log was written at one moment. */
export interface Horizon {
  /** The highest id that was there. */
  readonly id: string;
  /** Everything up to `id` is settled once each transaction with a number below this one has ended. */
  readonly xid: string;
}

/**
 * The workspaces that have unsealed rows, those first whose chain was sealed longest ago, with the horizon of each.
 *
 * A transaction takes its number before it takes the id of a row. So whoever may still commit an id below the highest
 * visible one had a number when that id was seen, and the counter that is read afterwards is above it.
 */
export async function listUnsealed(
  db: Database,
  { limit }: { limit: number },
): Promise<{ workspaceId: string; fresh: Horizon }[]> {
  const rows = await db<{ workspace_id: string; newest_id: string }[]>`
    select w.id as workspace_id, e.newest_id::text
      from framed.workspaces w left join framed.log_chains c on c.workspace_id = w.id
      cross join lateral (select max(id) as newest_id from framed.log_events where workspace_id = w.id) e
     where e.newest_id > coalesce(c.last_id, 0) order by c.sealed_at nulls first, w.id limit ${limit}`;
  if (rows.length === 0) return [];
  // A statement of its own, so that its snapshot is later than that of the ids.
  const [counter] = await db<{ xid: string }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text as xid`;
  return rows.map(({ workspace_id, newest_id }) => ({
    workspaceId: workspace_id,
    fresh: { id: newest_id, xid: counter!.xid },
  }));
}

/** The end of a chain, held until the transaction ends. */
export interface HeldChain {
  readonly lastSeal: number;
  readonly lastId: string;
  readonly lastHash: string;
  /** Everything up to here is settled: no row with this id or a lower one can still appear. Null while that is not known. */
  readonly settledId: string | null;
  /** A horizon of an earlier tick that had not been reached; null where none is waited for. */
  readonly waitsFor: Horizon | null;
}

/** Takes the workspace's chain for this transaction, or null where another tick has it. */
export async function holdChain(
  tx: Queryable,
  { workspaceId, fresh }: { workspaceId: string; fresh: Horizon },
): Promise<HeldChain | null> {
  await tx`insert into framed.log_chains (workspace_id) values (${workspaceId}) on conflict do nothing`;
  const [row] = await tx<
    (Omit<HeldChain, "waitsFor"> & { horizon_id: string | null; horizon_xid: string | null })[]
  >`
    select last_seal::float8 as "lastSeal", last_id::text as "lastId", encode(last_hash, 'hex') as "lastHash",
      horizon_id::text, horizon_xid::text,
      case when ${fresh.xid}::xid8 <= pg_snapshot_xmin(pg_current_snapshot()) then ${fresh.id}
           when horizon_xid <= pg_snapshot_xmin(pg_current_snapshot()) then horizon_id::text end as "settledId"
    from framed.log_chains where workspace_id = ${workspaceId} for update skip locked`;
  if (row === undefined) return null;
  const { horizon_id, horizon_xid, ...held } = row;
  return {
    ...held,
    waitsFor: horizon_id === null ? null : { id: horizon_id, xid: horizon_xid! },
  };
}

/** Rows above `after`, up to `upTo`, as lines of JSON, oldest first. */
export async function listRows(
  tx: Queryable,
  { workspaceId, after, upTo, limit }: { workspaceId: string; after: string; upTo: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ line: string }[]>`
    select ${eventLine(tx)} as line from framed.log_events e
     where e.workspace_id = ${workspaceId} and e.id > ${after}::bigint and e.id <= ${upTo}::bigint
     order by e.id limit ${limit}`;
  return rows.map((row) => row.line);
}

/** One sealed row. */
export interface Link {
  readonly event_id: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** One batch of sealed rows. */
export interface Seal {
  readonly number: number;
  readonly first_id: string;
  readonly last_id: string;
  readonly row_count: number;
  readonly hash: string;
}

/** Writes a seal with its links and moves the chain's end to it. A chain is sealed once: numbers and links are unique. */
export async function insertSeal(
  tx: Queryable,
  { workspaceId, number, links, newestAt, sealedAt }: {
    workspaceId: string;
    number: number;
    links: readonly Link[];
    newestAt: string;
    sealedAt: Date;
  },
): Promise<void> {
  await tx`
    with links as (
      insert into framed.log_links (workspace_id, event_id, seal, previous_hash, hash)
      select ${workspaceId}::uuid, event_id, ${number}::bigint, decode(previous_hash, 'hex'), decode(hash, 'hex')
        from json_to_recordset(${
    JSON.stringify(links)
  }::text::json) as l(event_id bigint, previous_hash text, hash text)
      returning event_id, hash
    ), seal as (
      insert into framed.log_seals (workspace_id, number, first_id, last_id, row_count, hash, newest_at, sealed_at)
      select ${workspaceId}::uuid, ${number}::bigint, min(event_id), max(event_id), count(*),
        (select hash from links order by event_id desc limit 1), ${newestAt}::timestamptz, ${sealedAt.toISOString()}::timestamptz
      from links
      returning number, last_id, hash, sealed_at
    )
    update framed.log_chains c set last_seal = s.number, last_id = s.last_id, last_hash = s.hash, sealed_at = s.sealed_at
      from seal s where c.workspace_id = ${workspaceId}`;
}

/** Notes up to where the next tick can seal once what runs now has ended; null notes that nothing is waited for. */
export async function waitFor(
  tx: Queryable,
  { workspaceId, horizon }: { workspaceId: string; horizon: Horizon | null },
): Promise<void> {
  await tx`
    update framed.log_chains set horizon_id = ${horizon?.id ?? null}::bigint, horizon_xid = ${
    horizon?.xid ?? null
  }::xid8
     where workspace_id = ${workspaceId}`;
}

/** The workspaces whose oldest sealed batch is past its days on `now`, those with the oldest first. */
export async function listOverdue(
  db: Database,
  { now, limit }: { now: Date; limit: number },
): Promise<{ workspaceId: string; removeBefore: string }[]> {
  const rows = await db<{ workspace_id: string; remove_before: string }[]>`
    select c.workspace_id, k.remove_before::text
      from framed.log_chains c join framed.workspaces w on w.id = c.workspace_id
      join framed.log_seals s on s.workspace_id = c.workspace_id and s.number = c.start_seal + 1
      cross join lateral (select ${now.toISOString()}::timestamptz - make_interval(days => case
        when jsonb_typeof(w.settings -> 'log_days') = 'number'
        then least(greatest((w.settings ->> 'log_days')::numeric, 1), 36500)::integer else ${DEFAULT_LOG_DAYS} end) as remove_before) k
     where s.newest_at < k.remove_before order by s.newest_at limit ${limit}`;
  return rows.map(({ workspace_id, remove_before }) => ({
    workspaceId: workspace_id,
    removeBefore: remove_before,
  }));
}

/** How long a workspace's log is kept when its settings do not say, in days. */
const DEFAULT_LOG_DAYS = 365;

/**
 * Removes up to `maxSeals` whole batches from the start of the chain, all of whose rows are older than `removeBefore`,
 * and makes the last removed hash what the chain starts from. Tells how many went; 0 where another tick has the chain.
 *
 * Only sealed rows go. A row that no seal holds stays where it is, for the check to find.
 */
export async function removeOldest(
  tx: Queryable,
  { workspaceId, removeBefore, maxSeals }: { workspaceId: string; removeBefore: string; maxSeals: number },
): Promise<number> {
  const [held] = await tx<{ start_seal: string }[]>`
    select start_seal::text from framed.log_chains where workspace_id = ${workspaceId} for update skip locked`;
  if (held === undefined) return 0;
  const [removed] = await tx<{ seals: number }[]>`
    with old as (
      select number, last_id, hash from framed.log_seals s
       where workspace_id = ${workspaceId} and number > ${held.start_seal}::bigint
         and number <= ${held.start_seal}::bigint + ${maxSeals}::bigint
         and not exists (select from framed.log_seals y where y.workspace_id = s.workspace_id and y.number <= s.number
           and y.number > ${held.start_seal}::bigint and y.newest_at >= ${removeBefore}::timestamptz)
    ), last as (
      select number, last_id, hash from old order by number desc limit 1
    ), links as (
      delete from framed.log_links l using last
       where l.workspace_id = ${workspaceId} and l.event_id <= last.last_id returning l.event_id
    ), events as (
      delete from framed.log_events e using links where e.workspace_id = ${workspaceId} and e.id = links.event_id
    ), seals as (
      delete from framed.log_seals s using last where s.workspace_id = ${workspaceId} and s.number <= last.number
      returning s.number
    ), chain as (
      update framed.log_chains c set start_seal = last.number, start_id = last.last_id, start_hash = last.hash
        from last where c.workspace_id = ${workspaceId}
    )
    select count(*)::int as seals from seals`;
  return removed!.seals;
}
