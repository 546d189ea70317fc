/** Instants in English words, in the zone of the browser. Takes the clock as an argument. */

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const INSTANT = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** `3 hours ago`, `in 2 days`; `just now` for less than a minute either way. */
export function formatRelative(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / 1000;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.round(seconds / size), unit);
  }
  return "just now";
}

/** `Dec 1, 2026, 9:30 AM`. */
export function formatInstant(at: string): string {
  return INSTANT.format(new Date(at));
}
