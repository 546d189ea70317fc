import { assert, assertEquals, assertThrows } from "@std/assert";
import { compileArguments, readArgumentsSchema } from "./arguments.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { formatProblem } from "./problem.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

function schemaLines(schema: unknown): string[] {
  return readArgumentsSchema(schema, ["arguments"]).problems.map(formatProblem);
}

function callLines(schema: JsonObject, args: JsonValue, partial = false): string[] {
  assertEquals(schemaLines(schema), []);
  return compileArguments(schema).check(args, { path: ["args"], partial }).map(formatProblem);
}

/** A schema of one argument `a`. */
function one(schema: JsonValue, rest: JsonObject = {}): JsonObject {
  return { type: "object", properties: { a: schema }, ...rest };
}

const TAKEN: Record<string, JsonObject> = {
  "no arguments": { type: "object" },
  "2020-12 by name": {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {},
  },
  "draft-07 with definitions, dependencies and a list of items": {
    $schema: DRAFT_07,
    type: "object",
    properties: {
      a: { $ref: "#/definitions/a", description: "beside it" },
      b: { items: [{}], additionalItems: false },
    },
    dependencies: { a: ["b"], b: { minProperties: 2 } },
    definitions: { a: { type: "string" } },
  },
  "annotations, extensions and words nobody knows": one({
    title: "A",
    examples: [1],
    example: 1,
    default: "2",
    readOnly: true,
    "x-unit": "EUR",
    unit: "EUR",
    format: "iban",
    contentMediaType: "text/plain",
    $comment: "why",
  }),
  "a required name that a branch declares": {
    type: "object",
    required: ["b"],
    oneOf: [{ properties: { b: { type: "string" } } }],
  },
  "a required name under a pattern": { type: "object", required: ["b1"], patternProperties: { "^b": true } },
  "a required name of an open object": { type: "object", required: ["b"], additionalProperties: true },
  "references that share and cross": one({ $ref: "#/$defs/x" }, {
    $defs: {
      x: { items: { $ref: "#/$defs/y" } },
      y: { anyOf: [{ type: "null" }, { $ref: "#/$defs/z" }] },
      z: true,
    },
  }),
};

for (const [name, schema] of Object.entries(TAKEN)) {
  Deno.test(`readArgumentsSchema() takes ${name}`, () => assertEquals(schemaLines(schema), []));
}

const REFUSED: Record<string, { schema: unknown; lines: readonly string[] }> = {
  "what is no object": {
    schema: [],
    lines: ['arguments: found an empty list; a JSON Schema of type "object" is wanted'],
  },
  "a schema without type": { schema: {}, lines: ['arguments: has no `type`; "type": "object" is wanted'] },
  "another type than object": {
    schema: { type: "array" },
    lines: ['arguments.type: "object" alone is wanted: the arguments of a tool are an object'],
  },
  "a list of types at the root": {
    schema: { type: ["object", "null"] },
    lines: ['arguments.type: "object" alone is wanted: the arguments of a tool are an object'],
  },
  "all slips at once, each at its place": {
    schema: {
      type: "object",
      propertys: {},
      requierd: [],
      addtionalProperties: false,
      properties: {
        supplier: { type: "strng" },
        year: { type: "int", minimun: 1 },
        when: { format: "date-tiem" },
      },
    },
    lines: [
      "arguments.propertys: is not a word of JSON Schema; did you mean `properties`?",
      "arguments.requierd: is not a word of JSON Schema; did you mean `required`?",
      "arguments.addtionalProperties: is not a word of JSON Schema; did you mean `additionalProperties`?",
      'arguments.properties.supplier.type: found "strng"; string, integer, number, boolean, array, object or null is wanted; did you mean "string"?',
      'arguments.properties.year.type: found "int"; string, integer, number, boolean, array, object or null is wanted; did you mean "integer"?',
      "arguments.properties.year.minimun: is not a word of JSON Schema; did you mean `minimum`?",
      'arguments.properties.when.format: found "date-tiem", which is no format; did you mean "date-time"?',
    ],
  },
  "an argument beside properties": {
    schema: { type: "object", supplier: { type: "string" } },
    lines: ["arguments.supplier: is not a word of JSON Schema; an argument stands under `properties`"],
  },
  "a required name that is not declared": {
    schema: one(true, { properties: { supplier: true }, required: ["suplier"] }),
    lines: [
      "arguments.required[0]: names suplier, which is not under `properties`, so no call could satisfy it; did you mean supplier?",
    ],
  },
  "values of the wrong kind": {
    schema: one({
      minLength: -1,
      maxItems: 1.5,
      minimum: "1",
      multipleOf: 0,
      uniqueItems: 1,
      title: 3,
      enum: "x",
      required: "a",
      anyOf: [],
      items: 3,
      properties: [],
      pattern: 1,
      format: 2,
      examples: "x",
      $ref: 1,
    }),
    lines: [
      "arguments.properties.a.minLength: found -1; a whole number of at least 0 is wanted",
      "arguments.properties.a.maxItems: found 1.5; a whole number of at least 0 is wanted",
      'arguments.properties.a.minimum: found "1"; a number is wanted',
      "arguments.properties.a.multipleOf: found 0; a number above 0 is wanted",
      "arguments.properties.a.uniqueItems: found 1; true or false is wanted",
      "arguments.properties.a.title: found 3; text is wanted",
      'arguments.properties.a.enum: found "x"; a list of values is wanted',
      'arguments.properties.a.required: found "a"; a list of names is wanted',
      "arguments.properties.a.anyOf: found an empty list; a list of at least one schema is wanted",
      "arguments.properties.a.items: found a whole number; a schema, which is an object, true or false, is wanted",
      "arguments.properties.a.properties: found an empty list; an object of schemas, by name is wanted",
      "arguments.properties.a.pattern: found 1; a regular expression as text is wanted",
      "arguments.properties.a.format: found 2; the name of a format is wanted",
      'arguments.properties.a.examples: found "x"; a list is wanted',
      "arguments.properties.a.$ref: found 1; a place inside the schema such as `#/$defs/address` is wanted",
    ],
  },
  "things said twice": {
    schema: one({ type: ["string", "string"], enum: [1, 1.0], required: ["b", "b", 3] }),
    lines: [
      'arguments.properties.a.type[1]: names "string" a second time',
      'arguments.properties.a.required[1]: names "b" a second time',
      "arguments.properties.a.required[2]: found 3; a name as text is wanted",
    ],
  },
  "older drafts and other languages": {
    schema: one({ required: true, exclusiveMinimum: true, nullable: true, min: 1, id: "x", extends: {} }),
    lines: [
      "arguments.properties.a.required: found true or false, which is draft-03; name it in the list `required` one level up",
      "arguments.properties.a.exclusiveMinimum: found true, which is draft-04; the limit itself, a number, is wanted",
      'arguments.properties.a.nullable: is OpenAPI, not JSON Schema; say so in `type`, as in ["string", "null"]',
      "arguments.properties.a.min: is not a word of JSON Schema; it says `minimum`, `minLength` or `minItems`",
      "arguments.properties.a.extends: is draft-03; 2020-12 says `allOf`",
    ],
  },
  "words of draft-07 in 2020-12": {
    schema: one({ items: [{}], additionalItems: false, dependencies: {} }),
    lines: [
      "arguments.properties.a.items: found a list, which is draft-07; 2020-12 says `prefixItems` for the items one by one",
      "arguments.properties.a.additionalItems: is a word of draft-07, and this schema is 2020-12; 2020-12 says `items` beside `prefixItems`",
      "arguments.properties.a.dependencies: is a word of draft-07, and this schema is 2020-12; 2020-12 says `dependentRequired` or `dependentSchemas`",
    ],
  },
  "words of 2020-12 in draft-07": {
    schema: one({ prefixItems: [{}], unevaluatedItems: false }, { $schema: DRAFT_07 }),
    lines: [
      "arguments.properties.a.prefixItems: is a word of 2020-12, and this schema is draft-07; draft-07 says a list under `items`",
      "arguments.properties.a.unevaluatedItems: is a word of 2020-12, and this schema is draft-07; say so in `$schema`",
    ],
  },
  "what draft-07 ignores beside $ref": {
    schema: one({ $ref: "#/definitions/t", maxLength: 3 }, { $schema: DRAFT_07, definitions: { t: {} } }),
    lines: [
      "arguments.properties.a.maxLength: stands beside `$ref`, where draft-07 ignores it; name 2020-12 in `$schema`, or use `allOf`",
    ],
  },
  "other dialects, and one inside": {
    schema: one({ $schema: DRAFT_07 }, { $schema: "http://json-schema.org/draft-04/schema#" }),
    lines: [
      "arguments.properties.a.$schema: stands inside a subschema; only the schema as a whole has a `$schema`",
      'arguments.$schema: found "http://json-schema.org/draft-04/schema#"; "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#" is wanted',
    ],
  },
  "references that lead outside, nowhere, or to what is no schema": {
    schema: one({
      allOf: [
        "https://x.example/y",
        "#here",
        "#/$defs/b",
        "#/properties",
        "#/properties/a/default",
        "#/~2",
        "#/%",
      ]
        .map(($ref) => ({ $ref })),
      default: {},
    }),
    lines: [
      'arguments.properties.a.allOf[0].$ref: found "https://x.example/y"; a place inside this schema such as `#/$defs/address` is wanted; nothing else is fetched or looked up',
      'arguments.properties.a.allOf[1].$ref: found "#here"; a place inside this schema such as `#/$defs/address` is wanted; nothing else is fetched or looked up',
      'arguments.properties.a.allOf[2].$ref: found "#/$defs/b", where no subschema stands; a place inside this schema such as `#/$defs/address` is wanted',
      'arguments.properties.a.allOf[3].$ref: found "#/properties", where no subschema stands; a place inside this schema such as `#/$defs/address` is wanted',
      'arguments.properties.a.allOf[4].$ref: found "#/properties/a/default", where no subschema stands; a place inside this schema such as `#/$defs/address` is wanted',
      'arguments.properties.a.allOf[5].$ref: found "#/~2", which is no JSON pointer; a place inside this schema such as `#/$defs/address` is wanted',
      'arguments.properties.a.allOf[6].$ref: found "#/%", which is no JSON pointer; a place inside this schema such as `#/$defs/address` is wanted',
    ],
  },
  "$id, $anchor and the dynamic words": {
    schema: one({ $id: "a", $anchor: "b", $dynamicRef: "#c", $dynamicAnchor: "d" }),
    lines: [
      "arguments.properties.a.$id: is not taken: only references inside the schema are followed, so it needs no name of its own",
      "arguments.properties.a.$anchor: is not taken; refer by place, as in `#/$defs/address`",
      "arguments.properties.a.$dynamicRef: is not taken; use `$ref` with a place inside the schema, as in `#/$defs/address`",
      "arguments.properties.a.$dynamicAnchor: is not taken; use `$ref` with a place inside the schema, as in `#/$defs/address`",
    ],
  },
};

for (const [name, { schema, lines }] of Object.entries(REFUSED)) {
  Deno.test(`readArgumentsSchema() refuses ${name}`, () => assertEquals(schemaLines(schema), lines));
}

const LEDGER: JsonObject = {
  type: "object",
  properties: {
    supplier: { type: "string", minLength: 1, maxLength: 80 },
    year: { type: "integer", minimum: 2000 },
    status: { enum: ["open", "paid", "overdue"] },
    since: { type: "string", format: "date" },
    code: { type: "string", pattern: "^[A-Z]{2}\\d+$" },
    lines: {
      type: "array",
      maxItems: 3,
      uniqueItems: true,
      items: {
        type: "object",
        properties: { amount: { type: "number", multipleOf: 0.01 }, note: { type: ["string", "null"] } },
        required: ["amount"],
        additionalProperties: false,
      },
    },
    pay: {
      anyOf: [
        { type: "object", properties: { iban: { type: "string" } }, required: ["iban"] },
        { type: "null" },
      ],
    },
  },
  required: ["supplier"],
};

const CALLS: readonly (readonly [args: JsonValue, lines: readonly string[]])[] = [
  [{ supplier: "Acme" }, []],
  [{ supplier: "Acme", year: 2026, status: "open", since: "2026-02-28", code: "NL1", pay: null }, []],
  [{ supplier: "Acme", lines: [{ amount: 19.99, note: null }] }, []],
  ["Acme", ["args: found text; an object, the arguments by name, is wanted"]],
  [null, ["args: found null; an object, the arguments by name, is wanted"]],
  [{}, ["args.supplier: missing; text is wanted"]],
  [{ suplier: "Acme" }, [
    "args.suplier: is not an argument of this tool; it takes supplier, year, status, since, code, lines, pay; did you mean supplier?",
    "args.supplier: missing; text is wanted",
  ]],
  [{ supplier: 3, year: "2026" }, [
    "args.supplier: found 3; text is wanted",
    'args.year: found "2026"; a whole number is wanted',
  ]],
  [{ supplier: "", year: 1999.5 }, [
    "args.supplier: found 0 characters; text that is not empty is wanted",
    "args.year: found 1999.5; a whole number is wanted",
  ]],
  [{ supplier: "x".repeat(5_000), year: 1999 }, [
    "args.supplier: found 5,000 characters; at most 80 characters are wanted",
    "args.year: found 1999; a number of at least 2000 is wanted",
  ]],
  [{ supplier: "Acme", status: "opne", since: "2026-02-30", code: "nl1" }, [
    'args.status: found "opne"; one of "open", "paid", "overdue" is wanted; did you mean "open"?',
    'args.since: found "2026-02-30"; a date such as 2026-01-31 is wanted',
    'args.code: found "nl1"; text that matches ^[A-Z]{2}\\d+$ is wanted',
  ]],
  [{ supplier: "Acme", lines: [{ amount: 0.001, noet: "" }, { note: 1 }] }, [
    "args.lines[0].amount: found 0.001; a multiple of 0.01 is wanted",
    "args.lines[0].noet: is not a key that is taken here; it takes amount, note; did you mean note?",
    "args.lines[1].amount: missing; a number is wanted",
    "args.lines[1].note: found 1; text or null is wanted",
  ]],
  [{ supplier: "Acme", lines: [{ amount: 1 }, { amount: 1.0 }, { amount: 2 }, { amount: 3 }] }, [
    "args.lines: found 4 items; at most 3 items are wanted",
    "args.lines[1]: repeats item [0]; every item has to be another",
  ]],
  [{ supplier: "Acme", pay: { iban: 1 } }, [
    "args.pay: fits none of the 2 forms it may take; for form 1 it has iban, which found 1; text is wanted",
  ]],
  [JSON.parse('{"supplier":"Acme","lines":[{"__proto__":{}}]}'), [
    "args.lines[0]: has a key `__proto__`, which is never taken",
  ]],
];

Deno.test("ArgumentsSchema.check() names the argument, what was found and what is wanted", () => {
  for (const [args, lines] of CALLS) {
    assertEquals(callLines(LEDGER, args), lines, JSON.stringify(args).slice(0, 80));
  }
});

Deno.test("ArgumentsSchema.check() repeats no long value and none shaped like a credential", () => {
  const canary = `sk_live_${"c4n4ry".repeat(4)}`;
  const long = "canary ".repeat(50);
  for (const value of [canary, long]) {
    const lines = callLines(LEDGER, {
      supplier: "Acme",
      year: value,
      status: value,
      since: value,
      code: value,
      [value]: 1,
    });
    assertEquals(lines.length, 5);
    for (const line of lines) assert(!line.includes(canary) && !line.includes(long), line);
  }
});

Deno.test("ArgumentsSchema.check() makes hidden characters visible", () => {
  assertEquals(callLines(LEDGER, { supplier: "Acme", year: "20\u202e62" }), [
    'args.year: found "20\\u{202e}62"; a whole number is wanted',
  ]);
});

const DECLARED:
  readonly (readonly [name: string, schema: JsonObject, args: JsonObject, refused: readonly string[]])[] = [
    ["by name", one(true), { a: 1, b: 1 }, ["b"]],
    ["by nothing", { type: "object" }, { b: 1 }, ["b"]],
    ["with additionalProperties: false", one(true, { additionalProperties: false }), { a: 1, b: 1 }, ["b"]],
    ["with additionalProperties: true", one(true, { additionalProperties: true }), { a: 1, b: 1 }, []],
    [
      "by a schema for all others",
      one(true, { additionalProperties: { type: "string" } }),
      { b: "x", c: 1 },
      ["c"],
    ],
    ["by a pattern", one(true, { patternProperties: { "^x_": { type: "string" } } }), { x_1: "a", y: 1 }, [
      "y",
    ]],
    ["by a branch", one(true, { oneOf: [{ properties: { b: true } }, { type: "null" }] }), { b: 1, c: 1 }, [
      "c",
    ]],
    ["by a reference", { type: "object", $ref: "#/$defs/d", $defs: { d: { properties: { b: true } } } }, {
      b: 1,
      c: 1,
    }, ["c"]],
    ["not by what is ruled out", one(true, { not: { properties: { b: { const: 1 } }, required: ["b"] } }), {
      b: 2,
    }, ["b"]],
    ["not by unevaluatedProperties", one(true, { unevaluatedProperties: true }), { b: 1 }, ["b"]],
    ["not by a name of Object.prototype", one(true), { constructor: 1, toString: 1 }, [
      "constructor",
      "toString",
    ]],
  ];

for (const [name, schema, args, refused] of DECLARED) {
  Deno.test(`ArgumentsSchema.check() takes an argument declared ${name}, and tells of others once`, () => {
    const problems = compileArguments(schema).check(args, { path: [] });
    assertEquals(problems.map(({ path }) => path), refused.map((key) => [key]));
  });
}

Deno.test("ArgumentsSchema.check() with partial checks each given argument and nothing about all of them", () => {
  const schema: JsonObject = {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "object", required: ["c"] } },
    required: ["a", "b"],
    minProperties: 2,
    dependentRequired: { a: ["b"] },
    oneOf: [{ required: ["a"] }, { required: ["b"] }],
    allOf: [{ properties: { a: { minimum: 10 } }, required: ["b"] }],
    propertyNames: { maxLength: 3 },
    patternProperties: { "^long": { type: "string" } },
  };
  assertEquals(callLines(schema, {}, true), []);
  assertEquals(callLines(schema, { a: 10 }, true), []);
  assertEquals(callLines(schema, { a: "x" }, true), ['args.a: found "x"; a whole number is wanted']);
  assertEquals(callLines(schema, { a: 9 }, true), ["args.a: found 9; a number of at least 10 is wanted"]);
  assertEquals(callLines(schema, { b: {} }, true), ["args.b.c: missing"]);
  assertEquals(callLines(schema, { z: 1 }, true), ["args.z: is not an argument of this tool; it takes a, b"]);
  assertEquals(callLines(schema, { longer: "x" }, true), [
    "args.longer: is a key that is not taken: found 6 characters; at most 3 characters are wanted",
  ]);
  assertEquals(callLines(schema, {}).length > 2, true);
});

Deno.test("compileArguments() tells names, what is required and whether it is open", () => {
  const schema = compileArguments({
    type: "object",
    properties: { a: true },
    required: ["a"],
    allOf: [{ properties: { b: true }, required: ["b"] }],
    anyOf: [{ properties: { c: true }, required: ["c"] }],
    dependentSchemas: { a: { properties: { d: true } } },
    if: { properties: { e: true } },
    then: { properties: { f: true } },
    $ref: "#/$defs/g",
    $defs: { g: { properties: { g: true }, required: ["g"] }, unused: { properties: { h: true } } },
  });
  assertEquals([...schema.names].sort(), ["a", "b", "c", "d", "e", "f", "g"]);
  assertEquals([...schema.required].sort(), ["a", "b", "g"]);
  assertEquals(schema.open, false);
  assertEquals(compileArguments({ type: "object", additionalProperties: true }).open, true);
  assertEquals(compileArguments({ type: "object", additionalProperties: {} }).open, false);
});

Deno.test("compileArguments() throws on a schema that did not pass its check", () => {
  assertThrows(() => compileArguments({ type: "strng" }));
});

Deno.test("ArgumentsSchema.check() leaves the arguments as they are: no default is filled in", () => {
  const args = { b: 1 };
  assertEquals(callLines(one({ default: 1 }, { properties: { a: { default: 1 }, b: true } }), args), []);
  assertEquals(args, { b: 1 });
});
