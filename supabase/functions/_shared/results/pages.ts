/** One page of a stored result: what is at a dotted path, and of a list the elements from an offset on. Pure. */

import type { JsonValue } from "../definition/json.ts";
import { MAX_RESULT_BYTES } from "./clip.ts";
import { ownValue } from "./rows.ts";

/** The most elements of one page. */
export const MAX_PAGE_ITEMS = 200;

export interface Page {
  /** How many there are in all at the path; 1 for what is no list. */
  readonly total: number;
  readonly offset: number;
  readonly items: readonly JsonValue[];
  /** Null at the end. */
  readonly next_offset: number | null;
}

/** Which page. */
export interface PageAsked {
  readonly path: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/**
 * The page at `path` (empty: the whole result), or null where nothing is there.
 *
 * A page of a list holds at most `limit` elements and stops before 16 KiB, but always holds one; what is no list is a
 * page of one item. A name steps into an object, a number into a list.
 */
export function readPage(
  result: JsonValue,
  { path, offset, limit }: PageAsked,
): Page | null {
  const found = path.reduce<JsonValue | undefined>(ownValue, result);
  if (found === undefined) return null;
  const list = Array.isArray(found) ? found : [found];
  const items: JsonValue[] = [];
  let bytes = 0;
  for (const item of list.slice(offset, offset + Math.min(limit, MAX_PAGE_ITEMS))) {
    bytes += new TextEncoder().encode(JSON.stringify(item)).byteLength + 1;
    if (items.length > 0 && bytes > MAX_RESULT_BYTES) break;
    items.push(item);
  }
  const end = offset + items.length;
  return {
    total: list.length,
    offset,
    items,
    next_offset: end < list.length && items.length > 0 ? end : null,
  };
}
