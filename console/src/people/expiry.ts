/** Until when a key is good, in the days of whoever issues it. Pure: the clock is an argument, the zone the browser's. */

const DAY_MS = 86_400_000;

export function inDays(days: number, now: Date): Date {
  return new Date(now.getTime() + days * DAY_MS);
}

/** The last second of the day `2027-01-31`; null where it is no day. */
export function endOfDay(day: string): Date | null {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end;
}

/** The day of an instant, as a date field takes it. */
export function dayOf(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
