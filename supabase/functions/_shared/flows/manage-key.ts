/** A key is issued or revoked, and the log says so on every workspace the key reaches. */

import { createKey, hashKey } from "../auth/keys.ts";
import {
  insertRawKey,
  insertResellerKey,
  listReach,
  revokeKey,
  revokeKeysOf,
  type StoredKey,
} from "../auth/key-store.ts";
import type { Queryable } from "../db/client.ts";
import type { EventName } from "../log/event.ts";
import { appendEvent } from "../log/store.ts";
import { type Change, workspaceEvent } from "./occasion.ts";

/** Whose a new key is: a raw key acts as an administrator of a workspace, a reseller key belongs to an account. */
export type KeyHolder =
  | { readonly workspaceId: string; readonly userId: string }
  | { readonly accountId: string };

/** A key that was just made. `key` is shown once: nothing stored leads back to it. */
export interface IssuedKey {
  readonly key: string;
  readonly stored: StoredKey;
}

/**
 * Makes and stores a key. Null where the person is no administrator of the workspace, or there is no such account.
 *
 * Must run in a transaction. A reseller key takes the owner of the database.
 */
export async function issueKey(
  tx: Queryable,
  { holder, name, expiresAt, createdBy, ...change }: Change & {
    holder: KeyHolder;
    name: string;
    expiresAt: Date | null;
    createdBy: string | null;
  },
): Promise<IssuedKey | null> {
  const key = createKey();
  const row = { name, hash: hashKey(key), expiresAt, createdBy };
  const stored = "workspaceId" in holder
    ? await insertRawKey(tx, { ...holder, key: row })
    : await insertResellerKey(tx, { ...holder, key: row });
  if (stored === null) return null;
  await logChange(tx, { ...change, event: "key.issued", stored });
  return { key, stored };
}

/** Revokes a key for good; null where none is in reach that was not revoked before. Must run in a transaction. */
export async function endKey(
  tx: Queryable,
  { id, ...change }: Change & { id: string },
): Promise<StoredKey | null> {
  const stored = await revokeKey(tx, { id });
  if (stored !== null) await logChange(tx, { ...change, event: "key.revoked", stored });
  return stored;
}

/**
 * Revokes every key that acts as the person on the workspace. Who is no administrator has none that works; revoked,
 * none works again if they become one anew. Must run in a transaction, in one with the change of their role.
 */
export async function endKeysOf(
  tx: Queryable,
  { workspaceId, userId, ...change }: Change & { workspaceId: string; userId: string },
): Promise<void> {
  for (const stored of await revokeKeysOf(tx, { workspaceId, userId })) {
    await logChange(tx, { ...change, event: "key.revoked", stored });
  }
}

async function logChange(
  tx: Queryable,
  { event, stored, ...change }: Change & { event: EventName; stored: StoredKey },
): Promise<void> {
  const { id, kind, name, expires_at } = stored;
  for (const workspaceId of await listReach(tx, stored)) {
    await appendEvent(tx, {
      workspaceId,
      event: workspaceEvent(event, { ...change, detail: { key_id: id, kind, name, expires_at } }),
    });
  }
}
