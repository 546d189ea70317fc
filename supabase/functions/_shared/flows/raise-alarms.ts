/** What is said of follow-ups by itself, once each, and their end: after the checks that are due, so that what is done is not said. */

import type { Database } from "../db/client.ts";
import { giveUpDue, raiseDueAlarms } from "../follow-ups/store.ts";
import { isoWeek } from "../follow-ups/week.ts";
import { NO_WORK, type Share, type Work } from "../outcome/work.ts";

/** Follow-ups of one statement. */
const BATCH = 500;

/**
 * Follow-ups that have waited their days join their workspace's one finding of this ISO week, each once. Not while a check of
 * one is due: a tick that is late would say of what is done that it waits. Safe to run twice at once.
 */
export function raiseAlarms(db: Database, share: Share): Promise<Work> {
  const week = isoWeek(share.now);
  return inBatches(share, (at) => raiseDueAlarms(db, { at, week, atMost: BATCH }));
}

/** Ends follow-ups whose days are over, after their last due check and their alarm. Safe to run twice at once. */
export function giveUp(db: Database, share: Share): Promise<Work> {
  return inBatches(share, (at) => giveUpDue(db, { at, atMost: BATCH }));
}

/** At least one batch, whatever the time: it is short, and checks that take all of it must not keep it from ever being said. */
async function inBatches(
  { now, hasTime }: Share,
  takeBatch: (at: Date) => Promise<number>,
): Promise<Work> {
  let done = 0;
  for (;;) {
    const taken = await takeBatch(now);
    done += taken;
    const more = taken === BATCH;
    if (!more || !hasTime()) return { ...NO_WORK, claimed: done, done, more };
  }
}
