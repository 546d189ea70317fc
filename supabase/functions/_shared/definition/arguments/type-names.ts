/** What people write for a type of JSON Schema when they mean one and miss it. Pure. */

import type { JsonValue } from "../json.ts";
import { either, nearest, quote, tell, TYPE_WORDS, type TypeName } from "../words.ts";

/** What other languages call the types of JSON Schema. */
const OTHER_TYPE_NAMES: ReadonlyMap<string, TypeName> = new Map<string, TypeName>([
  ["str", "string"],
  ["text", "string"],
  ["date", "string"],
  ["int", "integer"],
  ["int32", "integer"],
  ["int64", "integer"],
  ["long", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["bool", "boolean"],
  ["list", "array"],
  ["dict", "object"],
  ["map", "object"],
  ["none", "null"],
]);

/** What is wrong with `found` as a `type`, and which type was meant. */
export function wrongType(found: JsonValue): string {
  const names = Object.keys(TYPE_WORDS);
  const wanted = `${either(names)} is wanted`;
  if (typeof found !== "string") return `found ${tell(found)}; ${wanted}`;
  const meant = OTHER_TYPE_NAMES.get(found.toLowerCase()) ?? nearest(found, names);
  return `found ${quote(found)}; ${wanted}${meant === null ? "" : `; did you mean "${meant}"?`}`;
}
