/** Schemas and values made to cost more than they look: refused at the check, or stopped by the budget of steps. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { compileArguments, readArgumentsSchema } from "../arguments.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { formatProblem } from "../problem.ts";
import { CallArguments } from "./call-arguments.ts";
import { findObstacle, MAX_PATTERN_SIZES, MAX_STEPS, MAX_TOLD } from "./limits.ts";
import { readSchema } from "./reader.ts";
import { resolveReferences } from "./references.ts";

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue, core: JsonValue = {}): JsonValue {
  let value = core;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

function byName(amount: number, make: (index: number) => JsonValue): JsonObject {
  return Object.fromEntries(Array.from({ length: amount }, (_, index) => [`p${index}`, make(index)]));
}

function argument(schema: JsonValue): JsonObject {
  return { type: "object", properties: { a: schema } };
}

const doubled = byName(40, (index) => ({ allOf: [0, 1].map(() => ({ $ref: `#/$defs/p${index + 1}` })) }));

const REFUSED_SCHEMAS: Record<string, { schema: unknown; line: string }> = {
  "references doubled forty times": {
    schema: { type: "object", $ref: "#/$defs/p0", $defs: { ...doubled, p40: true } },
    line: "arguments: unfolds to more than 10,000 subschemas",
  },
  "a reference to the root": {
    schema: argument({ $ref: "#" }),
    line: "arguments.properties.a.$ref: leads back to itself",
  },
  "three references in a circle": {
    schema: {
      type: "object",
      $defs: byName(3, (index) => ({ items: { $ref: `#/$defs/p${(index + 1) % 3}` } })),
    },
    line: "arguments.$defs.p2.items.$ref: leads back to itself",
  },
  "501 subschemas": {
    schema: { type: "object", properties: byName(501, () => true) },
    line: "arguments.properties.p500: is one subschema too many; a schema has at most 500",
  },
  "33 subschemas deep": {
    schema: argument(nested(32, (inner) => ({ items: inner }))),
    line: "stands in more than 32 subschemas",
  },
  "200,000 levels of lists": {
    schema: argument({ default: nested(200_000, (inner) => [inner], 1) }),
    line: "arguments: holds more than 128 levels",
  },
  "more than 64 KiB": {
    schema: { type: "object", description: "é".repeat(32 * 1024) },
    line: "arguments: is more than 65,536 bytes",
  },
  "a property called __proto__": {
    schema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    line: "arguments.properties: has a key `__proto__`",
  },
  "a required name __proto__": {
    schema: { type: "object", required: ["__proto__"] },
    line: "arguments.required[0]: names `__proto__`",
  },
  "repetitions of repetitions": {
    schema: argument({ pattern: "((a{100}){100}){100}" }),
    line: "arguments.properties.a.pattern: repeats a part more than 1,000 times",
  },
  "many large patterns": {
    schema: { type: "object", properties: byName(12, () => ({ pattern: "^(?:ab?){600}$" })) },
    line: "the regular expressions of this schema come to too much together",
  },
  "look-around as a name in patternProperties": {
    schema: { type: "object", patternProperties: { "^(?!x)": true } },
    line: 'arguments.patternProperties["^(?!x)"]: uses look-around',
  },
  "something that is not JSON": {
    schema: { type: "object", properties: { a: { default: undefined } } },
    line: "arguments.properties.a.default: is not a value of JSON",
  },
};

for (const [name, { schema, line }] of Object.entries(REFUSED_SCHEMAS)) {
  Deno.test(`readArgumentsSchema() refuses ${name}`, () => {
    const lines = readArgumentsSchema(schema, ["arguments"]).problems.map(formatProblem);
    assert(lines.length > 0);
    assertStringIncludes(lines.join("\n"), line);
  });
}

Deno.test("readArgumentsSchema() has the engine compile no more patterns than a schema may have, however many there are", () => {
  const { compile } = RE2JS;
  let compiled = 0;
  RE2JS.compile = (...args) => {
    compiled++;
    return compile.apply(RE2JS, args);
  };
  try {
    const many = byName(490, () => ({ pattern: "^[\\p{L}\\p{M}\\p{N}]{1,1000}$" }));
    const { problems } = readArgumentsSchema({ type: "object", properties: many }, ["arguments"]);
    assertEquals(problems.length, 1);
    assert(compiled > 0 && compiled <= MAX_PATTERN_SIZES / 1_000, `${compiled} were compiled`);
  } finally {
    RE2JS.compile = compile;
  }
});

Deno.test("readArgumentsSchema() refuses a schema that holds itself", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { a: schema };
  assertEquals(readArgumentsSchema(schema, ["arguments"]).problems.length, 1);
});

Deno.test("readArgumentsSchema() takes what is just within the limits", () => {
  const schemas = [
    { type: "object", properties: byName(500, () => true) },
    argument(nested(31, (inner) => ({ items: inner }))),
    { type: "object", description: "x".repeat(64 * 1024 - '{"type":"object","description":""}'.length) },
    argument({ pattern: "^a{1000}$" }),
  ];
  for (const schema of schemas) assertEquals(readArgumentsSchema(schema, ["arguments"]).problems, []);
});

/** What a check says of `args`, and the steps it took. */
function check(schema: JsonObject, args: JsonObject) {
  assertEquals(readArgumentsSchema(schema, ["arguments"]).problems, []);
  const reading = readSchema(schema, []);
  resolveReferences(reading);
  const { problems, steps } = new CallArguments(reading.root).check(args, { path: ["args"], partial: false });
  return { lines: problems.map(formatProblem), steps };
}

const objects = Array.from({ length: 8_000 }, (_, index) => ({ id: index % 7_999, tags: ["a", "b"] }));
const wide = byName(4_000, (index) => index);

const COSTLY: Record<string, { schema: JsonObject; args: JsonObject; line: string | null }> = {
  "uniqueItems on 8,000 objects": {
    schema: argument({ uniqueItems: true }),
    args: { a: objects },
    line: "args.a[7999]: repeats item [0]; every item has to be another",
  },
  "uniqueItems asked 200 times": {
    schema: argument({ allOf: Array.from({ length: 200 }, () => ({ uniqueItems: true })) }),
    args: { a: objects.slice(0, 7_999) },
    line: "args: takes too much work",
  },
  "references that unfold to 8,000": {
    schema: {
      ...argument({ items: { $ref: "#/$defs/p0" } }),
      $defs: {
        ...byName(11, (index) => ({ oneOf: [0, 1].map(() => ({ $ref: `#/$defs/p${index + 1}` })) })),
        p11: { type: "string" },
      },
    },
    args: { a: Array.from({ length: 8_000 }, () => 1) },
    line: "args: takes too much work",
  },
  "contains in contains": {
    schema: argument({ contains: { contains: { contains: { const: 1 } } } }),
    args: { a: Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => [0, 0, 0])) },
    line: "args.a: found 0 of the kind its schema names (contains); at least 1 item is wanted",
  },
  "a pattern of 2,000 instructions on a long text": {
    schema: argument({ pattern: "^[ab]{0,900}a[ab]{0,90}$" }),
    args: { a: "ab".repeat(30_000) },
    line: "args: takes too much work",
  },
  "many patterns on many keys": {
    schema: argument({
      patternProperties: Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`^(?:p?[0-9]?){${index + 1}}x$`, true]),
      ),
    }),
    args: { a: wide },
    line: "args: takes too much work",
  },
  "unevaluatedProperties at each of many branches": {
    schema: argument({
      anyOf: Array.from(
        { length: 160 },
        () => ({ additionalProperties: true, unevaluatedProperties: false }),
      ),
      unevaluatedProperties: false,
    }),
    args: { a: wide },
    line: "args: takes too much work",
  },
  "unevaluatedItems over a long list": {
    schema: argument({ prefixItems: [true], unevaluatedItems: { type: "integer" } }),
    args: { a: Array.from({ length: 8_000 }, (_, index) => index) },
    line: null,
  },
  "a list of 8,000 wrong items": {
    schema: argument({ items: { type: "string" } }),
    args: { a: Array.from({ length: 8_000 }, () => 1) },
    line: `args: has more problems than these ${MAX_TOLD}; correct them first`,
  },
  "4,000 arguments nobody declared": {
    schema: { type: "object", properties: byName(400, () => true) },
    args: byName(4_000, () => 1),
    line: `args: has more problems than these ${MAX_TOLD}; correct them first`,
  },
  "a value of 20,000 levels": {
    schema: argument(true),
    args: { a: nested(20_000, (inner) => [inner], 1) },
    line: "args.a: is nested more than 64 levels deep; make it flatter",
  },
  "a whole list as a multiple of a very small number": {
    schema: argument({ items: { multipleOf: 5e-324 } }),
    args: { a: Array.from({ length: 8_000 }, () => 1.7e308) },
    line: null,
  },
};

for (const [name, { schema, args, line }] of Object.entries(COSTLY)) {
  Deno.test(`CallArguments.check() comes to an end within the budget: ${name}`, () => {
    const { lines, steps } = check(schema, args);
    if (line === null) assertEquals(lines, []);
    else assertStringIncludes(lines.join("\n"), line);
    assert(lines.length <= MAX_TOLD + 1);
    // What goes over the budget is one charge: a text, a value or a pattern at a time.
    assert(steps < MAX_STEPS * 10, `${steps} steps`);
  });
}

Deno.test("CallArguments.check() costs in proportion to the list for uniqueItems", () => {
  const schema = argument({ uniqueItems: true });
  const stepsFor = (length: number) =>
    check(schema, { a: Array.from({ length }, (_, index) => ({ index: 10_000 + index })) }).steps;
  assert(stepsFor(8_000) < 9 * stepsFor(1_000));
});

/** Values with keys that have been trouble elsewhere. */
const anyJson = fc.jsonValue({ maxDepth: 6, noUnicodeString: false }) as fc.Arbitrary<JsonValue>;

const keywords = fc.constantFrom(
  ...[
    "type",
    "properties",
    "items",
    "prefixItems",
    "$ref",
    "$defs",
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "enum",
  ],
  ...[
    "const",
    "pattern",
    "patternProperties",
    "additionalProperties",
    "required",
    "uniqueItems",
    "minimum",
    "format",
  ],
  ...[
    "dependentRequired",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
    "multipleOf",
    "minLength",
  ],
  ...[
    "$schema",
    "$id",
    "propertyNames",
    "contains",
    "maxContains",
    "propertys",
    "__proto__",
    "constructor",
    "a",
  ],
);

/** Any JSON, more often than by chance with the words of a schema where a schema has them. */
const schemaLike: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<JsonValue>(
      "object",
      "string",
      "#/$defs/a",
      "#",
      "#/properties/a",
      "^a+$",
      "(?=x)",
      true,
      false,
      0,
      1,
    ),
    anyJson,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keywords, tie("value"), { maxKeys: 5 }),
  ),
})).value;

Deno.test("readArgumentsSchema() never throws, and what it takes never throws on any value", () => {
  fc.assert(
    fc.property(schemaLike, fc.array(fc.oneof(anyJson, schemaLike), { maxLength: 4 }), (found, args) => {
      for (const schema of [found, { type: "object", properties: found }, { type: "object", $defs: found }]) {
        if (readArgumentsSchema(schema, ["arguments"]).problems.length > 0) continue;
        const compiled = compileArguments(schema as JsonObject);
        for (const value of args) {
          for (const partial of [false, true]) {
            for (const problem of compiled.check(value, { path: ["args"], partial })) {
              assert(!formatProblem(problem).includes("undefined"), formatProblem(problem));
            }
          }
        }
      }
    }),
    { numRuns: 1_500 },
  );
});

Deno.test("findObstacle() counts the bytes that JSON.stringify writes", () => {
  fc.assert(fc.property(anyJson, (value) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
    if (JSON.stringify(value).includes('"__proto__"')) return;
    assertEquals(findObstacle(value, { maxBytes: bytes, maxLevels: 100 }), null);
    assertEquals(findObstacle(value, { maxBytes: bytes - 1, maxLevels: 100 }), { kind: "bytes" });
  }));
});
