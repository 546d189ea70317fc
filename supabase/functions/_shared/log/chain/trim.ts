/** Removes from the logs what is past the days that a workspace keeps it. */

import { type Database, isStoreUnavailable } from "../../db/client.ts";
import type { Share, Work } from "../../outcome/work.ts";
import { listOverdue, removeOldest } from "./store.ts";

/** Batches that go in one transaction; a batch has at most 1,000 rows. */
const MAX_SEALS = 20;
/** Workspaces of one tick. */
const MAX_WORKSPACES = 1_000;

/**
 * Removes whole sealed batches all of whose rows are older than the workspace's `log_days` (365 when it does not say).
 *
 * The last removed hash becomes what the chain starts from, so that what is left still verifies. What is not sealed is
 * never removed. Safe to run twice at once.
 */
export async function trimLogs(db: Database, { now, hasTime, report }: Share): Promise<Work> {
  const overdue = await listOverdue(db, { now, limit: MAX_WORKSPACES });
  const work = { claimed: overdue.length, done: 0, waiting: 0, failed: 0 };
  for (const { workspaceId, removeBefore } of overdue) {
    try {
      let removed = MAX_SEALS;
      while (removed === MAX_SEALS) {
        if (!hasTime()) return { ...work, more: true };
        removed = await db.begin((tx) =>
          removeOldest(tx, { workspaceId, removeBefore, maxSeals: MAX_SEALS })
        ) as number;
      }
      work.done++;
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      work.failed++;
      report(error, { workspace_id: workspaceId });
    }
  }
  return { ...work, more: overdue.length === MAX_WORKSPACES };
}
