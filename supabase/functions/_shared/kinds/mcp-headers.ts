/** The arguments that a server wants in headers of a call too (`x-mcp-header`, revision 2026-07-28). Pure. */

import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";

const MARK = "x-mcp-header";
/** The name of a header (RFC 9110 §5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** What holds schemas that the value of no argument can be read by: one, a list of them, or some by name. */
const SINGLE = [
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
];
const NAMED = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/**
 * Whether every mark in the schema is one that a call can follow. The protocol lets nobody use a tool where one is not:
 * a mark on anything but a text, an integer or a boolean that is found by `properties` alone, a name that is no header's,
 * and one name twice, in whatever case.
 */
export function hasUsableHeaders(inputSchema: JsonObject): boolean {
  const names = new Set<string>();

  function isUsable(schema: JsonValue | undefined, place: "root" | "argument" | "elsewhere"): boolean {
    if (!isJsonObject(schema ?? null)) return true;
    const { properties, ...rest } = schema as JsonObject;
    if (Object.hasOwn(rest, MARK) && !(place === "argument" && isMark(rest))) return false;
    const within = place === "elsewhere" ? "elsewhere" : "argument";
    return valuesOf(properties).every((inner) => isUsable(inner, within)) &&
      NAMED.flatMap((key) => valuesOf(rest[key])).every((inner) => isUsable(inner, "elsewhere")) &&
      SINGLE.flatMap((key) => rest[key] ?? []).every((inner) => isUsable(inner, "elsewhere"));
  }

  function isMark({ [MARK]: name, type }: JsonObject): boolean {
    if (typeof name !== "string" || !TOKEN.test(name) || !TYPES.has(type)) return false;
    const lower = name.toLowerCase();
    return !names.has(lower) && names.add(lower).has(lower);
  }

  return isUsable(inputSchema, "root");
}

function valuesOf(named: JsonValue | undefined): JsonValue[] {
  return isJsonObject(named ?? null) ? Object.values(named as JsonObject) : [];
}
