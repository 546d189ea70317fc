/** What is asked of the root of an arguments schema beyond being a schema: an object that some call can be. Pure. */

import { isJsonObject } from "../json.ts";
import type { Problem } from "../problem.ts";
import { KEYWORDS } from "./keywords.ts";
import { everApplied, type SchemaNode } from "./node.ts";
import { namesOf } from "./object-rules.ts";
import { isTypeName, nameOf, nearest } from "../words.ts";

/**
 * The root has to be of type `object`. What stands beside `properties` instead of under it, and what is required
 * without being declared, make a tool that no call satisfies: both are problems.
 */
export function checkRoot(root: SchemaNode): Problem[] {
  return [...checkRootType(root), ...findMisplaced(root), ...findUndeclaredRequired(root)];
}

function checkRootType({ schema, path, types }: SchemaNode): Problem[] {
  if (!Object.hasOwn(schema, "type")) return [{ path, says: 'has no `type`; "type": "object" is wanted' }];
  // A word that is no type at all has its own problem.
  if (schema.type === "object" || types.size === 0) return [];
  return [{
    path: [...path, "type"],
    says: '"object" alone is wanted: the arguments of a tool are an object',
  }];
}

function findMisplaced({ schema, path }: SchemaNode): Problem[] {
  return Object.entries(schema)
    .filter(([keyword, value]) => !KEYWORDS.has(keyword) && isJsonObject(value) && isTypeName(value.type))
    .map(([keyword]) => ({
      path: [...path, keyword],
      says: "is not a word of JSON Schema; an argument stands under `properties`",
    }));
}

function findUndeclaredRequired(root: SchemaNode): Problem[] {
  const { required } = root.schema;
  const rest = root.one.get("additionalProperties");
  const applied = everApplied(root);
  // Names that come by a pattern or under a schema for all others are declared without being written out.
  if (!Array.isArray(required) || (rest !== undefined && !rest.never)) return [];
  if (applied.some(({ named }) => named.has("patternProperties"))) return [];
  const names = namesOf(applied);
  return required.flatMap((name, index) => {
    if (typeof name !== "string" || names.has(name)) return [];
    const meant = nearest(name, names);
    const hint = meant === null ? "declare it there" : `did you mean ${nameOf(meant)}?`;
    return [{
      path: [...root.path, "required", index],
      says: `names ${nameOf(name)}, which is not under \`properties\`, so no call could satisfy it; ${hint}`,
    }];
  });
}
