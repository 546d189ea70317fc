/**
 * The words of JSON Schema: which exist in which dialect, what each holds, and what to say about words that look
 * like one of them. Pure.
 */

import { nearest } from "../words.ts";

/** The two dialects an `arguments` schema may be written in; without `$schema` it is 2020-12. */
export type Dialect = "2020-12" | "draft-07";

/** What the value of a keyword has to be; `reader.ts` reads each. */
export type Shape =
  | "any value"
  | "boolean"
  | "count"
  | "dependencies"
  | "dialect"
  | "enumeration"
  | "format"
  | "items"
  | "list"
  | "names"
  | "names by name"
  | "number"
  | "pattern schemas"
  | "positive number"
  | "reference"
  | "regular expression"
  | "schema"
  | "schemas"
  | "schemas by name"
  | "text"
  | "types";

interface KeywordRow {
  readonly shape: Shape;
  /** The one dialect that has the word, when only one has. */
  readonly only?: Dialect;
  /** What the other dialect says instead. */
  readonly instead?: string;
}

/** Every keyword that is taken. Source: JSON Schema 2020-12 and draft-07, core and validation. */
export const KEYWORDS: ReadonlyMap<string, KeywordRow> = new Map<string, KeywordRow>(Object.entries({
  $schema: { shape: "dialect" },
  $ref: { shape: "reference" },
  $comment: { shape: "text" },
  $defs: { shape: "schemas by name" },
  definitions: { shape: "schemas by name" },
  type: { shape: "types" },
  enum: { shape: "enumeration" },
  const: { shape: "any value" },
  multipleOf: { shape: "positive number" },
  minimum: { shape: "number" },
  maximum: { shape: "number" },
  exclusiveMinimum: { shape: "number" },
  exclusiveMaximum: { shape: "number" },
  minLength: { shape: "count" },
  maxLength: { shape: "count" },
  pattern: { shape: "regular expression" },
  format: { shape: "format" },
  items: { shape: "items" },
  prefixItems: { shape: "schemas", only: "2020-12", instead: "a list under `items`" },
  additionalItems: { shape: "schema", only: "draft-07", instead: "`items` beside `prefixItems`" },
  contains: { shape: "schema" },
  minContains: { shape: "count", only: "2020-12" },
  maxContains: { shape: "count", only: "2020-12" },
  minItems: { shape: "count" },
  maxItems: { shape: "count" },
  uniqueItems: { shape: "boolean" },
  unevaluatedItems: { shape: "schema", only: "2020-12" },
  properties: { shape: "schemas by name" },
  patternProperties: { shape: "pattern schemas" },
  additionalProperties: { shape: "schema" },
  propertyNames: { shape: "schema" },
  required: { shape: "names" },
  minProperties: { shape: "count" },
  maxProperties: { shape: "count" },
  dependencies: {
    shape: "dependencies",
    only: "draft-07",
    instead: "`dependentRequired` or `dependentSchemas`",
  },
  dependentRequired: { shape: "names by name", only: "2020-12", instead: "`dependencies`" },
  dependentSchemas: { shape: "schemas by name", only: "2020-12", instead: "`dependencies`" },
  unevaluatedProperties: { shape: "schema", only: "2020-12" },
  allOf: { shape: "schemas" },
  anyOf: { shape: "schemas" },
  oneOf: { shape: "schemas" },
  not: { shape: "schema" },
  if: { shape: "schema" },
  then: { shape: "schema" },
  else: { shape: "schema" },
  title: { shape: "text" },
  description: { shape: "text" },
  default: { shape: "any value" },
  examples: { shape: "list" },
  deprecated: { shape: "boolean" },
  readOnly: { shape: "boolean" },
  writeOnly: { shape: "boolean" },
  contentEncoding: { shape: "text" },
  contentMediaType: { shape: "text" },
  contentSchema: { shape: "schema" },
}));

/** Keywords that only tell: in draft-07, which ignores all others beside `$ref`, these may stand there. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$schema",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** Words of JSON Schema or of its relatives that are refused, with what to say instead. */
const REFUSED: ReadonlyMap<string, string> = new Map(Object.entries({
  $id: "is not taken: only references inside the schema are followed, so it needs no name of its own",
  $anchor: "is not taken; refer by place, as in `#/$defs/address`",
  $dynamicRef: "is not taken; use `$ref` with a place inside the schema, as in `#/$defs/address`",
  $dynamicAnchor: "is not taken; use `$ref` with a place inside the schema, as in `#/$defs/address`",
  $recursiveRef: "is not taken; use `$ref` with a place inside the schema, as in `#/$defs/address`",
  $recursiveAnchor: "is not taken; use `$ref` with a place inside the schema, as in `#/$defs/address`",
  $vocabulary: "is not taken; the vocabularies of 2020-12 apply",
  nullable: 'is OpenAPI, not JSON Schema; say so in `type`, as in ["string", "null"]',
  divisibleBy: "is draft-03; 2020-12 says `multipleOf`",
  disallow: "is draft-03; 2020-12 says `not`",
  extends: "is draft-03; 2020-12 says `allOf`",
  min: "is not a word of JSON Schema; it says `minimum`, `minLength` or `minItems`",
  max: "is not a word of JSON Schema; it says `maximum`, `maxLength` or `maxItems`",
}));

/** Words other tools write that are near a keyword and mean no harm. Source: OpenAPI. */
const HARMLESS: ReadonlySet<string> = new Set(["example"]);

/**
 * What is wrong with the word `keyword` itself, or `null`. JSON Schema lets unknown words pass, so a misspelt
 * one would loosen the schema without a sound: a word near a known one is a problem, any other is an annotation.
 */
export function judgeKeyword(keyword: string, dialect: Dialect): string | null {
  const known = KEYWORDS.get(keyword);
  if (known !== undefined) {
    if (known.only === undefined || known.only === dialect) return null;
    const way = known.instead === undefined ? "say so in `$schema`" : `${dialect} says ${known.instead}`;
    return `is a word of ${known.only}, and this schema is ${dialect}; ${way}`;
  }
  const refused = REFUSED.get(keyword);
  if (refused !== undefined) return refused;
  if (HARMLESS.has(keyword) || keyword.startsWith("x-")) return null;
  const meant = nearest(keyword, KEYWORDS.keys());
  return meant === null ? null : `is not a word of JSON Schema; did you mean \`${meant}\`?`;
}

/** The dialect that `$schema` names, or `null` for one that is not taken. */
export function dialectOf(uri: string): Dialect | null {
  switch (uri.replace(/^https?:\/\//, "").replace(/#$/, "")) {
    case "json-schema.org/draft/2020-12/schema":
      return "2020-12";
    case "json-schema.org/draft-07/schema":
      return "draft-07";
    default:
      return null;
  }
}
