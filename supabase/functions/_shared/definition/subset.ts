/** Equality and containment of JSON values, as fixtures and conditions mean it. Pure. */

import { canonicalJson } from "./canonical-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** Whether both are the same JSON, whatever the order of keys. Stops at the first difference. */
export function isEqualJson(a: JsonValue, b: JsonValue): boolean {
  return isEqual(a, b, new WeakMap());
}

/** {@link isEqualJson} with `value`, which is read once for however many it is compared with. */
export function equalTo(value: JsonValue): (other: JsonValue) => boolean {
  if (typeof value !== "object" || value === null) return (other) => other === value;
  let canonical: string | undefined;
  return (other) => {
    if (typeof other !== "object" || other === null || Array.isArray(other) !== Array.isArray(value)) {
      return false;
    }
    return canonicalJson(other) === (canonical ??= canonicalJson(value));
  };
}

/**
 * Whether every key of `part` is in `whole` with the same value: objects by the same rule all the way down, lists
 * and everything else by equality. At most as much work as both values are large.
 */
export function isSubset(part: JsonObject, whole: JsonObject): boolean {
  return partOf(whole)(part);
}

/**
 * {@link isSubset} of `whole`, however many parts it is held against: each is at most as much work as the part is large,
 * and all together once as much as `whole` is.
 */
export function partOf(whole: JsonObject): (part: JsonObject) => boolean {
  const counts: KeyCounts = new WeakMap();
  return (part) => isPart(part, whole, counts);
}

/** How many keys an object that is compared again and again has. */
type KeyCounts = WeakMap<JsonObject, number>;

function isPart(part: JsonObject, whole: JsonObject, counts: KeyCounts): boolean {
  return Object.entries(part).every(([key, wanted]) => {
    if (!Object.hasOwn(whole, key)) return false;
    const found = whole[key]!;
    return isJsonObject(wanted) && isJsonObject(found)
      ? isPart(wanted, found, counts)
      : isEqual(wanted, found, counts);
  });
}

/** `counts` is of objects in `b`: at most as much work as `a` is large, once those are counted. */
function isEqual(a: JsonValue, b: JsonValue, counts: KeyCounts): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length &&
      a.every((element, at) => isEqual(element, b[at]!, counts));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === countKeys(b, counts) &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key]!, b[key]!, counts));
}

function countKeys(object: JsonObject, counts: KeyCounts): number {
  let count = counts.get(object);
  if (count === undefined) counts.set(object, count = Object.keys(object).length);
  return count;
}
