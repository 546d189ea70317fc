/**
 * The limits of an arguments schema and of a value checked against it, and the walks that enforce those that must
 * hold before anything recursive may look at either. Pure.
 */

import type { JsonObject, JsonValue } from "../json.ts";
import type { Path } from "../problem.ts";

/** Bytes of the schema as compact JSON. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
/** How deep subschemas may stand inside one another; the root stands at 0. */
export const MAX_SCHEMA_DEPTH = 32;
/** Subschemas in all, the root not counted. */
export const MAX_SUBSCHEMAS = 500;
/** Subschemas once every `$ref` is replaced by what it names: what doubled references grow to. */
export const MAX_UNFOLDED = 10_000;
/** Levels of lists and objects in the schema as JSON, values such as `default` included. */
export const MAX_SCHEMA_LEVELS = 128;
/** Bytes of arguments as compact JSON: what one check may be given at all. A call takes less, which is its own rule. */
export const MAX_VALUE_BYTES = 1024 * 1024;
/** Levels of lists and objects in arguments; `parseJson` takes more, no system asks for as many. */
export const MAX_VALUE_LEVELS = 64;
/** Characters of a regular expression. */
export const MAX_PATTERN_LENGTH = 512;
/** Instructions one regular expression may come to once its repetitions are written out. */
export const MAX_PATTERN_SIZE = 4_000;
/** Instructions of all regular expressions of one schema. */
export const MAX_PATTERN_SIZES = 10_000;
/** Steps one check of a value may take: about half a second of work, and far more than 64 KiB of arguments need. */
export const MAX_STEPS = 500_000;
/** Problems one check of a value tells. */
export const MAX_TOLD = 25;

/** The first thing that makes `value` unfit to be looked at more closely. */
export type Obstacle =
  | { readonly kind: "bytes" }
  | { readonly kind: "levels"; readonly path: Path }
  | { readonly kind: "__proto__"; readonly path: Path }
  | { readonly kind: "no JSON"; readonly path: Path };

interface Level {
  readonly path: Path;
  readonly value: JsonObject | JsonValue[];
  readonly keys: readonly (string | number)[];
  next: number;
}

/**
 * Walks `value` without recursion and stops at the first obstacle: more than `maxBytes` of compact JSON, more than
 * `maxLevels` levels, a key `__proto__`, something that is not JSON. Work is bounded by `maxBytes`, also on a value
 * that holds itself. With `protoKeys` the places of objects with a key `__proto__` are added there, and are no obstacle.
 */
export function findObstacle(
  value: unknown,
  { maxBytes, maxLevels, protoKeys }: { maxBytes: number; maxLevels: number; protoKeys?: Path[] },
): Obstacle | null {
  let bytes = scalarBytes(value, maxBytes);
  if (bytes === null) return { kind: "no JSON", path: [] };
  const levels: Level[] = [];
  if (typeof value === "object" && value !== null) levels.push(levelOf(value as JsonObject, []));
  while (levels.length > 0) {
    if (levels.length > maxLevels) return { kind: "levels", path: levels[levels.length - 1]!.path };
    const level = levels[levels.length - 1]!;
    if (bytes > maxBytes) return { kind: "bytes" };
    if (level.next === level.keys.length) {
      levels.pop();
      continue;
    }
    const key = level.keys[level.next++]!;
    const member: unknown = (level.value as JsonObject)[key];
    const own = scalarBytes(member, maxBytes);
    const path = () => [...level.path, key];
    if (own === null) return { kind: "no JSON", path: path() };
    if (key === "__proto__") {
      if (protoKeys === undefined) return { kind: "__proto__", path: level.path };
      protoKeys.push(level.path);
    }
    // A comma each, which makes one too many a level: the closing bracket pays with it.
    bytes += own + 1 + (typeof key === "string" ? textBytes(key, maxBytes) + 1 : 0);
    if (typeof member === "object" && member !== null) levels.push(levelOf(member as JsonObject, path()));
  }
  return bytes > maxBytes ? { kind: "bytes" } : null;
}

function levelOf(value: JsonObject | JsonValue[], path: Path): Level {
  // keys() and not Object.keys: a hole in a list is found as something that is not JSON.
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return { path, value, keys, next: 0 };
}

/** The bytes of `value` without its members, as compact JSON; `null` when JSON has no such value. */
function scalarBytes(value: unknown, maxBytes: number): number | null {
  switch (typeof value) {
    case "string":
      return textBytes(value, maxBytes);
    case "number":
      return Number.isFinite(value) ? String(value).length : null;
    case "boolean":
      return value ? 4 : 5;
    case "object":
      // Empty brackets are two; others pay one here, the other in place of the comma their last member lacks.
      if (value === null) return 4;
      return (Array.isArray(value) ? value.length : Object.keys(value).length) === 0 ? 2 : 1;
    default:
      return null;
  }
}

function textBytes(text: string, maxBytes: number): number {
  // A text that is over the limit by its length alone is not copied to be measured.
  if (text.length > maxBytes) return text.length;
  return ENCODER.encode(JSON.stringify(text)).length;
}

const ENCODER = new TextEncoder();
