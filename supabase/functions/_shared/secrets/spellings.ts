/**
 * The ways a credential can be written into a text that escapes do not explain: as it is, as a form writes it, in base64
 * at any alignment, in hexadecimal. Pure.
 */

import { Buffer } from "node:buffer";
import { escapeKinds, unescapeBytes } from "./escapes.ts";

/** An encoded spelling shorter than this says too little to be told from chance. */
const SHORTEST_ENCODED_BYTES = 8;

/**
 * Every spelling of `value`, as UTF-8, each once. The value itself comes first, whatever its length; an encoded
 * spelling only from 8 bytes up.
 *
 * In base64 the letters around a value depend on its neighbours; a spelling holds only the letters that do not, so it
 * is found inside the encoding of any longer text (`user:value`), whichever of the three alignments that gave it.
 */
export function spellCredential(value: string): Uint8Array[] {
  const raw = Buffer.from(value);
  const encodings = [
    raw.toString("hex"),
    raw.toString("hex").toUpperCase(),
    ...[0, 1, 2].flatMap((shift) => {
      const standard = spellBase64(raw, shift);
      return [standard, standard.replaceAll("+", "-").replaceAll("/", "_")];
    }),
    value.replaceAll(" ", "+"),
  ].map((text) => Buffer.from(text));
  // A value that holds what looks like an escape is read differently once an outer escape around it is undone.
  const unescaped = unescapeBytes(raw, escapeKinds(raw)).bytes;
  const long = [...encodings, unescaped].filter(({ length }) => length >= SHORTEST_ENCODED_BYTES);
  const all = value === "" ? [] : [raw, ...long];
  return [...new Map(all.map((bytes) => [Buffer.from(bytes).toString("latin1"), bytes])).values()];
}

/** The base64 letters that `bytes` alone decides when `shift` bytes stand before it in a group of three. */
function spellBase64(bytes: Uint8Array, shift: number): string {
  const before = Buffer.alloc(shift);
  const text = Buffer.concat([before, bytes]).toString("base64");
  const first = Math.ceil((shift * 8) / 6);
  const last = Math.floor(((shift + bytes.length) * 8) / 6);
  return text.slice(first, last);
}
