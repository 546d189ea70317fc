import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isoWeek } from "./week.ts";

const WEEKS: readonly [instant: string, week: string][] = [
  ["2026-11-30T00:00:00Z", "2026-W49"],
  ["2026-11-29T23:59:59.999Z", "2026-W48"],
  ["2026-12-06T23:59:59.999Z", "2026-W49"],
  // The first days of a year may be of the last week of the year before, and the other way round.
  ["2021-01-03T12:00:00Z", "2020-W53"],
  ["2021-01-04T00:00:00Z", "2021-W01"],
  ["2023-01-01T00:00:00Z", "2022-W52"],
  ["2024-12-29T23:59:59Z", "2024-W52"],
  ["2024-12-30T00:00:00Z", "2025-W01"],
  ["2026-01-01T00:00:00Z", "2026-W01"],
  ["2026-12-31T23:59:59Z", "2026-W53"],
  ["2027-01-03T23:59:59Z", "2026-W53"],
  ["2027-01-04T00:00:00Z", "2027-W01"],
  // A leap day, and a year that begins on a Thursday.
  ["2028-02-29T12:00:00Z", "2028-W09"],
  ["2015-01-01T00:00:00Z", "2015-W01"],
  ["2015-12-31T00:00:00Z", "2015-W53"],
  ["1970-01-01T00:00:00Z", "1970-W01"],
  ["1969-12-28T00:00:00Z", "1969-W52"],
];

Deno.test("isoWeek() is the week of ISO 8601 in UTC, over the turns of years too", () => {
  assertEquals(WEEKS.map(([instant]) => isoWeek(new Date(instant))), WEEKS.map(([, week]) => week));
  // The same instant, however it is written.
  assertEquals(isoWeek(new Date("2026-11-30T00:30:00+01:00")), "2026-W48");
});

Deno.test("isoWeek() changes on Mondays and at no other time, and never goes back", () => {
  const day = 86_400_000;
  fc.assert(fc.property(fc.integer({ min: 0, max: 60_000 }), (days) => {
    const today = new Date(days * day);
    const yesterday = new Date(days * day - 1);
    const isMonday = today.getUTCDay() === 1;
    assertEquals(isoWeek(today) !== isoWeek(yesterday), isMonday, today.toISOString());
    assert(isoWeek(today) >= isoWeek(yesterday));
  }));
});
