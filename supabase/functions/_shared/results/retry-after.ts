/** How long another system asks to be left alone, from the headers it says it in. Pure. */

/** The longest wait that is told on, in seconds: whoever is asked to wait longer asks again then. */
export const MAX_WAIT_SECONDS = 3_600;

/**
 * Whole seconds from 1 to 3,600, from `Retry-After`, else from `RateLimit-Reset` or `X-RateLimit-Reset`; undefined where
 * none says a time.
 *
 * Each may be seconds from now, a date, or, as some systems have it, an instant in epoch seconds or milliseconds.
 * Source: RFC 9110 §10.2.3, draft-ietf-httpapi-ratelimit-headers, and what is met in practice.
 */
export function readRetryAfter(headers: Headers, { nowMs }: { nowMs: number }): number | undefined {
  for (const name of ["retry-after", "ratelimit-reset", "x-ratelimit-reset"]) {
    const seconds = readWait(headers.get(name)?.trim() ?? "", nowMs);
    if (seconds !== null) return Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT_SECONDS);
  }
  return undefined;
}

/** A number from here on is an instant, not a wait: seconds since 1970 reached it in 2001. */
const FIRST_EPOCH_SECONDS = 1_000_000_000;
const FIRST_EPOCH_MILLISECONDS = 1_000_000_000_000;

function readWait(text: string, nowMs: number): number | null {
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) {
    const number = Number(text);
    if (number < FIRST_EPOCH_SECONDS) return number;
    return (number < FIRST_EPOCH_MILLISECONDS ? number : number / 1000) - nowMs / 1000;
  }
  // Only a date as HTTP writes it: Date.parse alone takes almost anything.
  const atMs = /^[A-Z][a-z]{2,8}, .{6,12} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : (atMs - nowMs) / 1000;
}
