/** Equality and containment of JSON values, as fixtures and conditions mean it. Pure. */

import { canonicalJson } from "./canonical-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** Whether both are the same JSON, whatever the order of keys. */
export function isEqualJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return false;
  return canonicalJson(a) === canonicalJson(b);
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
  return Object.entries(part).every(([key, wanted]) => {
    if (!Object.hasOwn(whole, key)) return false;
    const found = whole[key]!;
    return isJsonObject(wanted) && isJsonObject(found) ? isSubset(wanted, found) : isEqualJson(wanted, found);
  });
}
