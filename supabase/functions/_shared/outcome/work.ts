/** What a job of the tick is given and what it came to. Pure. */

/** One job's share of a tick. */
export interface Share {
  /** The tick's clock: what is due is due by it. */
  readonly now: Date;
  /** Whether there is time to begin one more piece of work. */
  readonly hasTime: () => boolean;
  /** Takes a piece that broke, so that the others go on. */
  readonly report: (error: unknown, about: Readonly<Record<string, string>>) => void;
}

/** How many pieces of work a job took up, and what became of them. */
export interface Work {
  readonly claimed: number;
  readonly done: number;
  /** Looked at, and to be looked at again later. */
  readonly waiting: number;
  readonly failed: number;
  /** Whether work is left that is due now. */
  readonly more: boolean;
}

/** Nothing was due. */
export const NO_WORK: Work = { claimed: 0, done: 0, waiting: 0, failed: 0, more: false };

/** Both together. */
export function addWork(one: Work, other: Work): Work {
  return {
    claimed: one.claimed + other.claimed,
    done: one.done + other.done,
    waiting: one.waiting + other.waiting,
    failed: one.failed + other.failed,
    more: one.more || other.more,
  };
}
