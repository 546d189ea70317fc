/** One comparison of a file, held against a JSON value. Pure. */

import { canonicalJson } from "./canonical-json.ts";
import type { Condition } from "./format-after.ts";
import { isJsonObject, type JsonValue } from "./json.ts";
import { equalTo } from "./subset.ts";
import { includesText } from "./text-search.ts";

/** The values at a dotted path, and whether it ended before one somewhere. */
export interface Found {
  readonly values: readonly JsonValue[];
  readonly missing: boolean;
}

/**
 * Every value at the dotted `path` of `root`: a number is a place in a list, a name on a list means any of its
 * elements. Only own keys are looked at. Each part of the path visits a node of `root` at most once.
 */
export function findValues(root: JsonValue, path: string): Found {
  let values: JsonValue[] = [root];
  let missing = false;
  for (const key of path.split(".")) {
    const next: JsonValue[] = [];
    for (const value of values) missing = !step(value, key, next) || missing;
    values = next;
  }
  return { values, missing: missing || values.length === 0 };
}

/** Adds what stands under `key` to `found`; false when there is nothing, in `value` or in one of its elements. */
function step(value: JsonValue, key: string, found: JsonValue[]): boolean {
  if (Array.isArray(value) && !/^\d+$/.test(key)) {
    let complete = true;
    for (const element of value) complete = step(element, key, found) && complete;
    return complete;
  }
  if (Array.isArray(value)) {
    const element = value[Number(key)];
    if (element === undefined) return false;
    found.push(element);
    return true;
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return false;
  found.push(value[key]!);
  return true;
}

/**
 * Whether `condition` holds for one of the values at its path. `not_equals` and `not_exists` also hold where nothing
 * is found. At most as much work as `root` and the condition's value are large together.
 *
 * `strict` is for conditions that make something stricter: with it `gt`, `gte`, `lt`, `lte`, `in` and `contains`
 * also hold where a value is missing, or is of another type than the condition compares with.
 */
export function holds(
  { path, op, value = null }: Condition,
  root: JsonValue,
  { strict = false } = {},
): boolean {
  const { values, missing } = findValues(root, path);
  switch (op) {
    case "exists":
      return values.length > 0;
    case "not_exists":
      return values.length === 0;
    case "equals":
      return values.some(equalTo(value));
    case "not_equals": {
      const isEqual = equalTo(value);
      return values.length === 0 || values.some((one) => !isEqual(one));
    }
    case "contains":
    case "in":
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const compare = comparison(op, value);
      return (strict && missing) || values.some((one) => compare(one) ?? strict);
    }
    default:
      return op satisfies never;
  }
}

type Comparing = "contains" | "in" | "gt" | "gte" | "lt" | "lte";

/** How a found value compares with `value`; `null` when the two are of types that the op does not compare. */
function comparison(op: Comparing, value: JsonValue): (found: JsonValue) => boolean | null {
  switch (op) {
    case "in":
      return among(value);
    case "contains": {
      const isEqual = equalTo(value);
      return (found) => {
        if (Array.isArray(found)) return found.some(isEqual);
        return typeof found === "string" && typeof value === "string" ? includesText(found, value) : null;
      };
    }
    default:
      return (found) => {
        const comparable = (typeof found === "number" && typeof value === "number") ||
          (typeof found === "string" && typeof value === "string");
        if (!comparable) return null;
        if (op === "gt") return found > value;
        if (op === "gte") return found >= value;
        return op === "lt" ? found < value : found <= value;
      };
  }
}

function among(list: JsonValue): (found: JsonValue) => boolean | null {
  if (!Array.isArray(list)) return () => null;
  const members = new Set(list.map(canonicalJson));
  const types = new Set(list.map(typeOf));
  return (found) => {
    if (!types.has(typeOf(found))) return null;
    return members.has(canonicalJson(found));
  };
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
