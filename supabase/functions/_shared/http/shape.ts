/** The shape of bodies and query strings: checked against a zod format, refused as `bad_request` with a line for each fault. */

import * as z from "zod";
import type { JsonValue } from "../definition/json.ts";
import { once } from "../definition/once.ts";
import { formatPath, formatProblems, type Problem } from "../definition/problem.ts";
import { refuse, type Result } from "../outcome/result.ts";

/** Unknown keys that one line names. */
const MAX_NAMED = 12;

/** What a part of a request has to be, built at the first one: all of them would take 10 ms of every cold start. */
export type Shape<T> = () => z.ZodType<T>;

/** A workspace's id, or any other id of ours, in lower case as the store writes it. */
export const uuidShape = once(() =>
  z.string({ error: "a UUID is wanted" })
    .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, { error: "a UUID is wanted" })
    .toLowerCase()
);

/** The version of a tool that somebody saw. */
export const versionShape = once(() =>
  z.number({ error: "a version number is wanted" }).int({ error: "a version number is wanted" })
    .positive({ error: "a version number is wanted" }).optional()
);

/**
 * A name that a person gives: at most `max` characters on one line, of which one at least can be seen. Blanks around it
 * are dropped. Refuses what is invisible or turns the text around it, so that no two names look the same by it.
 */
export function nameShape(max: number) {
  const error = `from 1 to ${max} characters on one line are wanted`;
  const invisible = "characters that cannot be seen, or turn the text around them, are refused";
  return z.string({ error }).trim().refine((name) => {
    const { length } = [...name];
    return length >= 1 && length <= max && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name);
  }, { error, abort: true }).refine((name) => !INVISIBLE.test(name) && VISIBLE.test(name), {
    error: invisible,
  });
}

/** Of no use in a name: marks of direction, joiners, tags, halves of characters. */
const INVISIBLE = /[\p{Cf}\p{Cs}]/u;
/** A letter, digit or sign that is not one of the blanks counted among them, as the Hangul fillers and the empty Braille cell are. */
const VISIBLE = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * An instant in ISO 8601 with its zone, in the years 1 to 9999 of UTC, wherever it was written: what the store can hold
 * and we can write back in the same form.
 */
export function instantShape(error: string) {
  return z.iso.datetime({ offset: true, error }).transform((text) => new Date(text))
    .refine((instant) => instant >= FIRST_INSTANT && instant < AFTER_LAST_INSTANT, { error });
}

const FIRST_INSTANT = new Date("0001-01-01T00:00:00Z");
const AFTER_LAST_INSTANT = new Date("+010000-01-01T00:00:00Z");

/** `value`, the body of a request, as `shape` has it, or `bad_request` with everything that differs. */
export function readShape<T>(shape: Shape<T>, value: JsonValue): Result<T> {
  return readPart(shape, value, "body");
}

/** The arguments of a host tool as `shape` has them, or `bad_request` with everything that differs. */
export function readArguments<T>(shape: Shape<T>, value: JsonValue): Result<T> {
  return readPart(shape, value, "arguments");
}

/**
 * A query string as `shape` has it, or `bad_request` with everything that differs. A parameter that is given twice is
 * a fault whatever its values are: programs in between take the first one, the last one or both.
 */
export function readQuery<T>(shape: Shape<T>, query: Record<string, string[]>): Result<T> {
  const repeated = Object.keys(query).filter((key) => query[key]!.length > 1);
  if (repeated.length > 0) {
    return refuseParts([{ path: [], says: `${namesOf(repeated)} given more than once` }], "query");
  }
  const single = Object.entries(query).map(([key, [value = ""]]) => [key, value]);
  return readPart(shape, Object.fromEntries(single), "query");
}

/** Of a request. */
type Part = "body" | "query" | "arguments";

function readPart<T>(shape: Shape<T>, value: unknown, part: Part): Result<T> {
  const read = shape().safeParse(value);
  if (read.success) return { ok: true, value: read.data };
  const problems = read.error.issues.map((issue) => ({
    path: issue.path.map((step) => typeof step === "number" ? step : String(step)),
    says: issue.code === "unrecognized_keys" ? `${namesOf(issue.keys)} not known here` : issue.message,
  }));
  return refuseParts(problems, part);
}

function refuseParts(problems: readonly Problem[], part: Part): Result<never> {
  return refuse("bad_request", {
    detail: part === "arguments"
      ? "The arguments are not what this tool takes."
      : "The request is not shaped as this path wants it.",
    problems: formatProblems(problems, part),
  });
}

function namesOf(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED).map((key) => formatPath([key], "a key"));
  return named.join(", ") + (keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : "");
}

/** An id that could exist, or null: who may do what is decided before the rest of the request is looked at. */
export function uuidOrNull(named: unknown): string | null {
  const id = uuidShape().safeParse(named);
  return id.success ? id.data : null;
}
