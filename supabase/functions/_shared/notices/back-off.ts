/** When a message that did not arrive is tried again, and when it is given up. Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after each attempt the next one is. Source: Standard Webhooks 1.0, "Deliverability and reliability". */
const WAITS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Attempts of one message, over three days. */
export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** A wait is longer by up to this part of it, so that what failed together is not tried together. */
const SPREAD = 0.1;

/**
 * When a message is tried again whose attempt number `attempts` failed at `now`; null where it is given up. Where the
 * other side names a longer wait, that one counts. `random` is from 0 up to 1.
 */
export function nextAttemptAt(
  attempts: number,
  { now, random, askedSeconds = 0 }: { now: Date; random: number; askedSeconds?: number },
): Date | null {
  const waitMs = WAITS_MS[attempts - 1];
  if (waitMs === undefined) return null;
  return new Date(now.getTime() + Math.max(waitMs * (1 + SPREAD * random), askedSeconds * SECOND));
}
