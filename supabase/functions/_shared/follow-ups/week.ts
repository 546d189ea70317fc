/** The week a finding is of. Pure. */

const DAY_MS = 86_400_000;

/**
 * The ISO 8601 week of an instant in UTC, as `2026-W49`: weeks begin on Monday, and belong to the year that most of their
 * days are in.
 */
export function isoWeek(instant: Date): string {
  const dayMs = Math.floor(instant.getTime() / DAY_MS) * DAY_MS;
  // Monday is 0. The week is of the year of its Thursday, and the first Thursday of a year is in its first week.
  const weekday = (new Date(dayMs).getUTCDay() + 6) % 7;
  const thursday = new Date(dayMs + (3 - weekday) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const startOfYear = new Date(0);
  startOfYear.setUTCFullYear(year, 0, 1);
  const week = Math.floor((thursday.getTime() - startOfYear.getTime()) / (7 * DAY_MS)) + 1;
  return `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
}
