/** The tick: what has to happen though nobody asks, once a minute, within its time. */

import { type Database, isStoreUnavailable } from "../db/client.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import { forgetDrained } from "../limits/store.ts";
import { sealLogs } from "../log/chain/seal.ts";
import { trimLogs } from "../log/chain/trim.ts";
import { forgetConnections } from "../oauth/store.ts";
import { addWork, NO_WORK, type Share, type Work } from "../outcome/work.ts";
import { forgetReads } from "../results/forget.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { CallMeans } from "./call-tool.ts";
import { giveUp, raiseAlarms } from "./raise-alarms.ts";
import { renewStale } from "./renew-stale.ts";
import { runChecks } from "./run-checks.ts";
import { expireWaiting, forgetSealed, sendAbandoned } from "./send-abandoned.ts";
import { sendNotices } from "./send-notices.ts";

/** What the jobs work with. */
export interface TickMeans {
  readonly db: Database;
  /** The way out, for what is asked and told of other systems. */
  readonly egress: Egress;
  /** Null where the stack has no master key: nothing sealed can be opened then. */
  readonly keyRing: KeyRing | null;
  /** Where people see and decide: no slash at the end. */
  readonly consoleUrl: string;
  /** The tick's clock. */
  readonly now: Date;
  /** Takes what broke in a job; the tick goes on. */
  readonly report: (error: unknown, about: Readonly<Record<string, string>>) => void;
}

/**
 * One thing the tick does. It claims what is due and nothing that another tick has, so two ticks at once do it once;
 * it goes by what is stored and the clock, so a tick that is hours late does what the missed ones would have done.
 */
interface Job {
  readonly name: string;
  run(means: TickMeans, share: Share): Promise<Work>;
}

/** Every job, in order. A new one is a line here. */
export const JOBS: readonly Job[] = [
  // First: people have approved these and wait.
  { name: "send_approved", run: (means, share) => sendAbandoned(asCallMeans(means), share) },
  { name: "expire_approvals", run: expireWaiting },
  { name: "renew_stale", run: (means, share) => renewStale(asCallMeans(means), share) },
  { name: "forget_sealed", run: forgetSealed },
  { name: "seal_logs", run: ({ db }, share) => sealLogs(db, share) },
  { name: "trim_logs", run: ({ db }, share) => trimLogs(db, share) },
  { name: "forget_reads", run: ({ db }, share) => forgetReads(db, share) },
  { name: "forget_drained_buckets", run: ({ db }) => forgetDrained(db) },
  { name: "forget_connections", run: ({ db }) => forgetConnections(db) },
  // In this order: what a check finds done is not said, and what it does not is said before it is given up.
  { name: "run_checks", run: runChecks },
  { name: "raise_alarms", run: ({ db }, share) => raiseAlarms(db, share) },
  { name: "give_up", run: ({ db }, share) => giveUp(db, share) },
  // Last: what it began takes up to 10 s more, which is then nobody else's.
  { name: "send_notices", run: sendNotices },
];

function asCallMeans({ db, keyRing, egress, now }: TickMeans): CallMeans {
  return { db, keyRing, egress, now: () => now };
}

/** All a tick may take, in milliseconds: less than a minute, and well within what an edge function may. */
const TICK_TIMEOUT_MS = 25_000;

/**
 * Runs the jobs in order. Each has an equal share of the time that is left, so that none starves those behind it; `more`
 * says that one of them had more to do than fitted, and that another tick now would do it.
 *
 * A job that breaks counts as one failure and holds no other up. Throws only where the store is away.
 */
export async function runTick(
  means: TickMeans,
  { jobs = JOBS, timeoutMs = TICK_TIMEOUT_MS, elapsed = () => performance.now() }: {
    jobs?: readonly Job[];
    timeoutMs?: number;
    elapsed?: () => number;
  } = {},
): Promise<Work> {
  const endsAt = elapsed() + timeoutMs;
  let work = NO_WORK;
  for (const [index, job] of jobs.entries()) {
    const startedAt = elapsed();
    const shareEndsAt = startedAt + (endsAt - startedAt) / (jobs.length - index);
    const report: Share["report"] = (error, about) => means.report(error, { job: job.name, ...about });
    try {
      const share = { now: means.now, hasTime: () => elapsed() < shareEndsAt, report };
      work = addWork(work, await job.run(means, share));
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      report(error, {});
      work = addWork(work, { ...NO_WORK, claimed: 1, failed: 1 });
    }
  }
  return work;
}
