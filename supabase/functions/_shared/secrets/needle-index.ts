/**
 * Finds many byte needles in a long text in one pass: a rolling hash over the text, looked up in a table of the
 * needles' hashes, each hit compared byte by byte. Pure.
 */

/** Where a needle lies in the pool of all of them. */
export interface Needle {
  readonly at: number;
  readonly length: number;
}

/** Finds what it was made of. */
export interface NeedleIndex {
  /** Calls `found` with each place of the text, in order, where a needle begins, and the longest needle's length. */
  scan(text: Uint8Array, found: (at: number, length: number) => void): void;
}

const BASE = 0x01000193;
/** Spreads the hash over its high bits, which pick the slot (Fibonacci hashing). */
const SPREAD = 0x9e3779b1;

/**
 * An index over needles of at least `windowBytes` each, hashed by their first `windowBytes`.
 *
 * A scan takes the text's length, plus a needle's length wherever a hash is met. Equal needles are kept once, so
 * neither a text nor a needle of one repeated letter makes it slower than that.
 */
export function indexNeedles(
  pool: Uint8Array,
  { needles, windowBytes }: { needles: readonly Needle[]; windowBytes: number },
): NeedleIndex {
  const bits = Math.max(4, Math.ceil(Math.log2(needles.length * 4 + 1)));
  const mask = (1 << bits) - 1;
  const hashes = new Int32Array(1 << bits);
  const starts = new Int32Array(1 << bits);
  const lengths = new Int32Array(1 << bits); // 0: the slot is free
  for (const { at, length } of needles) {
    const hash = hashOf(pool, { at, length: windowBytes });
    let slot = slotOf(hash, bits);
    let known = false;
    for (; lengths[slot] !== 0 && !known; slot = (slot + 1) & mask) {
      known = lengths[slot] === length && areEqual(pool, at, { in: pool, from: starts[slot]!, length });
    }
    if (known) continue;
    hashes[slot] = hash;
    starts[slot] = at;
    lengths[slot] = length;
  }
  let leaving = 1;
  for (let i = 1; i < windowBytes; i++) leaving = Math.imul(leaving, BASE);

  function longestAt(text: Uint8Array, { at, hash }: { at: number; hash: number }): number {
    let longest = 0;
    for (let slot = slotOf(hash, bits); lengths[slot] !== 0; slot = (slot + 1) & mask) {
      const length = lengths[slot]!;
      if (hashes[slot] !== hash || length <= longest || at + length > text.length) continue;
      if (areEqual(text, at, { in: pool, from: starts[slot]!, length })) longest = length;
    }
    return longest;
  }

  return {
    scan(text, found) {
      const last = text.length - windowBytes;
      if (needles.length === 0 || last < 0) return;
      let hash = hashOf(text, { at: 0, length: windowBytes });
      for (let at = 0;; at++) {
        if (lengths[slotOf(hash, bits)] !== 0) {
          const length = longestAt(text, { at, hash });
          if (length > 0) found(at, length);
        }
        if (at === last) return;
        hash = (Math.imul(hash - Math.imul(text[at]!, leaving), BASE) + text[at + windowBytes]!) | 0;
      }
    },
  };
}

function hashOf(bytes: Uint8Array, { at, length }: Needle): number {
  let hash = 0;
  for (let i = at; i < at + length; i++) hash = (Math.imul(hash, BASE) + bytes[i]!) | 0;
  return hash;
}

function slotOf(hash: number, bits: number): number {
  return Math.imul(hash, SPREAD) >>> (32 - bits);
}

function areEqual(
  text: Uint8Array,
  at: number,
  other: { in: Uint8Array; from: number; length: number },
): boolean {
  for (let i = 0; i < other.length; i++) if (text[at + i] !== other.in[other.from + i]) return false;
  return true;
}
