/**
 * What a text says once its escapes are undone: percent-encoding, JSON string escapes, HTML character references. Each
 * byte of the plain text knows which bytes of the escaped one it stands for. One pass, linear. Pure.
 */

/** A kind of escape. */
export type EscapeKind = "percent" | "json" | "html";

/** Plain bytes and where each came from. */
export interface Unescaped {
  readonly bytes: Uint8Array;
  /** For each plain byte the first escaped byte it stands for, and one more entry: the length of the escaped text. */
  readonly origin: Int32Array;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const LETTER_U = 0x75;
const LETTER_X = 0x78;

const MARKS: Record<EscapeKind, number> = { percent: PERCENT, json: BACKSLASH, html: AMPERSAND };
const JSON_ESCAPES = new Map(
  [...'"\\/bfnrt'].map((char, i) => [char.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]),
);
const HTML_NAMES = new Map([["amp", 0x26], ["lt", 0x3c], ["gt", 0x3e], ["quot", 0x22], ["apos", 0x27]]);
/** The longest reference that is undone, `&#x0010ffff;` with a little room, so that a lone `&` costs little. */
const LONGEST_REFERENCE = 14;

/** The kinds whose mark stands in the text; only these can change it. */
export function escapeKinds(bytes: Uint8Array): EscapeKind[] {
  return (Object.keys(MARKS) as EscapeKind[]).filter((kind) => bytes.includes(MARKS[kind]));
}

/** The text with every well-formed escape of the given kinds undone once; what is no escape stands for itself. */
export function unescapeBytes(bytes: Uint8Array, kinds: readonly EscapeKind[]): Unescaped {
  const plain = new Uint8Array(bytes.length);
  const origin = new Int32Array(bytes.length + 1);
  const [percent, json, html] = [kinds.includes("percent"), kinds.includes("json"), kinds.includes("html")];
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at]!;
    let escape = NONE;
    if (byte === PERCENT && percent) escape = readPercent(bytes, at);
    else if (byte === BACKSLASH && json) escape = readJsonEscape(bytes, at);
    else if (byte === AMPERSAND && html) escape = readReference(bytes, at);
    if (escape === NONE) {
      plain[length] = byte;
      origin[length++] = at++;
      continue;
    }
    const { used, says } = escape;
    if (byte === PERCENT) {
      plain[length] = says;
      origin[length++] = at;
    } else {
      const end = writeCodePoint(plain, { at: length, codePoint: says });
      origin.fill(at, length, end);
      length = end;
    }
    at += used;
  }
  origin[length] = bytes.length;
  return { bytes: plain.subarray(0, length), origin: origin.subarray(0, length + 1) };
}

/** An escape that was read: how many bytes it takes, and the byte (percent) or code point it stands for. */
interface Escape {
  readonly used: number;
  readonly says: number;
}

const NONE: Escape = { used: 0, says: 0 };

function readPercent(bytes: Uint8Array, at: number): Escape {
  const says = readHex(bytes, { from: at + 1, to: at + 3 });
  return says < 0 ? NONE : { used: 3, says };
}

function readJsonEscape(bytes: Uint8Array, at: number): Escape {
  const letter = bytes[at + 1];
  if (letter !== LETTER_U) {
    const says = letter === undefined ? undefined : JSON_ESCAPES.get(letter);
    return says === undefined ? NONE : { used: 2, says };
  }
  const first = readHex(bytes, { from: at + 2, to: at + 6 });
  if (first < 0) return NONE;
  if (first >= 0xd800 && first < 0xdc00 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U) {
    const second = readHex(bytes, { from: at + 8, to: at + 12 });
    if (second >= 0xdc00 && second < 0xe000) {
      return { used: 12, says: 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) };
    }
  }
  return { used: 6, says: first };
}

function readReference(bytes: Uint8Array, at: number): Escape {
  let end = at + 1;
  while (end < at + LONGEST_REFERENCE && isLetter(bytes[end])) end++;
  if (bytes[end] === SEMICOLON) {
    const says = HTML_NAMES.get(String.fromCharCode(...bytes.subarray(at + 1, end)));
    return says === undefined ? NONE : { used: end + 1 - at, says };
  }
  if (end > at + 1 || bytes[end] !== HASH) return NONE;
  const base = (bytes[end + 1]! | 0x20) === LETTER_X ? 16 : 10;
  const first = base === 16 ? end + 2 : end + 1;
  let says = 0;
  for (end = first; end < at + LONGEST_REFERENCE && bytes[end] !== SEMICOLON; end++) {
    const digit = digitOf(bytes[end]);
    if (digit < 0 || digit >= base) return NONE;
    says = says * base + digit;
  }
  return end === first || bytes[end] !== SEMICOLON || says > 0x10ffff ? NONE : { used: end + 1 - at, says };
}

/** The number that hexadecimal digits write, or -1 when one is missing or is none. */
function readHex(bytes: Uint8Array, { from, to }: { from: number; to: number }): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = digitOf(bytes[at]);
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

/** The value of a hexadecimal digit, or -1. */
function digitOf(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** Writes UTF-8 and returns where it ends. An escape is never shorter than what it stands for, so there is room. */
function writeCodePoint(into: Uint8Array, { at, codePoint }: { at: number; codePoint: number }): number {
  if (codePoint < 0x80) {
    into[at] = codePoint;
    return at + 1;
  }
  const more = codePoint < 0x800 ? 1 : codePoint < 0x10000 ? 2 : 3;
  into[at] = ((0xff00 >> (more + 1)) & 0xff) | (codePoint >> (6 * more));
  for (let i = 1; i <= more; i++) into[at + i] = 0x80 | ((codePoint >> (6 * (more - i))) & 0x3f);
  return at + more + 1;
}
