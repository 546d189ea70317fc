/** When a follow-up is checked: instants counted from the write, whatever the clocks on the wall do. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The first checks, in milliseconds from the write. */
const FIRST_MS = [2, 4, 8, 12].map((hours) => hours * HOUR_MS);
const LAST_OF_FIRST_MS = FIRST_MS.at(-1)!;

/**
 * The first instant of the schedule after `after`: 2, 4, 8 and 12 hours from the write, then every 24 (36, 60, …).
 *
 * Hours and days are of UTC, always as long, so that neither daylight saving nor a leap day moves one. What was missed is
 * not made up for: late is no reason to hurry.
 */
export function nextCheckAt({ wroteAt, after }: { wroteAt: Date; after: Date }): Date {
  const sinceMs = after.getTime() - wroteAt.getTime();
  const first = FIRST_MS.find((ms) => ms > sinceMs);
  const days = Math.floor((sinceMs - LAST_OF_FIRST_MS) / DAY_MS) + 1;
  return new Date(wroteAt.getTime() + (first ?? LAST_OF_FIRST_MS + days * DAY_MS));
}

/**
 * When what was checked at `now` for the instant `checkedFor` is checked next: never for that instant again, though the
 * clock had stepped back, and not before `waitMs` have gone by, for which the other system asked to be left alone.
 */
export function checkAfter(
  { wroteAt, checkedFor, now, waitMs = 0 }: { wroteAt: Date; checkedFor: Date; now: Date; waitMs?: number },
): Date {
  const after = Math.max(now.getTime() + waitMs, checkedFor.getTime());
  return nextCheckAt({ wroteAt, after: new Date(after) });
}
