/**
 * Takes the credentials of a call out of every text that leaves: as they are, escaped, encoded, and any run of 20
 * characters of them. Who uses which credentials is not decided here. Pure.
 */

import { Buffer } from "node:buffer";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { escapeKinds, unescapeBytes } from "./escapes.ts";
import { indexNeedles, type Needle, type NeedleIndex } from "./needle-index.ts";
import { spellCredential } from "./spellings.ts";

const encoder = new TextEncoder();

/** Knows the credentials in use and lets none of them pass. */
export interface Redactor {
  /** The text with a marker for every credential; the same text when there is none. */
  text(text: string): string;
  /**
   * The value with every string, key and number redacted. Keys that become equal fall together, the last one stays. What
   * holds no credential is the same value and no copy: of a long answer there is not room for two.
   */
  json(value: JsonValue): JsonValue;
}

/** A run of so many bytes of a credential, or of a spelling of it, is a credential. */
const RUN_BYTES = 20;
/** What a marker may be made of: one of these that no spelling holds, so that it never becomes part of a find. */
const MARKS = ["*", "~", "!", "|", "^"];

/**
 * A redactor for the given credentials, of whatever length; an empty one is nothing to find. Settings are not
 * credentials: do not list them.
 *
 * Found are: the value; any run of 20 bytes of it; both also as base64 or base64url at any alignment and as hex; all of
 * these also percent-encoded, as a form writes them, JSON-escaped, HTML-escaped, each wholly or in part, and two of
 * those around each other. Redacting twice changes nothing more. Time is linear in the text.
 */
export function createRedactor(credentials: Iterable<string>): Redactor {
  const spellings = [...credentials].flatMap(spellCredential);
  if (spellings.length === 0) return { text: (text) => text, json: (value) => value };
  const shortest = Math.min(...spellings.map(({ length }) => Math.min(length, RUN_BYTES)));
  const indexes = indexSpellings(spellings);
  const mark = MARKS.find((char) => spellings.every((bytes) => !bytes.includes(char.charCodeAt(0)))) ?? "*";
  const marker = mark.repeat(3);

  function text(text: string): string {
    // Undoing escapes makes no text longer. A UTF-16 unit is one byte in ASCII, and three at most.
    if (text.length < shortest && (text.length * 3 < shortest || isAscii(text))) return text;
    const bytes = encoder.encode(text);
    const covered = findCovered(bytes, indexes);
    return covered === null ? text : replaceCovered(bytes, { covered, marker: encoder.encode(marker) });
  }

  function json(value: JsonValue): JsonValue {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") {
      const digits = String(value);
      return text(digits) === digits ? value : marker;
    }
    if (value === null || typeof value !== "object") return value;
    return Array.isArray(value) ? listOf(value) : objectOf(value);
  }

  function listOf(list: JsonValue[]): JsonValue[] {
    let copy: JsonValue[] | null = null;
    for (const [at, inner] of list.entries()) {
      const redacted = json(inner);
      if (copy === null && redacted !== inner) copy = list.slice(0, at);
      copy?.push(redacted);
    }
    return copy ?? list;
  }

  function objectOf(object: JsonObject): JsonObject {
    let copy: [string, JsonValue][] | null = null;
    const keys = Object.keys(object);
    for (const [at, key] of keys.entries()) {
      const [inner, name] = [object[key]!, text(key)];
      const redacted = json(inner);
      if (copy === null && (redacted !== inner || name !== key)) {
        copy = keys.slice(0, at).map((before) => [before, object[before]!]);
      }
      copy?.push([name, redacted]);
    }
    return copy === null ? object : Object.fromEntries(copy);
  }

  return { text, json };
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return false;
  }
  return true;
}

/** One index for every run of a long spelling and, when there are short ones, one that takes those whole. */
function indexSpellings(spellings: readonly Uint8Array[]): NeedleIndex[] {
  const pool = Buffer.concat(spellings);
  const runs: Needle[] = [];
  const whole: Needle[] = [];
  let at = 0;
  for (const { length } of spellings) {
    if (length < RUN_BYTES) whole.push({ at, length });
    for (let run = at; run + RUN_BYTES <= at + length; run++) runs.push({ at: run, length: RUN_BYTES });
    at += length;
  }
  const shortest = Math.min(...whole.map(({ length }) => length));
  return [
    ...(runs.length > 0 ? [indexNeedles(pool, { needles: runs, windowBytes: RUN_BYTES })] : []),
    ...(whole.length > 0 ? [indexNeedles(pool, { needles: whole, windowBytes: shortest })] : []),
  ];
}

/**
 * 1 for each byte of a credential, in the text as it is and in each reading of it: every kind of escape undone by itself,
 * as the system that wrote the text would have it undone, and all of them at once, once and again, for one escape inside
 * another. No character and no escape is covered in part. Null where there is none.
 *
 * One reading at a time is held, and of what is found one byte a byte: each takes several times the text.
 */
function findCovered(bytes: Uint8Array, indexes: readonly NeedleIndex[]): Uint8Array | null {
  let covered = null as Uint8Array | null;
  const cover = (reading: { bytes: Uint8Array; origin?: Int32Array }) => {
    for (const index of indexes) {
      // What one index finds is in order: no byte is covered for each of the finds that share it.
      let upTo = 0;
      index.scan(reading.bytes, (at, length) => {
        const start = reading.origin ? reading.origin[at]! : at;
        const end = reading.origin ? reading.origin[at + length]! : at + length;
        if (end <= upTo) return;
        covered ??= new Uint8Array(bytes.length);
        covered.fill(1, Math.max(start, upTo), end);
        upTo = end;
      });
    }
  };
  cover({ bytes });
  const kinds = escapeKinds(bytes);
  if (kinds.length === 0) {
    if (covered !== null) widen(covered, (at) => isCharacterStart(bytes, at));
    return covered;
  }
  if (kinds.length > 1) {
    for (const kind of kinds) cover(unescapeBytes(bytes, [kind]));
  }
  const once = unescapeBytes(bytes, kinds);
  cover(once);
  const left = escapeKinds(once.bytes);
  if (left.length > 0) {
    const twice = unescapeBytes(once.bytes, left);
    for (let at = 0; at < twice.origin.length; at++) twice.origin[at] = once.origin[twice.origin[at]!]!;
    cover(twice);
  }
  if (covered === null) return null;
  const startsUnit = new Uint8Array(bytes.length + 1);
  for (const at of once.origin) startsUnit[at] = 1;
  widen(covered, (at) => startsUnit[at] === 1 && isCharacterStart(bytes, at));
  return covered;
}

/** Covers each run of bytes on to where `isStart` says a character or escape begins. */
function widen(covered: Uint8Array, isStart: (at: number) => boolean): void {
  for (let at = covered.indexOf(1); at >= 0; at = covered.indexOf(1, at)) {
    for (let before = at; !isStart(before);) covered[--before] = 1;
    while (covered[at] === 1) at++;
    while (!isStart(at)) covered[at++] = 1;
  }
}

/** False inside a UTF-8 sequence. The end of the text is a start too. */
function isCharacterStart(bytes: Uint8Array, at: number): boolean {
  return at === bytes.length || (bytes[at]! & 0xc0) !== 0x80;
}

function replaceCovered(
  bytes: Uint8Array,
  { covered, marker }: { covered: Uint8Array; marker: Uint8Array },
): string {
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (covered[at] === 0) length++;
    else if (covered[at - 1] !== 1) length += marker.length;
  }
  const replaced = new Uint8Array(length);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (covered[at] === 0) replaced[end++] = bytes[at]!;
    else if (covered[at - 1] !== 1) {
      replaced.set(marker, end);
      end += marker.length;
    }
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(replaced);
}
