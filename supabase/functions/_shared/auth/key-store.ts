/** API keys in the database: stored as a hash, listed, revoked. Makes no key and knows none. */

import type { Queryable } from "../db/client.ts";

/** A key as those who may see it know it: never the key, nor its hash. Instants in ISO 8601. */
export interface StoredKey {
  readonly id: string;
  readonly kind: "raw" | "reseller";
  readonly account_id: string;
  /** Null for a reseller key, which reaches every workspace of its account. */
  readonly workspace_id: string | null;
  readonly name: string;
  /** Whom a raw key acts as; null for a reseller key. */
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** What is stored of a new key beside whose it is. */
export interface NewKey {
  readonly name: string;
  /** SHA-256 of the key, lower-case hex. */
  readonly hash: string;
  /** Null for a key that lives until it is revoked. */
  readonly expiresAt: Date | null;
  /** The person who issued it; null where an operator did. */
  readonly createdBy: string | null;
}

/**
 * Stores a raw key that acts as the person on the workspace. Null where the person is no administrator there, or the
 * workspace is out of the transaction's reach: then nothing is stored. They stay one until the transaction ends, so that
 * who takes the role from them finds this key too.
 */
export async function insertRawKey(
  db: Queryable,
  { workspaceId, userId, key }: { workspaceId: string; userId: string; key: NewKey },
): Promise<StoredKey | null> {
  const [row] = await db<StoredKey[]>`
    with k as (
      insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash, expires_at, created_by)
      select 'raw', w.account_id, w.id, m.user_id, ${key.name}, decode(${key.hash}, 'hex'), ${key.expiresAt}, ${key.createdBy}
        from framed.workspaces w join framed.members m on m.workspace_id = w.id
       where w.id = ${workspaceId} and m.user_id = ${userId} and m.role = 'admin'
         for share of m
      returning *
    )
    select ${storedKey(db)} from k`;
  return row ?? null;
}

/**
 * Stores a key of the account with no person behind it. Null where there is no such account.
 *
 * For the owner of the database only: framed_app may not, whomever it speaks for.
 */
export async function insertResellerKey(
  db: Queryable,
  { accountId, key }: { accountId: string; key: NewKey },
): Promise<StoredKey | null> {
  const [row] = await db<StoredKey[]>`
    with k as (
      insert into framed.api_keys (kind, account_id, name, key_hash, expires_at, created_by)
      select 'reseller', a.id, ${key.name}, decode(${key.hash}, 'hex'), ${key.expiresAt}, ${key.createdBy}
        from framed.accounts a where a.id = ${accountId}
      returning *
    )
    select ${storedKey(db)} from k`;
  return row ?? null;
}

/** Where a page of keys begins: after the last key of the page before. */
export type KeyPlace = Pick<StoredKey, "created_at" | "id">;

/** Keys of one workspace, or all of one account, dead ones too, newest first, at most `limit`. */
export async function listKeys(
  db: Queryable,
  { of, limit, after = null }: {
    of: { workspaceId: string } | { accountId: string };
    limit: number;
    after?: KeyPlace | null;
  },
): Promise<StoredKey[]> {
  return await db<StoredKey[]>`
    select ${storedKey(db)} from framed.api_keys k
     where ${
    "workspaceId" in of ? db`k.workspace_id = ${of.workspaceId}` : db`k.account_id = ${of.accountId}`
  }
       and ${
    after === null
      ? db`true`
      : db`(k.created_at, k.id) < (${after.created_at}::text::timestamptz, ${after.id}::uuid)`
  }
     order by k.created_at desc, k.id desc limit ${limit}`;
}

/**
 * Revokes a key from this moment on, for good. Null where no such key is in reach, or it was revoked before: the first
 * time stands.
 */
export async function revokeKey(db: Queryable, { id }: { id: string }): Promise<StoredKey | null> {
  const [row] = await db<StoredKey[]>`
    with k as (
      update framed.api_keys set revoked_at = now() where id = ${id} and revoked_at is null returning *
    )
    select ${storedKey(db)} from k`;
  return row ?? null;
}

/** Revokes every key that acts as the person on the workspace and was not revoked before. */
export async function revokeKeysOf(
  db: Queryable,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<StoredKey[]> {
  return await db<StoredKey[]>`
    with k as (
      update framed.api_keys set revoked_at = now()
       where workspace_id = ${workspaceId} and user_id = ${userId} and revoked_at is null returning *
    )
    select ${storedKey(db)} from k order by k.created_at, k.id`;
}

/** A key in the transaction's reach, dead or not. */
export async function findKey(db: Queryable, { id }: { id: string }): Promise<StoredKey | null> {
  const [row] = await db<StoredKey[]>`select ${storedKey(db)} from framed.api_keys k where k.id = ${id}`;
  return row ?? null;
}

/** The workspaces a key reaches, as far as the transaction sees them. */
export async function listReach(
  db: Queryable,
  { workspace_id, account_id }: Pick<StoredKey, "workspace_id" | "account_id">,
): Promise<string[]> {
  if (workspace_id !== null) return [workspace_id];
  const rows = await db<{ id: string }[]>`
    select id from framed.workspaces where account_id = ${account_id} order by id`;
  return rows.map(({ id }) => id);
}

/**
 * The columns of `StoredKey`, of a row named `k`. Microseconds are kept, so that a page begins exactly where one ended;
 * they go back in as text, since postgres.js gives a timestamptz no more than milliseconds.
 */
function storedKey(db: Queryable) {
  return db`k.id, k.kind, k.account_id, k.workspace_id, k.name, k.user_id, k.created_by,
    (select m.name from framed.members m where m.workspace_id = k.workspace_id and m.user_id = k.user_id) as user_name,
    to_json(k.created_at) #>> '{}' as created_at, to_json(k.last_used_at) #>> '{}' as last_used_at,
    to_json(k.expires_at) #>> '{}' as expires_at, to_json(k.revoked_at) #>> '{}' as revoked_at`;
}
