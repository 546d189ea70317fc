/** JSON that another system wrote: read with every digit, and no deeper or of more values than can be held. Pure. */

import type { JsonValue } from "../definition/json.ts";

/** Levels of lists and objects in an answer, as in a file. */
export const MAX_ANSWER_LEVELS = 200;
/**
 * Values of an answer: each list, object, number, text and word. It is values, and not bytes, that fill a process: `{}`
 * is 3 bytes of a list and 60 of memory, and an object of one key nobody else has is 200.
 */
export const MAX_ANSWER_VALUES = 200_000;

export type ReadJson =
  | { readonly ok: true; readonly value: JsonValue; readonly values: number }
  | { readonly ok: false; readonly why: "no_json" | "too_deep" | "too_many" };

/**
 * The value `text` writes, and of how many values it is made. A number that ours cannot hold (an 18-digit id, `1e400`)
 * becomes a text with all that was written. Refuses more than 200 levels or `maxValues` before anything of it is made.
 * Linear in the text, whatever it holds.
 */
export function readJson(
  text: string,
  { maxValues = MAX_ANSWER_VALUES }: { maxValues?: number } = {},
): ReadJson {
  const values = measure(text, maxValues);
  if (typeof values === "string") return { ok: false, why: values };
  try {
    // A second reading is a cost for few: a reviver would take seconds on a few megabytes.
    const value = /\d{16}|\d[eE]\+?\d{3}/.test(text) ? parseEveryDigit(text) : JSON.parse(text);
    return { ok: true, value, values };
  } catch {
    return { ok: false, why: "no_json" };
  }
}

/** Throws where `text` is no JSON: with quotes around its numbers it might be. */
function parseEveryDigit(text: string): JsonValue {
  JSON.parse(text);
  return JSON.parse(quoteUnheldNumbers(text));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Of how many values `text` is made where it is JSON, or what it has too much of. Each list or object that holds
 * something holds one value more than it has commas.
 */
function measure(text: string, maxValues: number): number | "too_deep" | "too_many" {
  let levels = 0;
  let values = 1;
  let justOpened = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Blanks are all that may stand in an empty list or object.
    if (code <= 0x20) continue;
    const closes = code === 0x5d || code === 0x7d;
    if (justOpened && !closes) values++;
    justOpened = code === 0x5b || code === 0x7b;
    if (code === QUOTE) at = lastOfString(text, at);
    else if (code === COMMA) values++;
    else if (closes) levels--;
    else if (justOpened && ++levels > MAX_ANSWER_LEVELS) return "too_deep";
    if (values > maxValues) return "too_many";
  }
  return values;
}

/** Puts quotes around each number that would not come back as it is written. Takes valid JSON. */
function quoteUnheldNumbers(text: string): string {
  return replaceBare(text, (value) => isHeld(value) ? value : `"${value}"`);
}

/** What a marker of a redactor is made of. None of these stands outside a string of JSON. */
const MARKED = /[*~!|^]/;

/**
 * JSON again where a number, or a part of one, was taken for a credential: nothing of a bare value with a marker stays.
 * What `readJson` refuses for its size is left as it is.
 */
export function quoteBareMarkers(text: string): string {
  if (typeof measure(text, MAX_ANSWER_VALUES) === "string") return text;
  return replaceBare(text, (value) => MARKED.test(value) ? '"***"' : value);
}

/** The text with each run outside of strings that is neither blank nor structure (a number, a word) written anew. */
function replaceBare(text: string, write: (value: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = lastOfString(text, at);
    else if (isBare(code)) {
      let end = at + 1;
      while (end < text.length && isBare(text.charCodeAt(end))) end++;
      const value = text.slice(at, end);
      const written = write(value);
      if (written !== value) {
        parts.push(text.slice(copied, at), written);
        copied = end;
      }
      at = end - 1;
    }
  }
  return parts.join("") + text.slice(copied);
}

/** Where the string that begins at `at` ends; the end of the text when it does not. */
function lastOfString(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code === BACKSLASH) end++;
  }
  return text.length;
}

const STRUCTURE = new Set([...'\t\n\r ,:[]{}"'].map((char) => char.charCodeAt(0)));

function isBare(code: number): boolean {
  return !STRUCTURE.has(code);
}

/** False for a number that is not the one that is written: an integer that loses digits, or one that overflows. */
function isHeld(value: string): boolean {
  if (value.length < 5 || value === "false") return true;
  const number = Number(value);
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !/^-?\d+$/.test(value));
}
