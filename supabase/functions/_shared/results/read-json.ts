/** JSON that another system wrote: read with every digit, and no deeper than what comes after can take. Pure. */

import type { JsonValue } from "../definition/json.ts";

/** Levels of lists and objects in an answer, as in a file. */
export const MAX_ANSWER_LEVELS = 200;

export type ReadJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly why: "no_json" | "too_deep" };

/**
 * The value `text` writes. A number that ours cannot hold (an 18-digit id, `1e400`) becomes a text with all that was
 * written. Linear in the text, whatever it holds.
 */
export function readJson(text: string): ReadJson {
  if (isTooDeep(text)) return { ok: false, why: "too_deep" };
  try {
    const value = JSON.parse(text);
    // A second reading is a cost for few: a reviver would take seconds on a few megabytes.
    if (!/\d{16}|\d[eE]\+?\d{3}/.test(text)) return { ok: true, value };
    return { ok: true, value: JSON.parse(quoteUnheldNumbers(text)) };
  } catch {
    return { ok: false, why: "no_json" };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isTooDeep(text: string): boolean {
  let levels = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = lastOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      if (++levels > MAX_ANSWER_LEVELS) return true;
    } else if (code === 0x5d || code === 0x7d) levels--;
  }
  return false;
}

/** Puts quotes around each number that would not come back as it is written. Takes valid JSON. */
function quoteUnheldNumbers(text: string): string {
  return replaceBare(text, (value) => isHeld(value) ? value : `"${value}"`);
}

/** What a marker of a redactor is made of. None of these stands outside a string of JSON. */
const MARKED = /[*~!|^]/;

/** JSON again where a number, or a part of one, was taken for a credential: nothing of a bare value with a marker stays. */
export function quoteBareMarkers(text: string): string {
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
