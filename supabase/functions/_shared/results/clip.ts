/** What of a long answer goes out at once; the rest is read page by page. Pure. */

import type { JsonObject, JsonValue } from "../definition/json.ts";
import type { Leaving } from "./leaving.ts";

/** Of a result that goes out whole, as compact JSON in UTF-8. */
export const MAX_RESULT_BYTES = 16 * 1024;

export interface Clipped {
  readonly result: JsonValue;
  readonly truncated: boolean;
}

/**
 * The result when it is at most 16 KiB, else a digest of it: `total` and as many of the first `rows` as fit, or, of an
 * answer without rows, the beginning of its JSON as `text`.
 */
export function clipLeaving({ result, json, rows }: Leaving): Clipped {
  if (utf8Length(json) <= MAX_RESULT_BYTES) return { result, truncated: false };
  return { result: rows === null ? beginning(json) : firstRows(rows), truncated: true };
}

function firstRows(rows: readonly JsonValue[]): JsonObject {
  const first: JsonValue[] = [];
  // The brackets and the total around the rows, and a comma with each of them.
  let bytes = 64;
  for (const row of rows) {
    bytes += utf8Length(JSON.stringify(row)) + 1;
    if (bytes > MAX_RESULT_BYTES) break;
    first.push(row);
  }
  return { total: rows.length, rows: first };
}

/** 2,000 code points, so that what follows stays readable in a conversation. */
function beginning(json: string): JsonObject {
  return { total: 1, text: `${[...json.slice(0, 4_000)].slice(0, 2_000).join("")}…` };
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
