/**
 * Takes the credentials of a call out of every text that leaves: as they are, escaped, encoded, and any run of 20
 * characters of them. Who uses which credentials is not decided here. Pure.
 */

import { Buffer } from "node:buffer";
import type { JsonValue } from "../definition/json.ts";
import { escapeKinds, unescapeBytes, type Unescaped } from "./escapes.ts";
import { indexNeedles, type Needle, type NeedleIndex } from "./needle-index.ts";
import { spellCredential } from "./spellings.ts";

const encoder = new TextEncoder();

/** Knows the credentials in use and lets none of them pass. */
export interface Redactor {
  /** The text with a marker for every credential; the same text when there is none. */
  text(text: string): string;
  /** The value with every string, key and number redacted. Keys that become equal fall together, the last one stays. */
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
    const spans = findSpans(bytes, indexes);
    return spans.length === 0 ? text : replaceSpans(bytes, { spans, marker });
  }

  function json(value: JsonValue): JsonValue {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") {
      const digits = String(value);
      return text(digits) === digits ? value : marker;
    }
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(json);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), json(inner)]));
  }

  return { text, json };
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return false;
  }
  return true;
}

/** From `start` up to but without `end`, in bytes. */
interface Span {
  readonly start: number;
  end: number;
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
 * Where a credential stands, in the text as it is and in each reading of it: every kind of escape undone by itself, as
 * the system that wrote the text would have it undone, and all of them at once, once and again, for one escape inside
 * another. Spans are in order, do not touch, and cut no character and no escape in two.
 */
function findSpans(bytes: Uint8Array, indexes: readonly NeedleIndex[]): Span[] {
  const spans = readingSpans({ bytes }, indexes);
  const kinds = escapeKinds(bytes);
  if (kinds.length === 0) return mergeSpans(spans, (at) => isCharacterStart(bytes, at));

  const once = unescapeBytes(bytes, kinds);
  const readings: Unescaped[] = kinds.length === 1
    ? [once]
    : [once, ...kinds.map((kind) => unescapeBytes(bytes, [kind]))];
  const left = escapeKinds(once.bytes);
  if (left.length > 0) {
    const twice = unescapeBytes(once.bytes, left);
    readings.push({ bytes: twice.bytes, origin: twice.origin.map((at) => once.origin[at]!) });
  }
  for (const reading of readings) spans.push(...readingSpans(reading, indexes));
  if (spans.length === 0) return [];
  const startsUnit = new Uint8Array(bytes.length + 1);
  for (const at of once.origin) startsUnit[at] = 1;
  return mergeSpans(spans, (at) => startsUnit[at] === 1 && isCharacterStart(bytes, at));
}

/** Spans of the text itself in which a reading of it holds a credential; those of one index are in order. */
function readingSpans(
  { bytes, origin }: { bytes: Uint8Array; origin?: Int32Array },
  indexes: readonly NeedleIndex[],
): Span[] {
  const spans: Span[] = [];
  for (const index of indexes) {
    let last: Span | undefined;
    index.scan(bytes, (at, length) => {
      const start = origin ? origin[at]! : at;
      const end = origin ? origin[at + length]! : at + length;
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
      else spans.push(last = { start, end });
    });
  }
  return spans;
}

/** The spans in order, widened to where `isStart` says a character or escape begins, those that meet made one. */
function mergeSpans(spans: Span[], isStart: (at: number) => boolean): Span[] {
  const merged: Span[] = [];
  for (let { start, end } of spans.sort((a, b) => a.start - b.start)) {
    while (!isStart(start)) start--;
    while (!isStart(end)) end++;
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** False inside a UTF-8 sequence. The end of the text is a start too. */
function isCharacterStart(bytes: Uint8Array, at: number): boolean {
  return at === bytes.length || (bytes[at]! & 0xc0) !== 0x80;
}

function replaceSpans(
  bytes: Uint8Array,
  { spans, marker }: { spans: readonly Span[]; marker: string },
): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    parts.push(decoder.decode(bytes.subarray(from, start)), marker);
    from = end;
  }
  parts.push(decoder.decode(bytes.subarray(from)));
  return parts.join("");
}
