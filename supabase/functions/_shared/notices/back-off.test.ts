import { assert, assertEquals } from "@std/assert";
import { MAX_ATTEMPTS, nextAttemptAt } from "./back-off.ts";

const now = new Date("2026-11-30T12:00:00Z");
const secondsAfter = (attempts: number, more: { random?: number; askedSeconds?: number } = {}) => {
  const next = nextAttemptAt(attempts, { now, random: 0, ...more });
  return next === null ? null : (next.getTime() - now.getTime()) / 1000;
};

Deno.test("nextAttemptAt() waits longer after each attempt and gives up after the tenth", () => {
  const waits = Array.from({ length: MAX_ATTEMPTS }, (_, index) => secondsAfter(index + 1));
  assertEquals(waits, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
  assertEquals(secondsAfter(MAX_ATTEMPTS + 1), null);
  assertEquals(
    secondsAfter(MAX_ATTEMPTS, { askedSeconds: 60 }),
    null,
    "also where the other side names a wait",
  );
});

Deno.test("nextAttemptAt() spreads what failed together over a tenth of the wait", () => {
  assertEquals(secondsAfter(2, { random: 0.5 }), 315);
  const longest = secondsAfter(2, { random: 1 - Number.EPSILON })!;
  assert(longest > 329 && longest <= 330);
});

Deno.test("nextAttemptAt() waits as long as the other side asks for where that is longer", () => {
  assertEquals(secondsAfter(1, { askedSeconds: 900 }), 900);
  assertEquals(secondsAfter(4, { askedSeconds: 900 }), 7_200);
});
