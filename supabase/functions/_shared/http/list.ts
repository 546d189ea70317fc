/** How every list is paged: `limit`, an opaque `cursor`, and `next_cursor`, null at the end. */

import * as z from "zod";
import { once } from "../definition/once.ts";
import { instantShape, uuidShape } from "./shape.ts";

/** Rows of a page where nobody says how many, and the most of one. */
export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

const NO_CURSOR = "the next_cursor of the page before is wanted, unchanged";
const NO_LIMIT = `a number from 1 to ${MAX_LIMIT} is wanted`;

/** `limit` (50, at most 200) and `cursor` of a query string. */
export const pageShape = once(() => ({
  limit: z.string().regex(/^[0-9]{1,4}$/, { error: NO_LIMIT }).transform(Number)
    .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, { error: NO_LIMIT })
    .optional().transform((limit) => limit ?? DEFAULT_LIMIT),
  cursor: cursorShape((after) => after),
}));

/** A row of a list in the order of time. */
export interface TimedPlace {
  /** In ISO 8601. */
  readonly created_at: string;
  readonly id: string;
}

/** The same for a list in the order of time, whose cursor names the last row of the page before: see `timedKey`. */
export const timedPageShape = once(() => ({ limit: pageShape().limit, cursor: cursorShape(readTimedPlace) }));

/** What a cursor holds of the last row of a page of such a list. */
export function timedKey({ created_at, id }: TimedPlace): string {
  return `${created_at} ${id}`;
}

/**
 * The page of what was asked with one row more than `limit`, and the cursor of the next one: after the page's last row,
 * or where fewer were found, after what the search last looked at (`stoppedAt`), null where it looked at everything.
 */
export function pageOf<T>(
  rows: readonly T[],
  { limit, key, stoppedAt = null }: {
    limit: number;
    key: (row: T) => string;
    stoppedAt?: string | null;
  },
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const after = rows.length > limit && last !== undefined ? key(last) : stoppedAt;
  return { page, next_cursor: after === null ? null : writeCursor(after) };
}

/** A cursor as what `read` makes of the text in it, which is null for one that is none of ours; null where there is none. */
export function cursorShape<T>(read: (after: string) => T | null) {
  return z.string().transform((cursor, context) => {
    const after = readCursor(cursor);
    const place = after === null ? null : read(after);
    if (place !== null) return place;
    context.addIssue({ code: "custom", message: NO_CURSOR });
    return z.NEVER;
  }).optional().transform((place) => place ?? null);
}

/** As the store writes one, to the microsecond, in whatever zone its sessions are. */
const INSTANT_OF_STORE = /^[0-9-]{10}T[0-9:]{8}(\.[0-9]{1,6})?[+-](0[0-9]|1[0-4]):[0-9]{2}$/;

/** Only what the store reads as an instant and an id: a cursor that was made up must not break its query. */
function readTimedPlace(after: string): TimedPlace | null {
  const [created_at = "", id = "", ...more] = after.split(" ");
  const isInstant = INSTANT_OF_STORE.test(created_at) &&
    instantShape(NO_CURSOR).safeParse(created_at).success;
  return isInstant && uuidShape().safeParse(id).success && more.length === 0 ? { created_at, id } : null;
}

function writeCursor(after: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(after))).replaceAll("+", "-").replaceAll(
    "/",
    "_",
  ).replaceAll("=", "");
}

function readCursor(cursor: string): string | null {
  if (!/^[\w-]{1,400}$/.test(cursor)) return null;
  try {
    const bytes = Uint8Array.from(
      atob(cursor.replaceAll("-", "+").replaceAll("_", "/")),
      (char) => char.charCodeAt(0),
    );
    const after = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return after.includes("\0") ? null : after;
  } catch {
    return null;
  }
}
