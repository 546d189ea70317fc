import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { assertLinear } from "../../../../scripts/testing/linear.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type JsonObject, type JsonValue, parseJson } from "./json.ts";
import { equalTo, isEqualJson, isSubset, partOf } from "./subset.ts";

/** Values that are nearly the same often enough. */
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(0, -0, 1, "1", "", null, true, false, "é", "e\u0301", "\ud83d\ude00", 1e21),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "é", "__proto__", "1", ""), tie("value"), { maxKeys: 3 }),
  ),
}));

Deno.test("isEqualJson() and equalTo() say what the canonical forms say", () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const expected = canonicalJson(a) === canonicalJson(b);
      assertEquals([isEqualJson(a, b), isEqualJson(b, a), equalTo(a)(b)], [expected, expected, expected]);
      assertEquals(isEqualJson(a, structuredClone(a)), true);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("isEqualJson() goes by what is written, not by how", () => {
  const same: readonly [string, string, boolean][] = [
    ['{"a":1,"b":[2,{}]}', '{"b":[2,{}],"a":1.0}', true],
    ["[-0]", "[0]", true],
    ['["\\u00e9"]', '["é"]', true],
    ['["é"]', '["e\\u0301"]', false],
    ["[1,2]", "[2,1]", false],
    ['{"0":1}', "[1]", false],
    ["[]", "{}", false],
    ['{"a":null}', "{}", false],
    ['{"a":null}', '{"b":null}', false],
    ['{"__proto__":1}', '{"__proto__":2}', false],
  ];
  const read = (text: string) => {
    const parsed = parseJson(text, { maxBytes: 100 });
    if (!parsed.ok) throw new Error(text);
    return parsed.value;
  };
  for (const [a, b, expected] of same) {
    assertEquals([isEqualJson(read(a), read(b)), isEqualJson(read(b), read(a))], [expected, expected], a + b);
  }
});

Deno.test("isSubset() takes objects by their keys all the way down, and what stands in a list by equality", () => {
  const whole: JsonObject = { who: { city: "Gouda", tags: [{ a: 1, b: 2 }] }, n: 0 };
  const parts: readonly [JsonObject, boolean][] = [
    [{}, true],
    [{ who: {} }, true],
    [{ who: { tags: [{ b: 2, a: 1 }] }, n: -0 }, true],
    [{ who: { tags: [{ a: 1 }] } }, false],
    [{ who: { tags: [] } }, false],
    [{ n: {} }, false],
    [{ toString: {} }, false],
  ];
  for (const [part, expected] of parts) {
    assertEquals([isSubset(part, whole), partOf(whole)(part)], [expected, expected], JSON.stringify(part));
  }
});

Deno.test("partOf() takes linear time for many parts of one large value, wherever they differ", () => {
  const table: readonly [(size: number) => JsonValue, part: JsonValue][] = [
    [(size) => Array.from({ length: size }, (_, k) => ({ k })), [0]],
    [(size) => Object.fromEntries(Array.from({ length: size }, (_, k) => [`k${k}`, k])), { k0: 1 }],
    [(size) => [Object.fromEntries(Array.from({ length: size }, (_, k) => [`k${k}`, k]))], [{ k0: 0 }]],
  ];
  for (const [at, [wholeOf, a]] of table.entries()) {
    assertLinear(`value ${at}`, 8_000, (size) => {
      const whole: JsonObject = { a: wholeOf(size) };
      const parts = Array.from({ length: size }, (): JsonObject => ({ a: structuredClone(a) }));
      return () => assertEquals(parts.some(partOf(whole)), false);
    });
  }
});
