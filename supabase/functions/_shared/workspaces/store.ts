/** Workspaces in the database: which a person has, what one is called and what it is set to. */

import type { Principal } from "../auth/principal.ts";
import type { Queryable } from "../db/client.ts";
import { actAsOwner, type Transaction } from "../db/transaction.ts";
import type { SettingsChange } from "./settings.ts";

/** A workspace of a person, and how they stand to it. Instants in ISO 8601. */
export interface OwnWorkspace {
  readonly id: string;
  readonly name: string;
  readonly role: "admin" | "member";
  readonly grants: readonly string[];
  readonly created_at: string;
}

/** The workspaces that the person is a member of, oldest first, at most `limit`, after the one at `after`. */
export async function listOwnWorkspaces(
  db: Queryable,
  { userId, limit, after }: {
    userId: string;
    limit: number;
    after: Pick<OwnWorkspace, "created_at" | "id"> | null;
  },
): Promise<OwnWorkspace[]> {
  return await db<OwnWorkspace[]>`
    select w.id, w.name, m.role, to_jsonb(m.grants) as grants, to_json(w.created_at) #>> '{}' as created_at
      from framed.members m join framed.workspaces w on w.id = m.workspace_id
     where m.user_id = ${userId}
       and ${
    after === null
      ? db`true`
      : db`(w.created_at, w.id) > (${after.created_at}::text::timestamptz, ${after.id}::uuid)`
  }
     order by w.created_at, w.id limit ${limit}`;
}

/** A workspace that a key or token reaches, and how the person behind it stands there; nobody stands behind a reseller key. */
export interface ReachedWorkspace extends Omit<OwnWorkspace, "role"> {
  readonly role: "admin" | "member" | null;
}

/**
 * The workspaces that whoever the transaction speaks for reaches, oldest first, at most `limit`, after the one at `after`:
 * a person all of theirs, a raw key and a Connect token the one they were issued for, a reseller key its account's.
 *
 * What the transaction asks after this it asks as the database's owner.
 */
export async function listReachedWorkspaces(
  tx: Transaction,
  { principal, limit, after }: {
    principal: Principal;
    limit: number;
    after: Pick<OwnWorkspace, "created_at" | "id"> | null;
  },
): Promise<ReachedWorkspace[]> {
  await actAsOwner(tx);
  return await tx<ReachedWorkspace[]>`
    select w.id, w.name, m.role, coalesce(to_jsonb(m.grants), '[]'::jsonb) as grants, to_json(w.created_at) #>> '{}' as created_at
      from framed.workspaces w
      left join framed.members m on m.workspace_id = w.id and m.user_id = ${principal.user_id}::uuid
     where ${reachOf(tx, principal)}
       and ${
    after === null
      ? tx`true`
      : tx`(w.created_at, w.id) > (${after.created_at}::text::timestamptz, ${after.id}::uuid)`
  }
     order by w.created_at, w.id limit ${limit}`;
}

function reachOf(tx: Transaction, { kind, id, account_id }: Principal): ReturnType<Queryable> {
  switch (kind) {
    case "session":
      return tx`m.user_id is not null`;
    case "raw_key":
      return tx`w.id = (select k.workspace_id from framed.api_keys k where k.id = ${id}::uuid)`;
    case "connect_token":
      return tx`w.id = (select g.workspace_id from framed.connect_grants g where g.id = ${id}::uuid)`;
    case "reseller_key":
      return tx`w.account_id = ${account_id}::uuid`;
    default:
      kind satisfies never;
      throw new TypeError("unknown kind of principal");
  }
}

/** What a workspace is called and what of its settings is stored, in the transaction's reach. */
export interface StoredWorkspace {
  readonly name: string;
  readonly settings: Record<string, unknown>;
}

/** The workspace the transaction speaks for. With `toChange` nobody else changes it until the transaction ends. */
export async function getWorkspace(
  db: Queryable,
  { workspaceId, toChange = false }: { workspaceId: string; toChange?: boolean },
): Promise<StoredWorkspace> {
  const [row] = await db<StoredWorkspace[]>`
    select name, settings from framed.workspaces where id = ${workspaceId} ${
    toChange ? db`for update` : db``
  }`;
  return row!;
}

/** Puts the changes over what is stored; the rest stays. */
export async function storeSettings(
  db: Queryable,
  { workspaceId, changes }: { workspaceId: string; changes: SettingsChange },
): Promise<void> {
  await db`
    update framed.workspaces set settings = settings || ${JSON.stringify(changes)}::text::jsonb
     where id = ${workspaceId}`;
}
