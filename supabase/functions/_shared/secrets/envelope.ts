/**
 * How a value is sealed: AES-256-GCM under a data key of its workspace, which is itself sealed by a master key.
 * Every seal is bound to where it belongs, so a row that is moved elsewhere does not open. Stores nothing; the only
 * effects are WebCrypto and its randomness.
 */

import { importAesKey, type KeyRing } from "./key-ring.ts";

/** A workspace's data key as it is stored: sealed under the master key `kid`. */
export interface WrappedDataKey {
  readonly kid: string;
  readonly sealed: Uint8Array;
}

/** The place a value belongs to. It opens nowhere else. */
export interface ValuePlace {
  readonly workspaceId: string;
  /** The secret's name, `CONNECTOR_…`. */
  readonly name: string;
  readonly dataKeyId: string;
}

/**
 * What is thrown when something sealed does not open: wrong key, wrong place, changed bytes and unknown format all
 * look the same to a caller. `code` is for the log and holds neither key nor value.
 */
export class SealBroken extends Error {
  override name = "SealBroken";
  constructor(readonly code: "unknown_key" | "unknown_format" | "not_authentic") {
    super("A sealed value does not open");
  }
}

/**
 * Format 1: one byte 0x01, a 12-byte nonce, the ciphertext with its 16-byte tag. Nonces are random: one key may seal
 * 2^32 messages before a repeat is worth a thought (NIST SP 800-38D §8.3), and a workspace holds far fewer.
 */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;

/** A fresh data key for a workspace: usable at once as `key`, and wrapped under the ring's first key to be stored. */
export async function createDataKey(
  ring: KeyRing,
  workspaceId: string,
): Promise<{ readonly key: CryptoKey; readonly wrapped: WrappedDataKey }> {
  const bytes = crypto.getRandomValues(new Uint8Array(DATA_KEY_BYTES));
  try {
    return { key: await importAesKey(bytes), wrapped: await wrapDataKey(bytes, { ring, workspaceId }) };
  } finally {
    bytes.fill(0);
  }
}

/** The data key that `createDataKey` wrapped for this very workspace. Throws `SealBroken` for any other. */
export async function unwrapDataKey(
  wrapped: WrappedDataKey,
  { ring, workspaceId }: { ring: KeyRing; workspaceId: string },
): Promise<CryptoKey> {
  const bytes = await openDataKey(wrapped, { ring, workspaceId });
  try {
    return await importAesKey(bytes);
  } finally {
    bytes.fill(0);
  }
}

/**
 * The same data key under the ring's first master key, so an older one can be retired; the values it seals stay as
 * they are. One that is there already is returned unchanged. Throws `SealBroken`.
 */
export async function rewrapDataKey(
  wrapped: WrappedDataKey,
  { ring, workspaceId }: { ring: KeyRing; workspaceId: string },
): Promise<WrappedDataKey> {
  if (wrapped.kid === ring.encryptsWith) return wrapped;
  const bytes = await openDataKey(wrapped, { ring, workspaceId });
  try {
    return await wrapDataKey(bytes, { ring, workspaceId });
  } finally {
    bytes.fill(0);
  }
}

/** Seals `value` for its place. Throws a TypeError for a lone surrogate, which no bytes could give back. */
export async function sealValue(value: string, { key, place }: { key: CryptoKey; place: ValuePlace }) {
  if (!value.isWellFormed()) throw new TypeError("A value with a lone surrogate cannot be sealed");
  const plain = new TextEncoder().encode(value);
  try {
    return await seal(plain, { key, bound: boundTo(place) });
  } finally {
    plain.fill(0);
  }
}

/** The value `sealValue` sealed with this key for this very place. Throws `SealBroken` for any other. */
export async function openValue(
  sealed: Uint8Array,
  { key, place }: { key: CryptoKey; place: ValuePlace },
): Promise<string> {
  const plain = await open(sealed, { key, bound: boundTo(place) });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
  } finally {
    plain.fill(0);
  }
}

function boundTo({ workspaceId, name, dataKeyId }: ValuePlace) {
  return binding(["framed/value", workspaceId, name, dataKeyId]);
}

async function wrapDataKey(
  bytes: BufferSource,
  { ring, workspaceId }: { ring: KeyRing; workspaceId: string },
): Promise<WrappedDataKey> {
  const kid = ring.encryptsWith;
  const bound = binding(["framed/data-key", workspaceId, kid]);
  return { kid, sealed: await seal(bytes, { key: masterKey(ring, kid), bound }) };
}

function openDataKey(
  { kid, sealed }: WrappedDataKey,
  { ring, workspaceId }: { ring: KeyRing; workspaceId: string },
) {
  return open(sealed, { key: masterKey(ring, kid), bound: binding(["framed/data-key", workspaceId, kid]) });
}

function masterKey(ring: KeyRing, kid: string): CryptoKey {
  const key = ring.find(kid);
  if (key === undefined) throw new SealBroken("unknown_key");
  return key;
}

async function seal(plain: BufferSource, { key, bound }: { key: CryptoKey; bound: BufferSource }) {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: bound };
  const cipher = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plain));
  const sealed = new Uint8Array(1 + NONCE_BYTES + cipher.length);
  sealed[0] = FORMAT;
  sealed.set(nonce, 1);
  sealed.set(cipher, 1 + NONCE_BYTES);
  return sealed;
}

async function open(sealed: Uint8Array, { key, bound }: { key: CryptoKey; bound: BufferSource }) {
  if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) {
    throw new SealBroken("unknown_format");
  }
  const iv = sealed.slice(1, 1 + NONCE_BYTES);
  const cipher = sealed.slice(1 + NONCE_BYTES);
  try {
    const algorithm = { name: "AES-GCM", iv, additionalData: bound };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, cipher));
  } catch {
    throw new SealBroken("not_authentic");
  }
}

/** The parts, each behind its length in 4 bytes, so that no two lists of parts make the same bytes. */
function binding(parts: readonly string[]) {
  const encoded = parts.map((part) => new TextEncoder().encode(part));
  const bytes = new Uint8Array(encoded.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of encoded) {
    view.setUint32(at, part.length);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}
