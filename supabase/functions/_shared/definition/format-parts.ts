/**
 * The zod building blocks of the file's format: texts, names, paths, any JSON. Pure.
 * Each says in words what is wanted, which is what a problem quotes; what a key is for stands in `format.ts`.
 */

import * as z from "zod";
import type { JsonObject, JsonValue } from "./json.ts";
import { eitherQuoted, grouped } from "./words.ts";

/** A tool's name on a workspace. Names starting `framed_` are reserved, which is a check of its own. */
export const SLUG = /^[a-z][a-z0-9_]{1,62}$/;

/** A secret's name, so that a tool never reaches a credential of the platform. */
export const SECRET_NAME = /^CONNECTOR_[A-Z0-9_]{1,55}$/;

/** Keys and indexes joined by dots, none empty. No braces: a path is never filled. */
const DOTTED_PATH = /^[^.{}]+(\.[^.{}]+)*$/;

/** Something other than blanks and characters that show nothing. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** A text of at most `max` Unicode code points that is not only blanks. */
export function textFormat(max: number) {
  const wanted = `a text of 1 to ${grouped(max)} characters`;
  return z.string({ error: wanted })
    .refine((text) => [...text].length <= max && VISIBLE.test(text), { error: wanted })
    // zod counts UTF-16 units, JSON Schema code points, so the limits are said to the schema directly.
    .meta({ minLength: 1, maxLength: max, pattern: "\\S" });
}

/** A text that matches `pattern` whole; `wanted` says so in words. */
export function patternFormat(pattern: RegExp, wanted: string) {
  return z.string({ error: wanted }).regex(pattern, { error: wanted });
}

export function slugFormat() {
  return patternFormat(
    SLUG,
    "a name such as ledger_open_invoices (2 to 63 of a-z, 0-9 and _, the first a letter)",
  );
}

export function secretNameFormat() {
  return patternFormat(
    SECRET_NAME,
    "the name of a secret such as CONNECTOR_LEDGER (CONNECTOR_ and 1 to 55 of A-Z, 0-9 and _)",
  );
}

export function dottedPathFormat() {
  return patternFormat(DOTTED_PATH, "a dotted path such as data.items");
}

/** One of `values`, with each of them named when it is none. */
export function oneOfFormat<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: eitherQuoted(values) });
}

/** An object with the keys of `shape` and no others. */
export function objectFormat<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, { error: "an object" });
}

/** A list of at least one `item`. */
export function listFormat<T extends z.ZodType>(item: T, wanted: string) {
  return z.array(item, { error: wanted }).min(1, { error: wanted });
}

/** A list of 1 to `max` `items`. */
export function shortListFormat<T extends z.ZodType>(
  item: T,
  { max, items }: { max: number; items: string },
) {
  const wanted = `a list of 1 to ${max} ${items}`;
  return listFormat(item, wanted).max(max, { error: wanted });
}

/** An object with any keys, each holding `value`. */
export function mapFormat<T extends z.ZodType>(value: T) {
  return z.record(z.string(), value, { error: "an object" });
}

/**
 * Any JSON. Not looked into: the parser, or `file-obstacle.ts` for a value that was parsed elsewhere, has seen that
 * it is JSON and not too deep.
 */
export function jsonFormat(wanted = "any JSON value"): z.ZodType<JsonValue> {
  return z.unknown().refine((value) => value !== undefined, { error: wanted }) as unknown as z.ZodType<
    JsonValue
  >;
}

/** Any JSON object. */
export function jsonObjectFormat(): z.ZodType<JsonObject> {
  return mapFormat(jsonFormat()) as z.ZodType<JsonObject>;
}
