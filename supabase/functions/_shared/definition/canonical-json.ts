/** One text for equal JSON values, for digests and equality. Pure. */

import type { JsonValue } from "./json.ts";

/**
 * The canonical form of `value`: equal values give equal bytes, whatever the order of their keys. RFC 8785: keys
 * sorted by UTF-16 units, no blanks, numbers and texts as ECMAScript writes them. Takes what `parseJson` gives, so
 * depth is bounded and no text holds a lone surrogate.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) =>
    `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`
  );
  return `{${members.join(",")}}`;
}
