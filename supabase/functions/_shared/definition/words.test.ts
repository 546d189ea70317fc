import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { editDistance, limitHints, listed } from "./words.ts";

/** Optimal string alignment as its definition has it. */
function plainDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + same);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        rows[i]![j] = Math.min(rows[i]![j]!, rows[i - 2]![j - 2]! + 1);
      }
    }
  }
  return rows[from.length]![to.length]!;
}

Deno.test("editDistance() is the plain distance, or one more than `most`", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 });
  fc.assert(
    fc.property(word, word, fc.nat(6), (from, to, most) => {
      assertEquals(editDistance(from, to), plainDistance(from, to));
      assertEquals(editDistance(from, to, most), Math.min(plainDistance(from, to), most + 1));
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("listed() tells twelve, and how many more there are", () => {
  let told = 0;
  const line = listed(Array.from({ length: 5_000 }, (_, at) => at), (at) => (told++, String(at)));
  assertEquals([line, told], ["0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 4,988 more", 12]);
});

Deno.test("limitHints() looks for the nearest only so often", () => {
  const near = limitHints(["supplier"], 2);
  assertEquals(["supplir", "suplier", "supplir"].map(near), ["supplier", "supplier", null]);
});
