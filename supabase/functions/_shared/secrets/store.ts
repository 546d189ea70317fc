/** Names, the host each belongs to, whether it is a credential, and sealed values in the database. Opens and seals nothing itself. */

import { isCredential } from "../definition/credentials.ts";
import type { NamedSecret } from "../definition/tool-secrets.ts";
import type { Queryable } from "../db/client.ts";
import type { Transaction } from "../db/transaction.ts";

/** What is known of a name on a workspace, apart from the tool that is being defined. */
export interface Binding {
  readonly name: string;
  readonly host: string;
  /** Whether it is used as a credential, else as a setting. */
  readonly is_credential: boolean;
  /** Whether a value is stored. */
  readonly set: boolean;
  /** Whether another tool names it. */
  readonly used_elsewhere: boolean;
}

/** The bindings of `names`; a name nobody uses yet is left out. */
export async function findBindings(
  tx: Transaction,
  { workspaceId, names, exceptConnectorId }: {
    workspaceId: string;
    names: readonly string[];
    exceptConnectorId: string | null;
  },
): Promise<Binding[]> {
  if (names.length === 0) return [];
  return await tx<Binding[]>`
    select s.name, s.host, s.is_credential, s.sealed is not null as set, exists (
        select from framed.v2_connector_secret_uses u
         where u.workspace_id = s.workspace_id and u.name = s.name
           and u.connector_id is distinct from ${exceptConnectorId}::uuid) as used_elsewhere
      from framed.v2_connector_secrets s
     where s.workspace_id = ${workspaceId} and s.name in ${tx(names)}
     order by s.name`;
}

/**
 * Makes `uses` the tool's uses, all bound to `host`, all of them allowed or none. Names the tool leaves behind go too,
 * where nothing else holds them: no value and no other tool.
 *
 * A name that belongs to another host, or is a credential and used as a setting or the other way round, fails on the
 * foreign key: look with `findBindings` first.
 */
export async function setUses(
  tx: Transaction,
  { workspaceId, connectorId, host, uses, allowed, allowedBy }: {
    workspaceId: string;
    connectorId: string;
    host: string;
    uses: readonly NamedSecret[];
    /** Whether an administrator stands behind them. */
    allowed: boolean;
    allowedBy: string | null;
  },
): Promise<void> {
  await tx`delete from framed.v2_connector_secret_uses where workspace_id = ${workspaceId} and connector_id = ${connectorId}`;
  await forgetUnusedNames(tx, { workspaceId });
  for (const { key, name } of uses) {
    await tx`
      insert into framed.v2_connector_secrets (workspace_id, name, host, is_credential)
      values (${workspaceId}, ${name}, ${host}, ${isCredential(key)})
      on conflict on constraint v2_connector_secrets_pkey do nothing`;
    await tx`
      insert into framed.v2_connector_secret_uses (connector_id, workspace_id, credential_key, name, host, allowed_at, allowed_by)
      values (${connectorId}, ${workspaceId}, ${key}, ${name}, ${host}, ${allowed ? tx`now()` : null}, ${
      allowed ? allowedBy : null
    })`;
  }
}

/** Names that neither hold a value nor are used by any tool are free again, for any host. */
export async function forgetUnusedNames(
  tx: Transaction,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  await tx`
    delete from framed.v2_connector_secrets s where s.workspace_id = ${workspaceId} and s.sealed is null
       and not exists (select from framed.v2_connector_secret_uses u where u.workspace_id = s.workspace_id and u.name = s.name)`;
}

/** Takes along the values that no tool other than this one uses. */
export async function deleteValuesOnlyUsedBy(
  tx: Transaction,
  { workspaceId, connectorId }: { workspaceId: string; connectorId: string },
): Promise<void> {
  await tx`
    update framed.v2_connector_secrets s set sealed = null, data_key_id = null, set_by = null, set_at = null
     where s.workspace_id = ${workspaceId}
       and exists (select from framed.v2_connector_secret_uses u
         where u.workspace_id = s.workspace_id and u.name = s.name and u.connector_id = ${connectorId})
       and not exists (select from framed.v2_connector_secret_uses u
         where u.workspace_id = s.workspace_id and u.name = s.name and u.connector_id <> ${connectorId})`;
}

/** A workspace's data key as it is stored: sealed by the master key `kid`. */
export interface StoredDataKey {
  readonly id: string;
  readonly kid: string;
  readonly wrapped: Uint8Array;
}

export async function findDataKey(
  tx: Transaction,
  { workspaceId }: { workspaceId: string },
): Promise<StoredDataKey | null> {
  const [row] = await tx<StoredDataKey[]>`
    select id, kid, wrapped from framed.workspace_data_keys where workspace_id = ${workspaceId}`;
  return row ?? null;
}

/** Stores the workspace's first data key; the one that is there already wins, and is returned. */
export async function keepDataKey(
  tx: Transaction,
  { workspaceId, dataKey }: { workspaceId: string; dataKey: StoredDataKey },
): Promise<StoredDataKey> {
  await tx`
    insert into framed.workspace_data_keys (id, workspace_id, kid, wrapped)
    values (${dataKey.id}, ${workspaceId}, ${dataKey.kid}, ${dataKey.wrapped as Uint8Array<ArrayBuffer>})
    on conflict on constraint workspace_data_keys_one do nothing`;
  return (await findDataKey(tx, { workspaceId }))!;
}

/** How many data keys each master key seals, of the workspace or of all that the caller sees. */
export async function countDataKeys(
  db: Queryable,
  { workspaceId }: { workspaceId: string | null },
): Promise<{ kid: string; count: number }[]> {
  return await db<{ kid: string; count: number }[]>`
    select kid, count(*)::integer as count from framed.workspace_data_keys
     where ${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid
     group by kid order by kid`;
}

/** Data keys that another master key than `kid` seals, by id, after `after`, at most `limit`; of one workspace or of all. */
export async function listDataKeysNotUnder(
  db: Queryable,
  { kid, workspaceId, after, limit }: {
    kid: string;
    workspaceId: string | null;
    after: string | null;
    limit: number;
  },
): Promise<(StoredDataKey & { readonly workspace_id: string })[]> {
  return await db<(StoredDataKey & { workspace_id: string })[]>`
    select id, workspace_id, kid, wrapped from framed.workspace_data_keys
     where kid <> ${kid} and (${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid)
       and (${after}::uuid is null or id > ${after}::uuid)
     order by id limit ${limit}`;
}

/** Seals a data key anew, where it still is as `from` has it. False where somebody else was faster. */
export async function replaceWrapping(
  db: Queryable,
  { from, to }: { from: StoredDataKey; to: { readonly kid: string; readonly wrapped: Uint8Array } },
): Promise<boolean> {
  const { count } = await db`
    update framed.workspace_data_keys set kid = ${to.kid}, wrapped = ${to.wrapped as Uint8Array<ArrayBuffer>}
     where id = ${from.id} and kid = ${from.kid} and wrapped = ${from.wrapped as Uint8Array<ArrayBuffer>}`;
  return count === 1;
}

/** Stores a sealed value under its name and allows it to the tool it was pasted on. */
export async function putValue(
  tx: Transaction,
  { workspaceId, connectorId, name, sealed, dataKeyId, userId }: {
    workspaceId: string;
    connectorId: string;
    name: string;
    sealed: Uint8Array;
    dataKeyId: string;
    userId: string;
  },
): Promise<void> {
  await tx`
    update framed.v2_connector_secrets
       set sealed = ${sealed as Uint8Array<
    ArrayBuffer
  >}, data_key_id = ${dataKeyId}, set_by = ${userId}, set_at = now()
     where workspace_id = ${workspaceId} and name = ${name}`;
  await allowUse(tx, { workspaceId, connectorId, name, userId });
}

/**
 * Removes the value; the name stays with its host as long as a tool names it. A tool whose definer is no
 * administrator now waits to be allowed again: the next value may be another matter.
 */
export async function deleteValue(
  tx: Transaction,
  { workspaceId, name }: { workspaceId: string; name: string },
): Promise<void> {
  await tx`
    update framed.v2_connector_secrets set sealed = null, data_key_id = null, set_by = null, set_at = null
     where workspace_id = ${workspaceId} and name = ${name}`;
  await tx`
    update framed.v2_connector_secret_uses u set allowed_at = null, allowed_by = null from framed.v2_connectors c
     where u.workspace_id = ${workspaceId} and u.name = ${name}
       and c.workspace_id = u.workspace_id and c.id = u.connector_id and c.origin <> 'seeded'
       and not exists (select from framed.members m
         where m.workspace_id = c.workspace_id and m.user_id = c.owner_user_id and m.role = 'admin')`;
}

/** An administrator stands behind this tool's use of the name from now on. */
export async function allowUse(
  tx: Transaction,
  { workspaceId, connectorId, name, userId }: {
    workspaceId: string;
    connectorId: string;
    name: string;
    userId: string;
  },
): Promise<void> {
  await tx`
    update framed.v2_connector_secret_uses set allowed_at = now(), allowed_by = ${userId}
     where workspace_id = ${workspaceId} and connector_id = ${connectorId} and name = ${name} and allowed_at is null`;
}
