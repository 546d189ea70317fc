/** Seals and opens the values of a workspace: joins the envelope, the key ring and what is stored. */

import { Buffer } from "node:buffer";
import type { Transaction } from "../db/transaction.ts";
import { createDataKey, openValue, sealValue, unwrapDataKey } from "./envelope.ts";
import type { KeyRing } from "./key-ring.ts";
import { findDataKey, keepDataKey } from "./store.ts";

/** A sealed value as one call gets it, bytes in lower-case hex. */
export interface SealedSecret {
  readonly name: string;
  readonly host: string;
  readonly is_credential: boolean;
  readonly sealed: string;
  readonly data_key_id: string;
  readonly kid: string;
  readonly wrapped: string;
}

/** Seals `value` for its name on the workspace, under the workspace's data key, which is made at the first value. */
export async function sealForWorkspace(
  tx: Transaction,
  { keyRing, workspaceId, name, value }: {
    keyRing: KeyRing;
    workspaceId: string;
    name: string;
    value: string;
  },
): Promise<{ sealed: Uint8Array; dataKeyId: string }> {
  let stored = await findDataKey(tx, { workspaceId });
  if (stored === null) {
    const { wrapped } = await createDataKey(keyRing, workspaceId);
    const dataKey = { id: crypto.randomUUID(), kid: wrapped.kid, wrapped: wrapped.sealed };
    stored = await keepDataKey(tx, { workspaceId, dataKey });
  }
  const key = await unwrapDataKey({ kid: stored.kid, sealed: stored.wrapped }, {
    ring: keyRing,
    workspaceId,
  });
  const place = { workspaceId, name, dataKeyId: stored.id };
  return { sealed: await sealValue(value, { key, place }), dataKeyId: stored.id };
}

/** A workspace's data key as it is stored, bytes in lower-case hex. */
export type StoredDataKey = Pick<SealedSecret, "data_key_id" | "kid" | "wrapped">;

/** Where a sealed text belongs. It opens nowhere else. */
export interface SealPlace {
  readonly keyRing: KeyRing;
  readonly workspaceId: string;
  readonly name: string;
}

/** Seals `value` for its place under the workspace's data key; lower-case hex. */
export async function sealWith(
  { data_key_id: dataKeyId, ...wrapping }: StoredDataKey,
  { keyRing, workspaceId, name, value }: SealPlace & { value: string },
): Promise<string> {
  const key = await openDataKey(wrapping, { keyRing, workspaceId });
  const sealed = await sealValue(value, { key, place: { workspaceId, name, dataKeyId } });
  return Buffer.from(sealed).toString("hex");
}

/** What `sealWith` sealed for this place. Throws `SealBroken` for any other. */
export async function openSealed(
  { sealed, data_key_id: dataKeyId, ...wrapping }: StoredDataKey & { readonly sealed: string },
  { keyRing, workspaceId, name }: SealPlace,
): Promise<string> {
  const key = await openDataKey(wrapping, { keyRing, workspaceId });
  return await openValue(fromHex(sealed), { key, place: { workspaceId, name, dataKeyId } });
}

/** The values by name. Throws `SealBroken` where one was moved, changed, or sealed under a key that the ring lost. */
export async function openSecrets(
  secrets: readonly SealedSecret[],
  { keyRing, workspaceId }: { keyRing: KeyRing; workspaceId: string },
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { name, sealed, data_key_id, kid, wrapped } of secrets) {
    values.set(name, await openSealed({ sealed, data_key_id, kid, wrapped }, { keyRing, workspaceId, name }));
  }
  return values;
}

/**
 * Data keys that were opened before, by the ring that opened them: usable and not extractable, as the ring's own keys
 * are. Values are never among them. A key counts for its workspace and its very wrapping only.
 */
const openedDataKeys = new WeakMap<KeyRing, Map<string, CryptoKey>>();
/** Of one ring; the one opened longest ago is forgotten first. */
const MAX_OPENED_DATA_KEYS = 1_000;

async function openDataKey(
  { kid, wrapped }: Pick<SealedSecret, "kid" | "wrapped">,
  { keyRing, workspaceId }: { keyRing: KeyRing; workspaceId: string },
): Promise<CryptoKey> {
  const opened = openedDataKeys.get(keyRing) ?? new Map<string, CryptoKey>();
  openedDataKeys.set(keyRing, opened);
  const place = `${workspaceId} ${kid} ${wrapped}`;
  const known = opened.get(place);
  if (known !== undefined) return known;
  const key = await unwrapDataKey({ kid, sealed: fromHex(wrapped) }, { ring: keyRing, workspaceId });
  opened.set(place, key);
  for (const [oldest] of opened) {
    if (opened.size <= MAX_OPENED_DATA_KEYS) break;
    opened.delete(oldest);
  }
  return key;
}

function fromHex(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, "hex"));
}
