/** A week of the ISO calendar in words. Pure. */

const DAY_MS = 86_400_000;
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

/** `Week of Nov 30 to Dec 6, 2026` of `2026-W49`; anything else as it stands. */
export function weekInWords(week: string): string {
  const [, year, number] = /^(\d{4})-W(\d{2})$/.exec(week) ?? [];
  if (year === undefined) return week;
  // The fourth of January is in the first week, which begins on a Monday.
  const fourth = Date.UTC(Number(year), 0, 4);
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS +
    (Number(number) - 1) * 7 * DAY_MS;
  const sunday = new Date(monday + 6 * DAY_MS);
  return `Week of ${DAY.format(monday)} to ${DAY.format(sunday)}, ${sunday.getUTCFullYear()}`;
}
