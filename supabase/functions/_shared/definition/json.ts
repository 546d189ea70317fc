/**
 * The one way bytes become JSON here: files, arguments of a call and bodies of our own API. Pure.
 * Stricter than `JSON.parse`: what two readers could read differently is a problem, not a guess.
 */

import { JsonParser } from "./json-parser.ts";
import type { Problem } from "./problem.ts";
import { grouped } from "./words.ts";

/** How deep lists and objects of a file may stand inside one another. */
export const MAX_FILE_LEVELS = 200;

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

export type JsonResult =
  | { readonly ok: true; readonly value: JsonValue }
  | {
    readonly ok: false;
    readonly problems: Problem[];
    /** What was read all the same, so that more can be said about it; `undefined` where the text is no JSON. */
    readonly value: JsonValue | undefined;
  };

/**
 * The value that `source` writes, or every problem with it that is found before the text stops being JSON.
 *
 * One leading byte order mark is let pass. Problems are: more than `maxBytes` bytes of UTF-8, invalid UTF-8, NUL
 * (raw or escaped), lone surrogates, integers beyond ±(2^53-1) however written, numbers that overflow, keys given
 * twice (compared unescaped), more than `maxLevels` levels (200), and whatever RFC 8259 refuses. Of more than 1,000 problems the
 * first 1,000 are told. Time is linear in the text, stack use is bounded, and nothing in it can set a prototype:
 * `__proto__` is a key like any other.
 */
export function parseJson(
  source: Uint8Array | string,
  { maxBytes, maxLevels = MAX_FILE_LEVELS }: { maxBytes: number; maxLevels?: number },
): JsonResult {
  const bytes = typeof source === "string" ? utf8Length(source) : source.byteLength;
  if (bytes > maxBytes) {
    const says = `the text is ${grouped(bytes)} bytes; at most ${grouped(maxBytes)} bytes are taken`;
    return { ok: false, problems: [{ path: [], says }], value: undefined };
  }
  const problems: Problem[] = [];
  const text = typeof source === "string" ? source : decodeUtf8(source, problems);
  const parser = new JsonParser(text.startsWith("\uFEFF") ? text.slice(1) : text, problems, maxLevels);
  const value = parser.parse();
  return value === undefined || problems.length > 0 ? { ok: false, problems, value } : { ok: true, value };
}

/** Whether `value` is an object in the sense of JSON: no array, not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decodeUtf8(bytes: Uint8Array, problems: Problem[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // A second, forgiving pass finds where the first bad byte is and lets the rest be checked too.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const repaired = new TextEncoder().encode(text);
    let offset = 0;
    while (offset < bytes.length && bytes[offset] === repaired[offset]) offset++;
    problems.push({
      path: [],
      says: `byte ${grouped(offset + 1)} does not belong to UTF-8 text; save the file as UTF-8`,
    });
    return text;
  }
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Half of a pair is two of its four bytes; one that stands alone is refused later, whatever it counts.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
