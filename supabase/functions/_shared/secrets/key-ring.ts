/**
 * The master keys of a stack: how `FRAMED_SECRET_KEYS` is read and how a new ring is made. Who sets the variable
 * and where the local stack keeps its own ring is not decided here. No input or output but WebCrypto.
 */

import type { Result } from "../outcome/result.ts";

/** The master keys, usable for AES-256-GCM and not extractable. */
export interface KeyRing {
  /** The key id new data keys are wrapped under: the first of the ring. */
  readonly encryptsWith: string;
  /** The master key of that id, or undefined when the ring has none. */
  find(kid: string): CryptoKey | undefined;
}

const KEY_BYTES = 32;
const KID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const WANTED = 'an entry is "kid:base64", where the base64 is of 32 random bytes';

/**
 * The ring that `text` (`kid:base64,kid:base64`) writes down, or null when it is missing or blank: a stack without
 * a ring runs, but stores no secret. The first key encrypts, every key decrypts.
 *
 * Refuses with one line per entry that is wrong, naming it by its place: a line never repeats an entry, because an
 * entry that lost its key id is nothing but key material.
 */
export async function readKeyRing(
  text: string | undefined,
): Promise<Result<KeyRing | null, readonly string[]>> {
  if (text === undefined || text.trim() === "") return { ok: true, value: null };
  const keys = new Map<string, CryptoKey>();
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const [index, entry] of text.split(",").entries()) {
    const where = `FRAMED_SECRET_KEYS, entry ${index + 1}`;
    const parsed = readEntry(entry.trim());
    if (typeof parsed === "string") {
      problems.push(`${where}: ${parsed}`);
      continue;
    }
    const { kid, base64, bytes } = parsed;
    if (keys.has(kid)) {
      problems.push(`${where}: its key id is used by an earlier entry; give each key its own`);
    }
    if (seen.has(base64)) problems.push(`${where}: it is the same key as an earlier entry; remove one`);
    seen.add(base64);
    keys.set(kid, await importAesKey(bytes));
    bytes.fill(0);
  }
  const [encryptsWith] = keys.keys();
  if (problems.length > 0 || encryptsWith === undefined) return { ok: false, refusal: problems };
  return { ok: true, value: { encryptsWith, find: (kid) => keys.get(kid) } };
}

/** The text of a ring with one fresh random key named `kid`, ready to put in front of an older ring. */
export function generateKeyRing(kid: string): string {
  if (!KID.test(kid)) throw new TypeError("A key id is 1 to 32 letters, digits, _ or -");
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const base64 = btoa(String.fromCharCode(...bytes));
  bytes.fill(0);
  return `${kid}:${base64}`;
}

/** A key for AES-256-GCM that cannot be read back. `bytes` stay the caller's to wipe. */
export function importAesKey(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** The parts of an entry, or what is wrong with it. */
function readEntry(entry: string) {
  const colon = entry.indexOf(":");
  if (colon === -1) return `it has no key id; ${WANTED}`;
  const kid = entry.slice(0, colon);
  if (!KID.test(kid)) return "its key id is not 1 to 32 letters, digits, _ or -";
  const base64 = entry.slice(colon + 1);
  const bytes = readBase64(base64);
  if (bytes === undefined) return `its key is not base64; ${WANTED}`;
  if (bytes.length !== KEY_BYTES) return `its key has ${bytes.length} bytes; ${KEY_BYTES} are wanted`;
  return { kid, base64, bytes };
}

/** Padded base64 in its one canonical form, so that the same key is always the same text. */
function readBase64(text: string) {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}
