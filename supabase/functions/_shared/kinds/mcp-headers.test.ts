import { assertEquals } from "@std/assert";
import type { JsonObject } from "../definition/json.ts";
import { hasUsableHeaders } from "./mcp-headers.ts";

const marked = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name }) as JsonObject;
const one = { type: "object", properties: { a: marked("A") } };

type Row = readonly [what: string, schema: JsonObject, isUsable: boolean];

const SCHEMAS: readonly Row[] = [
  ["no mark", { type: "object", properties: { a: { type: "string" } } }, true],
  ["a text, an integer and a boolean", {
    properties: { a: marked("A"), b: marked("B", "integer"), c: marked("C", "boolean") },
  }, true],
  [
    "an argument within another",
    { properties: { a: { type: "object", properties: { b: marked("B") } } } },
    true,
  ],
  ["an argument that is named like the mark", { properties: { "x-mcp-header": { type: "array" } } }, true],
  ["an example that looks like a mark", {
    properties: { a: { type: "object", default: { "x-mcp-header": "" }, enum: [{ "x-mcp-header": "" }] } },
  }, true],
  ["one name twice", { properties: { a: marked("Region"), b: marked("region") } }, false],
  ["the schema itself", { ...one, "x-mcp-header": "B" }, false],
  ...["", " ", "My Region", "Region:Primary", "Région", "Region\t1", "A\r\nB", 7, null, {}].map((
    name,
  ): Row => [`the name ${JSON.stringify(name)}`, { properties: { a: marked(name) } }, false]),
  ...["number", "object", "array", "null", ["string"], undefined].map((
    type,
  ): Row => [`the type ${JSON.stringify(type)}`, {
    properties: { a: { "x-mcp-header": "A", ...(type === undefined ? {} : { type }) } },
  }, false]),
  ...["items", "additionalProperties", "not", "if", "propertyNames"].map((
    key,
  ): Row => [`under ${key}`, { properties: { list: { [key]: one } } }, false]),
  ...["anyOf", "allOf", "prefixItems"].map((
    key,
  ): Row => [`under ${key}`, { [key]: [{}, marked("A")] }, false]),
  ...["$defs", "patternProperties", "dependentSchemas"].map((
    key,
  ): Row => [`under ${key}`, { [key]: { a: marked("A") } }, false]),
];

for (const [what, schema, isUsable] of SCHEMAS) {
  Deno.test(`hasUsableHeaders() ${isUsable ? "takes" : "refuses"} ${what}`, () => {
    assertEquals(hasUsableHeaders(schema), isUsable);
  });
}
