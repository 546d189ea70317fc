/** Forgets what reads left behind once nobody counts on it any more, so that new arguments every day fill no database. */

import type { Database } from "../db/client.ts";
import { NO_WORK, type Share, type Work } from "../outcome/work.ts";

/** How long the pages of a long answer are read, in days. */
const RESULT_DAYS = 1;
/** How long a kept read is answered from when the same call is not read again, in days. */
const KEPT_READ_DAYS = 90;
/** Rows of one statement: it is short, and two ticks at once take different ones. */
const BATCH = 1_000;

/**
 * Removes long answers older than a day and kept reads older than 90 days by the tick's clock, of every workspace, oldest
 * first, as long as there is time. Runs as the owner. Safe to run twice at once.
 */
export async function forgetReads(db: Database, { now, hasTime }: Share): Promise<Work> {
  const work = { ...NO_WORK };
  for (const [table, days] of [["v2_results", RESULT_DAYS], ["v2_kept_reads", KEPT_READ_DAYS]] as const) {
    let removed = BATCH;
    while (removed === BATCH) {
      if (!hasTime()) return { ...work, more: true };
      const rows = await db`
        delete from framed.${db(table)} where id in (
          select id from framed.${
        db(table)
      } where read_at < ${now.toISOString()}::text::timestamptz - ${days} * interval '1 day'
           order by read_at limit ${BATCH} for update skip locked)`;
      removed = rows.count;
      work.claimed += removed;
      work.done += removed;
    }
  }
  return work;
}
