/** What is told of a value that comes later: what no value could make right, and nothing else. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { evaluate } from "./evaluate.ts";
import { isLate, LATE, LATE_TEXT } from "./late.ts";
import { readSchema } from "./reader.ts";
import { resolveReferences } from "./references.ts";
import { Run } from "./run.ts";

function problemsOf(schema: JsonObject, value: JsonValue): string[] {
  const reading = readSchema(schema, []);
  assertEquals([...reading.problems, ...resolveReferences(reading)], []);
  const run = new Run();
  const valid = evaluate(reading.root, value, { place: null, run, seen: null });
  const problems = run.problems([]).map(({ path, says }) => `${path.join(".")}: ${says}`);
  assertEquals(problems.length === 0, valid, JSON.stringify({ schema, value, problems }));
  return problems;
}

Deno.test("evaluate() tells now what no later value could make right", () => {
  const cases: [JsonObject, JsonValue, string[]][] = [
    [{ properties: { id: { type: "integer", minimum: 3 } } }, { id: LATE }, []],
    [{ properties: { id: { enum: ["a"] } } }, { id: LATE }, []],
    [{ properties: { id: { pattern: "^a" } } }, { id: LATE_TEXT }, []],
    [{ properties: { id: { type: ["array", "string"] } } }, { id: LATE_TEXT }, []],
    [{ properties: { id: { type: "array" } } }, { id: LATE }, [
      "id: comes later, as text, a number or true or false; a list is wanted",
    ]],
    [{ properties: { id: { type: "integer" } } }, { id: LATE_TEXT }, [
      "id: comes later, as text; a whole number is wanted",
    ]],
    [{ properties: { id: false } }, { id: LATE }, ["id: is not taken here"]],
    [{ required: ["id", "name"] }, { id: LATE }, ["name: missing"]],
    [{ properties: { a: {} }, additionalProperties: false }, { b: LATE }, [
      "b: is not a key that is taken here; it takes a",
    ]],
    [{ properties: { n: { type: "integer" } } }, { id: LATE, n: "x" }, [
      'n: found "x"; a whole number is wanted',
    ]],
    [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, { id: LATE }, [
      ": fits none of the 2 forms it may take; for form 1 it has a, which missing",
    ]],
    [{ anyOf: [{ properties: { id: { const: 1 } } }, { required: ["b"] }] }, { id: LATE }, []],
    [{ not: { required: ["id"] } }, { id: LATE }, [": is just what its schema rules out (not)"]],
    [{ not: { properties: { id: { const: 1 } } } }, { id: LATE }, []],
    [{ not: { not: { properties: { id: { const: 1 } } } } }, { id: LATE }, []],
    [{ oneOf: [{ required: ["id"] }, { properties: { id: {} } }] }, { id: LATE }, [
      ": fits 2 of the 2 forms it may take and has to fit just one (forms 1, 2)",
    ]],
    [{ oneOf: [{ required: ["id"] }, { properties: { id: { const: 1 } } }] }, { id: LATE }, []],
    [
      { oneOf: [{ properties: { id: { const: 2 } } }, { properties: { id: { const: 1 } } }] },
      { id: LATE },
      [],
    ],
    [
      { if: { properties: { id: { const: 1 } } }, then: { required: ["a"] }, else: { required: ["b"] } },
      { id: LATE },
      ["a: missing"],
    ],
    [
      { if: { properties: { id: { const: 1 } } }, then: { required: ["a"] }, else: { required: ["b"] } },
      { id: LATE, b: 1 },
      [],
    ],
    [{ if: { properties: { id: { const: 1 } } }, then: { required: ["a"] } }, { id: LATE }, []],
    [{ if: { required: ["id"] }, then: { required: ["a"] } }, { id: LATE }, ["a: missing"]],
    [{ contains: { const: 1 } }, [LATE], []],
    [{ contains: { const: 1 }, minContains: 2 }, [LATE], [
      ": found 1 of the kind its schema names (contains); at least 2 items are wanted",
    ]],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, LATE], []],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, LATE, 1], [
      ": found 3 of the kind its schema names (contains); at most 1 item is wanted",
    ]],
    [{ uniqueItems: true }, [LATE, LATE, {}], []],
    [{ uniqueItems: true }, [LATE, 1, 1], ["2: repeats item [1]; every item has to be another"]],
    [{ not: { uniqueItems: true } }, [LATE, 1], []],
    [{ properties: { o: { const: { a: 1 } } } }, { o: { a: LATE } }, []],
    [{ maxItems: 1 }, [LATE, LATE], [": found 2 items; at most 1 item is wanted"]],
    [
      { anyOf: [{ properties: { id: { const: 1 }, a: true } }, {}], unevaluatedProperties: false },
      { id: LATE, a: 1 },
      [],
    ],
    [{ properties: { id: true }, unevaluatedProperties: false }, { id: LATE, a: 1 }, [
      "a: is not a key that is taken here; it takes id",
    ]],
  ];
  for (const [schema, value, problems] of cases) {
    assertEquals(problemsOf(schema, value), problems, JSON.stringify(schema));
  }
});

Deno.test("evaluate() refuses nothing that some later value would make right", () => {
  let refused = 0;
  let undecided = 0;
  fc.assert(
    fc.property(schemas, withLate, (schema, value) => {
      const told = problemsOf(schema, value);
      const verdicts = SCALARS.map((scalar) => problemsOf(schema, filled(value, scalar)).length === 0);
      if (told.length > 0) {
        refused++;
        assert(verdicts.every((valid) => !valid), JSON.stringify({ schema, told }));
      } else if (verdicts.some((valid) => !valid)) undecided++;
    }),
    { numRuns: 4_000 },
  );
  assert(refused > 300 && undecided > 300, `${refused} refused, ${undecided} undecided`);
});

const SCALARS: readonly JsonValue[] = ["", "a", "b", 0, 1, 2, 1.5, true, false];
const TEXTS: readonly JsonValue[] = ["", "a", "b"];

function filled(value: JsonValue, scalar: JsonValue): JsonValue {
  if (value === LATE_TEXT) return typeof scalar === "string" ? scalar : TEXTS[1]!;
  if (isLate(value)) return scalar;
  if (Array.isArray(value)) return value.map((item) => filled(item, scalar));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filled(member, scalar)]));
}

const leaf = fc.constantFrom<JsonValue>(LATE, LATE, LATE, LATE_TEXT, "a", 1, null, true);

const withLate: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.oneof(leaf, leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(fc.constantFrom("a", "b"), leaf)),
    { maxKeys: 3 },
  ),
  fc.array(leaf, { maxLength: 3 }),
);

/** One keyword, with what it cannot go without; `deep` and `some` are the subschemas inside. */
function keyword(deep: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  const some = fc.array(deep, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(fc.constantFrom("a", "b"), deep, { maxKeys: 2 });
  return fc.oneof(
    fc.record({ if: deep, then: deep, else: deep }, { requiredKeys: ["if"] }),
    ...["contains", "items", "additionalProperties", "not", "not"].map((name) =>
      deep.map((one) => ({ [name]: one }))
    ),
    ...["anyOf", "oneOf", "oneOf", "allOf"].map((name) => some.map((list) => ({ [name]: list }))),
    ...[0, 1, 2].map(() => named.map((properties) => ({ properties }))),
    fc.tuple(deep, fc.constantFrom(1, 2)).map(([contains, maxContains]) => ({ contains, maxContains })),
    fc.constantFrom<JsonObject>(
      { type: ["object", "array"] },
      { type: ["integer", "string"] },
      { const: { a: 1 } },
      { const: 1 },
      { enum: [["a"], "a", 1] },
      { minimum: 1 },
      { maxLength: 0 },
      { required: ["a"] },
      { uniqueItems: true },
      { unevaluatedProperties: false },
      { unevaluatedProperties: { type: "string" } },
      { unevaluatedItems: false },
    ),
  ) as fc.Arbitrary<JsonObject>;
}

function schemaOf(keywords: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.array(keywords, { minLength: 1, maxLength: 3 }).map((each) => Object.assign({}, ...each));
}

const flat: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(
  true,
  false,
  {},
  { const: 1 },
  { const: "a" },
  { type: "integer" },
  { type: "string" },
  { required: ["a"] },
  { properties: { a: { const: 1 } } },
);
const nested = fc.oneof(flat, schemaOf(keyword(flat)));
const schemas = schemaOf(keyword(fc.oneof(flat, schemaOf(keyword(nested)))));
