/** What the draft-07 suite does not know: the words of 2020-12, alone and against another validator. */

import { type Schema, Validator } from "@cfworker/json-schema";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../json.ts";
import { evaluate } from "./evaluate.ts";
import { readSchema } from "./reader.ts";
import { resolveReferences } from "./references.ts";
import { Run } from "./run.ts";

/** The verdict of our evaluation, or what keeps the schema from being taken. */
function verdict(schema: JsonObject, value: JsonValue): boolean | string[] {
  const reading = readSchema(schema, []);
  const problems = [...reading.problems, ...resolveReferences(reading)];
  if (problems.length > 0) return problems.map(({ says }) => says);
  const run = new Run();
  const valid = evaluate(reading.root, value, { place: null, run, seen: null });
  // A verdict without words, and words without a verdict, are both lies.
  assertEquals(run.problems([]).length === 0, valid);
  return valid;
}

interface Case {
  readonly schema: JsonObject;
  readonly takes: readonly JsonValue[];
  readonly refuses: readonly JsonValue[];
}

const CASES: Record<string, Case> = {
  "prefixItems and items": {
    schema: { prefixItems: [{ type: "integer" }, { type: "string" }], items: { type: "boolean" } },
    takes: [[], [1], [1, "a"], [1, "a", true, false], "no list"],
    refuses: [["a"], [1, 1], [1, "a", 1]],
  },
  "prefixItems alone leaves the rest open": {
    schema: { prefixItems: [{ const: 1 }] },
    takes: [[1, "anything"], []],
    refuses: [[2]],
  },
  "items: false after prefixItems": {
    schema: { prefixItems: [{}], items: false },
    takes: [[], [1]],
    refuses: [[1, 2]],
  },
  "minContains and maxContains": {
    schema: { contains: { type: "integer" }, minContains: 2, maxContains: 3 },
    takes: [[1, "a", 2], [1, 2, 3], {}],
    refuses: [[], [1], [1, 2, 3, 4]],
  },
  "contains beside prefixItems still wants one": {
    schema: { prefixItems: [{ minLength: 2 }], contains: { type: "string" } },
    takes: [["ab"], [1, "a"]],
    refuses: [[], ["a"], [1]],
  },
  "minContains: 0 asks for none": {
    schema: { contains: { type: "integer" }, minContains: 0 },
    takes: [[], ["a"], [1]],
    refuses: [],
  },
  "dependentRequired": {
    schema: { dependentRequired: { card: ["name", "expires"] } },
    takes: [{}, { name: 1 }, { card: 1, name: 1, expires: 1 }, []],
    refuses: [{ card: 1 }, { card: 1, name: 1 }],
  },
  "dependentSchemas": {
    schema: { dependentSchemas: { card: { required: ["name"], maxProperties: 2 } } },
    takes: [{}, { a: 1, b: 1, c: 1 }, { card: 1, name: 1 }],
    refuses: [{ card: 1 }, { card: 1, name: 1, c: 1 }],
  },
  "$ref with siblings applies both": {
    schema: { $ref: "#/$defs/short", minLength: 2, $defs: { short: { maxLength: 3 } } },
    takes: ["ab", "abc"],
    refuses: ["a", "abcd"],
  },
  "$ref through an escaped pointer and through a list": {
    schema: {
      properties: { a: { $ref: "#/$defs/a~1b~0%25" }, b: { $ref: "#/allOf/0" } },
      allOf: [{ minProperties: 0 }],
      $defs: { "a/b~%": { type: "integer" } },
    },
    takes: [{ a: 1, b: {} }],
    refuses: [{ a: "x" }],
  },
  "unevaluatedProperties sees allOf, $ref and if": {
    schema: {
      properties: { a: true },
      allOf: [{ properties: { b: true } }],
      $ref: "#/$defs/more",
      if: { properties: { kind: { const: "x" } }, required: ["kind"] },
      then: { properties: { d: true } },
      unevaluatedProperties: false,
      $defs: { more: { properties: { c: true } } },
    },
    takes: [{ a: 1, b: 1, c: 1 }, { kind: "x", d: 1 }],
    refuses: [{ z: 1 }, { d: 1 }, { kind: "y" }],
  },
  "unevaluatedProperties sees only the branches that hold": {
    schema: {
      anyOf: [
        { properties: { a: { const: 1 } }, required: ["a"] },
        { properties: { b: { const: 1 } }, required: ["b"] },
      ],
      unevaluatedProperties: false,
    },
    takes: [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    refuses: [{ a: 1, b: 2 }, { a: 1, c: 1 }, {}],
  },
  "unevaluatedProperties does not see its siblings' parent": {
    schema: { properties: { a: true }, allOf: [{ unevaluatedProperties: false }] },
    takes: [{}],
    refuses: [{ a: 1 }],
  },
  "unevaluatedProperties inside counts for the one outside": {
    schema: { allOf: [{ unevaluatedProperties: { type: "integer" } }], unevaluatedProperties: false },
    takes: [{}, { a: 1 }],
    refuses: [{ a: "x" }],
  },
  "unevaluatedProperties ignores not": {
    schema: { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
    takes: [{}],
    refuses: [{ a: 1 }],
  },
  "unevaluatedItems sees prefixItems, contains and oneOf": {
    schema: {
      prefixItems: [true],
      contains: { type: "string" },
      oneOf: [{ prefixItems: [true, { type: "integer" }] }, { maxItems: 0 }],
      unevaluatedItems: false,
    },
    takes: [["a"], ["a", 1], [1, 2, "a"]],
    refuses: [[1, 2, 3, "a"], [1]],
  },
  "unevaluatedItems sees what a branch or a condition has seen": {
    schema: {
      anyOf: [{ items: { type: "integer" } }, { prefixItems: [{ type: "string" }] }],
      if: { prefixItems: [true, { const: "b" }], minItems: 2 },
      unevaluatedItems: false,
    },
    takes: [[1, 2], ["a"], ["a", "b"], []],
    refuses: [["a", "c"], ["a", "b", "c"]],
  },
  "unevaluatedItems with a schema": {
    schema: { prefixItems: [{ type: "string" }], unevaluatedItems: { type: "number" } },
    takes: [["a"], ["a", 1, 2]],
    refuses: [["a", "b"]],
  },
  "multipleOf is exact in decimals": {
    schema: { multipleOf: 0.01 },
    takes: [19.99, 0, -0.07, 4.35, 1e300],
    refuses: [0.001, 19.999, 1e-300],
  },
  "uniqueItems and enum compare by value": {
    schema: { uniqueItems: true, items: { enum: [{ a: 1, b: [2] }, 1, "1", null, 0] } },
    takes: [[{ b: [2], a: 1 }, 1, "1", null], [-0]],
    refuses: [[{ a: 1, b: [2] }, { b: [2], a: 1 }], [1, 1.0], [0, -0], ["2"]],
  },
  "lengths count code points": {
    schema: { minLength: 2, maxLength: 2 },
    takes: ["😀😀", "ab"],
    refuses: ["😀", "😀😀😀"],
  },
  "keys of Object.prototype are names like any other": {
    schema: {
      required: ["constructor"],
      properties: { toString: { type: "integer" } },
      additionalProperties: { type: "string" },
    },
    takes: [{ constructor: "a" }, { constructor: "a", toString: 1 }],
    refuses: [{}, { constructor: 1 }, { constructor: "a", toString: "b" }],
  },
};

for (const [name, { schema, takes, refuses }] of Object.entries(CASES)) {
  Deno.test(`evaluate() ${name}`, () => {
    for (const value of takes) assertEquals(verdict(schema, value), true, JSON.stringify(value));
    for (const value of refuses) assertEquals(verdict(schema, value), false, JSON.stringify(value));
  });
}

const NAMES = ["a", "b", "c"];
const PATTERNS = ["^a", "b|c", "^[ab]{1,2}$", "\\d"];
const values: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, 0, 1, 2, -1, 1.5, 10, "", "a", "b", "ab", "abc", "7"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const schemas: fc.Arbitrary<JsonValue> = fc.letrec<{ schema: JsonValue }>((tie) => {
  const schema = tie("schema");
  const some = fc.array(schema, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(fc.constantFrom(...NAMES), schema, { maxKeys: 2, noNullPrototype: true });
  const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
  const few = fc.nat({ max: 3 });
  const limit = fc.constantFrom(-1, 0, 1, 1.5, 2, 10);
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.constantFrom("string", "integer", "number", "object", "array", "null", "boolean", [
      "string",
      "array",
    ]),
    enum: fc.uniqueArray(values, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
    const: values,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minimum: limit,
    maximum: limit,
    exclusiveMinimum: limit,
    exclusiveMaximum: limit,
    minLength: few,
    maxLength: few,
    pattern: fc.constantFrom(...PATTERNS),
    items: schema,
    prefixItems: some,
    contains: schema,
    minContains: few,
    maxContains: few,
    minItems: few,
    maxItems: few,
    uniqueItems: fc.boolean(),
    unevaluatedItems: schema,
    properties: byName,
    patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), schema, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    additionalProperties: schema,
    propertyNames: schema,
    required: names,
    minProperties: few,
    maxProperties: few,
    dependentRequired: fc.dictionary(fc.constantFrom(...NAMES), names, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: byName,
    unevaluatedProperties: schema,
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: schema,
    if: schema,
    then: schema,
    else: schema,
    $ref: fc.constantFrom("#/$defs/a", "#/$defs/b"),
  };
  const member = fc.oneof(
    ...Object.entries(keywords).map(([keyword, held]) => fc.tuple(fc.constant(keyword), held)),
  );
  const object = fc.array(member, { maxLength: 4 }).map((members) =>
    Object.fromEntries(members) as JsonObject
  );
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), object) };
}).schema;

/** Without what we let differ: references inside of `$defs` could run in circles. */
const definitions = fc.constantFrom<JsonObject>(
  { a: { type: "string" }, b: { properties: { a: true } } },
  { a: { properties: { b: { type: "integer" } } }, b: { prefixItems: [true], minItems: 1 } },
);

Deno.test("evaluate() gives the verdict of another validator on any schema of 2020-12 and any value", () => {
  const counts = { true: 0, false: 0 };
  fc.assert(
    fc.property(
      schemas,
      definitions,
      fc.array(values, { minLength: 3, maxLength: 6 }),
      (schema, $defs, samples) => {
        if (typeof schema === "boolean") return;
        const whole: JsonObject = { ...(schema as JsonObject), $defs };
        const other = new Validator(whole as Schema, "2020-12");
        for (const value of samples) {
          const expected = other.validate(value).valid;
          counts[`${expected}`]++;
          assertEquals(
            verdict(whole, value),
            expected,
            `${JSON.stringify(whole)} on ${JSON.stringify(value)}`,
          );
        }
      },
    ),
    { numRuns: 2_000 },
  );
  assert(Math.min(counts.true, counts.false) > 500, JSON.stringify(counts));
});
