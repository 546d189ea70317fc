/** What API keys and Connect's tokens look like, how one is made, and what is stored of it. Stores nothing itself. */

import { createHash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 32 random bytes need this many base62 digits at most; shorter values are padded with zeros. */
const BODY_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** What a caller presents begins with one of these: an API key, or a Connect token. */
export const KEY_PREFIX = "frk_live_";
export const TOKEN_PREFIX = "fct_";
/** What only Connect's token endpoint takes: the code of a consent, and the token that gets the next access token. */
export const CODE_PREFIX = "fcc_";
export const REFRESH_PREFIX = "fcr_";

export type Prefix = typeof KEY_PREFIX | typeof TOKEN_PREFIX | typeof CODE_PREFIX | typeof REFRESH_PREFIX;

/** A new key of 256 random bits. Show it once; store `hashKey` of it. */
export function createKey(randomBytes: Uint8Array = crypto.getRandomValues(new Uint8Array(32))): string {
  return createCredential(KEY_PREFIX, randomBytes);
}

/** The same under another prefix: no two kinds can be taken for each other. */
export function createCredential(
  prefix: Prefix,
  randomBytes: Uint8Array = crypto.getRandomValues(new Uint8Array(32)),
): string {
  const body = base62(randomBytes).padStart(BODY_LENGTH, "0");
  return prefix + body + checksum(prefix + body);
}

/**
 * Whether the text has the form of a key: prefix, 43 base62 digits and a 6-digit checksum that fits.
 *
 * Lets a mistyped or made-up key be refused before anything is asked of the store. It proves nothing.
 */
export function isWellFormedKey(text: string): boolean {
  return isWellFormed(KEY_PREFIX, text);
}

/** The same for what was made with another prefix. */
export function isWellFormed(prefix: Prefix, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + BODY_LENGTH + CHECKSUM_LENGTH) {
    return false;
  }
  const rest = text.slice(prefix.length);
  if (!/^[0-9A-Za-z]+$/.test(rest)) return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * SHA-256 of the whole key in lower-case hex: all that is ever stored. A key has 256 random bits, so no salt is needed.
 * Not by WebCrypto, which takes ten times as long for so short a text.
 */
export function hashKey(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}

function base62(bytes: Uint8Array): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = "";
  while (value > 0n) {
    text = ALPHABET[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}

/** CRC-32 (IEEE 802.3) of the text as six base62 digits: finds typing errors, keeps no secret. */
function checksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let value = (crc ^ 0xffffffff) >>> 0;
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = ALPHABET[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}
