/**
 * The JSON Schema of a file, from the same formats that check it, so it never refuses what the check lets pass. Pure.
 */

import * as z from "zod";
import { FORMATS, type Kind, KINDS } from "./format.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { once } from "./once.ts";

/** The keys whose meaning does not depend on the kind: what an editor offers before `kind` is written. */
const COMMON_KEYS = ["$schema", "format", "slug", "name", "description"];

/**
 * JSON Schema 2020-12 of `framed-tool.json`, with a description on every key.
 *
 * Shaped for editors: the root offers `kind` and what all kinds share, and an `if` per kind leads to that kind
 * alone, so completion and messages are about the file at hand and not about every kind at once.
 *
 * What follows from the formats is built when it is first read: a function that checks files reads none of it.
 */
export const FRAMED_TOOL_SCHEMA: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "framed-tool.json",
  description: "One tool of a Framed workspace: what it is called, what it takes, what it does.",
  type: "object",
  get properties(): JsonObject {
    const shared = kindSchemas().request!.properties as JsonObject;
    return {
      ...Object.fromEntries(COMMON_KEYS.map((key) => [key, shared[key]!])),
      kind: { enum: [...KINDS], description: kindDescription(kindSchemas()) },
    };
  },
  required: [...COMMON_KEYS.filter((key) => key !== "$schema"), "kind"],
  allOf: KINDS.map((kind) => ({
    if: { properties: { kind: { const: kind } }, required: ["kind"] },
    then: { $ref: `#/$defs/${kind}` },
  })),
  get $defs(): JsonObject {
    return kindSchemas();
  },
};

const kindSchemas = once((): Record<string, JsonObject> =>
  Object.fromEntries(KINDS.map((kind) => [kind, schemaOfKind(kind)]))
);

function schemaOfKind(kind: Kind): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(FORMATS[kind](), { target: "draft-2020-12", io: "input" });
  return schema as JsonObject;
}

function kindDescription(kinds: Record<string, JsonObject>): string {
  const lines = KINDS.map((kind) => {
    const { kind: key } = kinds[kind]!.properties as Record<string, Record<string, JsonValue>>;
    return `${kind}: ${key!.description}`;
  });
  return `What the tool is. ${lines.join(" ")}`;
}
