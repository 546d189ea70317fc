import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { JsonObject } from "../json.ts";
import { isSubset } from "../subset.ts";
import { findShadowed } from "./shadowed.ts";

Deno.test("findShadowed() finds what comparing each with each before it finds", () => {
  const leaf = fc.constantFrom<JsonObject[string]>(1, "1", null, [], [1], {}, { a: 1 }, { a: {} });
  const example = fc.dictionary(
    fc.constantFrom("a", "b", "c", ""),
    fc.oneof(leaf, fc.dictionary(fc.constantFrom("a", "b"), leaf)),
  );
  fc.assert(
    fc.property(fc.array(fc.option(example as fc.Arbitrary<JsonObject>), { maxLength: 12 }), (examples) => {
      const naive = new Map<number, number>();
      examples.forEach((one, at) => {
        const by = examples.findIndex((other, before) => before < at && other && one && isSubset(other, one));
        if (by !== -1) naive.set(at, by);
      });
      const { shadowed, complete } = findShadowed(examples);
      assert(complete);
      assertEquals([...shadowed], [...naive]);
    }),
    { numRuns: 500 },
  );
});

Deno.test("findShadowed() takes few steps for many examples that differ in one argument", () => {
  const examples = Array.from(
    { length: 8_000 },
    (_, id) => ({ capability: "contact.read", operation: "get", id }),
  );
  const { shadowed, complete, steps } = findShadowed(examples);
  assertEquals([shadowed.size, complete], [0, true]);
  assert(steps < 50_000, `${steps} steps`);
});

Deno.test("findShadowed() stops at a count of steps, and says that it did", () => {
  const { complete, steps } = findShadowed(sixOfTwentyFour().slice(0, 2_000));
  assertEquals(complete, false);
  assert(steps <= 500_000 + 24, `${steps} steps`);
});

/** Examples without a rare leaf, which no index helps to tell apart. */
function sixOfTwentyFour(): JsonObject[] {
  const examples: JsonObject[] = [];
  for (let bits = 0; bits < 2 ** 16; bits++) {
    const keys = [...bits.toString(2).padStart(24, "0")].flatMap((bit, at) => bit === "1" ? [`k${at}`] : []);
    if (keys.length === 6) examples.push(Object.fromEntries(keys.map((key) => [key, 1])));
  }
  return examples;
}
