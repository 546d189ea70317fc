import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { checkAfter, nextCheckAt } from "./schedule.ts";

const HOUR_MS = 3_600_000;
const hoursAfter = (from: Date, hours: number) => new Date(from.getTime() + hours * HOUR_MS);

/** Every check of the first `count`, each made on time. */
function checksOf(wroteAt: Date, count: number): Date[] {
  const checks: Date[] = [];
  let after = wroteAt;
  while (checks.length < count) checks.push(after = nextCheckAt({ wroteAt, after }));
  return checks;
}

const ODD_DAYS: readonly [name: string, wroteAt: string][] = [
  ["an ordinary day", "2026-11-30T10:00:00Z"],
  ["the night clocks in Europe go back", "2026-10-24T23:30:00Z"],
  ["the night clocks in Europe go forward", "2027-03-27T23:30:00Z"],
  ["the night clocks in New York go forward", "2027-03-14T06:30:00Z"],
  ["before a leap day", "2028-02-28T20:00:00.123Z"],
  ["before the turn of a year", "2026-12-31T23:59:59.999Z"],
];

for (const [name, wroteAt] of ODD_DAYS) {
  Deno.test(`nextCheckAt() counts hours from the write: ${name}`, () => {
    const wrote = new Date(wroteAt);
    const hours = checksOf(wrote, 9).map((at) => (at.getTime() - wrote.getTime()) / HOUR_MS);
    assertEquals(hours, [2, 4, 8, 12, 36, 60, 84, 108, 132]);
  });
}

const WROTE = new Date("2026-11-30T10:00:00Z");

Deno.test("nextCheckAt() makes up for nothing that was missed", () => {
  for (
    const [late, next] of [[2, 4], [3.999, 4], [4, 8], [11, 12], [12, 36], [35.999, 36], [36, 60], [700, 708]]
  ) {
    assertEquals(nextCheckAt({ wroteAt: WROTE, after: hoursAfter(WROTE, late!) }), hoursAfter(WROTE, next!));
  }
});

Deno.test("nextCheckAt() is the first instant for a clock that is behind the write", () => {
  assertEquals(nextCheckAt({ wroteAt: WROTE, after: hoursAfter(WROTE, -50) }), hoursAfter(WROTE, 2));
});

const instants = fc.integer({ min: 0, max: 4_000_000_000_000 });
const offsets = fc.integer({ min: 0, max: 400 * 24 * HOUR_MS });

Deno.test("nextCheckAt() is ahead of now, on the schedule, and nothing of the schedule lies between", () => {
  fc.assert(fc.property(instants, offsets, (wroteMs, sinceMs) => {
    const wroteAt = new Date(wroteMs);
    const next = nextCheckAt({ wroteAt, after: new Date(wroteMs + sinceMs) });
    const hours = (next.getTime() - wroteMs) / HOUR_MS;
    assert(next.getTime() > wroteMs + sinceMs);
    assert([2, 4, 8, 12].includes(hours) || (hours > 12 && (hours - 12) % 24 === 0), String(hours));
    const before = [2, 4, 8, 12, 36].filter((h) => h < hours).at(-1) ?? 0;
    const previous = hours > 36 ? hours - 24 : before;
    assert(wroteMs + previous * HOUR_MS <= wroteMs + sinceMs);
  }));
});

Deno.test("checkAfter() never makes two checks of one instant, whatever the clock does", () => {
  const clocks = fc.array(offsets, { minLength: 2, maxLength: 40 });
  fc.assert(fc.property(instants, clocks, (wroteMs, clock) => {
    const wroteAt = new Date(wroteMs);
    let next = nextCheckAt({ wroteAt, after: wroteAt });
    const checked = new Set<number>();
    for (const sinceMs of clock) {
      const now = new Date(wroteMs + sinceMs);
      if (next > now) continue;
      assert(!checked.has(next.getTime()));
      checked.add(next.getTime());
      next = checkAfter({ wroteAt, checkedFor: next, now });
    }
  }));
  // Set back to before the check it has just made.
  const checkedFor = hoursAfter(WROTE, 4);
  const now = hoursAfter(WROTE, 3.5);
  assertEquals(checkAfter({ wroteAt: WROTE, checkedFor, now }), hoursAfter(WROTE, 8));
});

Deno.test("checkAfter() leaves alone who asked for it, and hurries for nobody", () => {
  const late = { wroteAt: WROTE, checkedFor: hoursAfter(WROTE, 2), now: hoursAfter(WROTE, 3.5) };
  assertEquals(checkAfter({ ...late, waitMs: 60_000 }), hoursAfter(WROTE, 4));
  assertEquals(checkAfter({ ...late, waitMs: HOUR_MS }), hoursAfter(WROTE, 8));
});
