/** Seals what was appended to the logs: a link for each row, in the order of ids, and a seal for each batch. */

import { type Database, isStoreUnavailable, type Queryable } from "../../db/client.ts";
import type { Share, Work } from "../../outcome/work.ts";
import type { LoggedEvent } from "../event.ts";
import { hashRow } from "./link.ts";
import { holdChain, type Horizon, insertSeal, type Link, listRows, listUnsealed, waitFor } from "./store.ts";

/** Rows of one seal. */
const MAX_BATCH = 1_000;
/** Rows of one tick, which has to end within the processor time of an edge function. */
const MAX_ROWS = 20_000;
/** Workspaces of one tick. */
const MAX_WORKSPACES = 1_000;

/**
 * Seals every workspace's settled rows, a batch of each in turn, so that one that writes much does not hold others up.
 *
 * A row is sealed once no row with a lower id can still appear: a transaction may commit long after it took its row's
 * id. Until then a workspace counts as waiting. Safe to run twice at once: a chain is one tick's at a time.
 */
export async function sealLogs(db: Database, { now, hasTime, report }: Share): Promise<Work> {
  const unsealed = await listUnsealed(db, { limit: MAX_WORKSPACES });
  const work = { claimed: unsealed.length, done: 0, waiting: 0, failed: 0 };
  let left = MAX_ROWS;
  let turn = unsealed;
  while (turn.length > 0) {
    const unfinished: typeof turn = [];
    for (const chain of turn) {
      if (left <= 0 || !hasTime()) return { ...work, more: true };
      try {
        const sealed = await sealBatch(db, { ...chain, sealedAt: now, limit: Math.min(MAX_BATCH, left) });
        left -= sealed.rows;
        if (sealed.reached === "waits") work.waiting++;
        else if (sealed.reached === "end") work.done++;
        else unfinished.push(chain);
      } catch (error) {
        if (isStoreUnavailable(error)) throw error;
        work.failed++;
        report(error, { workspace_id: chain.workspaceId });
      }
    }
    turn = unfinished;
  }
  return { ...work, more: unsealed.length === MAX_WORKSPACES };
}

interface Batch {
  readonly workspaceId: string;
  readonly fresh: Horizon;
  readonly sealedAt: Date;
  readonly limit: number;
}

/** What was sealed, and whether that is all there was, all that is settled, or more is left to seal now. */
interface Sealed {
  readonly rows: number;
  readonly reached: "end" | "waits" | "limit";
}

/** One batch of one workspace in one transaction. */
async function sealBatch(db: Database, batch: Batch): Promise<Sealed> {
  // With the cast the driver's type of a transaction's value is our own again.
  return await db.begin((tx) => sealIn(tx, batch)) as Sealed;
}

async function sealIn(tx: Queryable, { workspaceId, fresh, sealedAt, limit }: Batch): Promise<Sealed> {
  const held = await holdChain(tx, { workspaceId, fresh });
  // Another tick has it, and seals what is there.
  if (held === null) return { rows: 0, reached: "end" };
  if (held.settledId === null) {
    if (held.waitsFor === null) await waitFor(tx, { workspaceId, horizon: fresh });
    return { rows: 0, reached: "waits" };
  }
  const lines = await listRows(tx, { workspaceId, after: held.lastId, upTo: held.settledId, limit });
  const rows = lines.map((line): LoggedEvent => JSON.parse(line));
  if (rows.length > 0) {
    await insertSeal(tx, {
      workspaceId,
      number: held.lastSeal + 1,
      links: linkRows(held.lastHash, rows),
      newestAt: rows.map(({ at }) => at).reduce((a, b) => a > b ? a : b),
      sealedAt,
    });
  }
  if (rows.length === limit) return { rows: rows.length, reached: "limit" };
  const settled = BigInt(held.settledId) >= BigInt(fresh.id);
  if (!settled || held.waitsFor !== null) await waitFor(tx, { workspaceId, horizon: settled ? null : fresh });
  return { rows: rows.length, reached: settled ? "end" : "waits" };
}

function linkRows(lastHash: string, rows: readonly LoggedEvent[]): Link[] {
  let previous_hash = lastHash;
  return rows.map((row) => {
    const link = { event_id: row.id, previous_hash, hash: hashRow(previous_hash, row) };
    previous_hash = link.hash;
    return link;
  });
}
