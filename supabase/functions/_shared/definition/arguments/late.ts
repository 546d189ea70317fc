/** Values of a call that are not known yet, since an earlier call of the chain answers them, as a check meets them. Pure. */

import type { JsonObject, JsonValue } from "../json.ts";
import type { TypeName } from "../words.ts";

/** Stands, by identity, for a text, a number, true or false that comes later. Never in what is stored or sent. */
export const LATE: JsonObject = Object.freeze({});

/** Stands, by identity, for a text of which a part comes later. Never in what is stored or sent. */
export const LATE_TEXT: JsonObject = Object.freeze({});

const SCALARS: readonly TypeName[] = ["string", "number", "integer", "boolean"];

/** Whether `value` is one that comes later; no value that was parsed is. */
export function isLate(value: JsonValue): boolean {
  return value === LATE || value === LATE_TEXT;
}

/** Whether `value`, or anything in it, comes later. Linear in it. */
export function holdsLate(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isLate(value) || Object.values(value).some(holdsLate);
}

/** The types the late `value` may turn out to be of. */
export function typesOfLate(value: JsonValue): readonly TypeName[] {
  return value === LATE_TEXT ? ["string"] : SCALARS;
}
