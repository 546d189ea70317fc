import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { checkFramedTool, FRAMED_TOOL_SCHEMA } from "../framed-tool.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { parseJson } from "./json.ts";
import { FILES } from "./testdata/files.ts";
import { GOOD, mutatedFile } from "./testdata/mutated.ts";

const accepts = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true })
  .compile(FRAMED_TOOL_SCHEMA);

Deno.test("FRAMED_TOOL_SCHEMA takes every good file", () => {
  for (const [at, file] of GOOD.entries()) {
    assert(accepts(file), `${FILES.valid[at]!.name}: ${JSON.stringify(accepts.errors)}`);
  }
});

Deno.test("FRAMED_TOOL_SCHEMA refuses only what the check refuses, of every bad file", () => {
  let refused = 0;
  for (const { name, bytes } of FILES.invalid) {
    const parsed = parseJson(bytes, { maxBytes: 1024 * 1024 });
    if (!parsed.ok || accepts(parsed.value)) continue;
    refused++;
    assertEquals(checkFramedTool(parsed.value).ok, false, name);
  }
  assert(refused > 100, `only ${refused} bad files are refused by the schema`);
});

Deno.test("FRAMED_TOOL_SCHEMA refuses only what the check refuses, of 4,000 mutated files and any JSON", () => {
  let refused = 0;
  const agrees = (file: JsonValue) => {
    if (accepts(file)) return;
    refused++;
    assertEquals(checkFramedTool(file).ok, false);
  };
  fc.assert(fc.property(mutatedFile, agrees), { numRuns: 4_000 });
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (file) => agrees(file as JsonValue)), {
    numRuns: 500,
  });
  assert(refused > 2_000, `only ${refused} were refused by the schema`);
});

Deno.test("FRAMED_TOOL_SCHEMA says in words what each key is for", () => {
  const silent: string[] = [];
  const visit = (schema: JsonValue, path: string): void => {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
    for (const [key, inner] of Object.entries(schema.properties as JsonObject ?? {})) {
      if (typeof (inner as JsonObject).description !== "string") silent.push(`${path}.${key}`);
      visit(inner, `${path}.${key}`);
    }
    for (const key of ["items", "additionalProperties"]) visit(schema[key] ?? null, `${path}[]`);
  };
  for (const [kind, schema] of Object.entries(FRAMED_TOOL_SCHEMA.$defs as JsonObject)) visit(schema, kind);
  assertEquals(silent, []);
});

Deno.test("FRAMED_TOOL_SCHEMA is JSON Schema 2020-12 and serialises as itself", () => {
  assertEquals(FRAMED_TOOL_SCHEMA.$schema, "https://json-schema.org/draft/2020-12/schema");
  assertEquals(JSON.parse(JSON.stringify(FRAMED_TOOL_SCHEMA)), FRAMED_TOOL_SCHEMA);
});
