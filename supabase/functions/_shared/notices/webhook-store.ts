/** The webhook of a workspace in the database: what its messages are signed with and how it fares. */

import type { Queryable } from "../db/client.ts";

/** How a workspace's webhook fares. Instants in ISO 8601. */
export interface WebhookState {
  readonly secret_made_at: string;
  readonly last_delivered_at: string | null;
  readonly last_failed_at: string | null;
  /** What the last failure was: an HTTP status or a reason. */
  readonly last_failure: string | null;
  /** The first failure since the last delivery. */
  readonly failing_since: string | null;
  /** When it answered 410. Nothing is sent to it until it is set anew. */
  readonly gone_at: string | null;
}

/** How the webhook fares; null where none is set. */
export async function findWebhook(
  db: Queryable,
  { workspaceId }: { workspaceId: string },
): Promise<WebhookState | null> {
  const [row] = await db<WebhookState[]>`
    select to_json(secret_made_at) #>> '{}' as secret_made_at, to_json(last_delivered_at) #>> '{}' as last_delivered_at,
      to_json(last_failed_at) #>> '{}' as last_failed_at, last_failure, to_json(failing_since) #>> '{}' as failing_since,
      to_json(gone_at) #>> '{}' as gone_at
    from framed.v2_webhooks where workspace_id = ${workspaceId} and sealed is not null`;
  return row ?? null;
}

/** A signing secret, sealed for its workspace. */
export interface SealedSigningSecret {
  readonly sealed: Uint8Array;
  readonly dataKeyId: string;
}

/** Keeps a new signing secret in place of the one before. A webhook that was gone is tried again. */
export async function putSigningSecret(
  db: Queryable,
  { workspaceId, secret: { sealed, dataKeyId }, now }: {
    workspaceId: string;
    secret: SealedSigningSecret;
    now: Date;
  },
): Promise<void> {
  await db`insert into framed.v2_webhooks (workspace_id) values (${workspaceId}) on conflict do nothing`;
  await db`
    update framed.v2_webhooks set sealed = ${sealed as Uint8Array<ArrayBuffer>}, data_key_id = ${dataKeyId},
      secret_made_at = ${now.toISOString()}::text::timestamptz, gone_at = null
     where workspace_id = ${workspaceId}`;
}

/**
 * The webhook is at another address from now on: nothing is known of how it fares, a tick that is sending to the one
 * before has no say in it, and what is not delivered yet goes there, as new messages.
 */
export async function moveWebhook(db: Queryable, { workspaceId }: { workspaceId: string }): Promise<void> {
  await db`
    update framed.v2_webhooks set last_delivered_at = null, last_failed_at = null, last_failure = null, failing_since = null,
      gone_at = null, lease = null, lease_until = null
     where workspace_id = ${workspaceId}`;
  await db`
    update framed.v2_notices set message_id = null, message_at = null, attempts = 0
     where workspace_id = ${workspaceId} and status = 'waiting' and message_id is not null`;
}

/** What no message tells of yet is due this long after it began to wait. */
export async function delayNotices(
  db: Queryable,
  { workspaceId, delayMinutes }: { workspaceId: string; delayMinutes: number },
): Promise<void> {
  // The webhook before its notices, as everywhere: nothing is noted with the delay before meanwhile.
  await db`select from framed.v2_webhooks where workspace_id = ${workspaceId} for update`;
  await db`
    update framed.v2_notices set due_at = noted_at + make_interval(mins => ${delayMinutes}),
      next_attempt_at = noted_at + make_interval(mins => ${delayMinutes})
     where workspace_id = ${workspaceId} and status = 'waiting' and message_id is null`;
  await db`
    update framed.v2_webhooks set due_at = framed.next_notice_at(workspace_id) where workspace_id = ${workspaceId}`;
}

/** Forgets the webhook with its signing secret; what is not delivered yet is dropped. */
export async function removeWebhook(
  db: Queryable,
  { workspaceId, now }: { workspaceId: string; now: Date },
): Promise<void> {
  await db`
    update framed.v2_webhooks set sealed = null, data_key_id = null, secret_made_at = null, due_at = null
     where workspace_id = ${workspaceId}`;
  await moveWebhook(db, { workspaceId });
  await db`
    update framed.v2_notices set status = 'dropped', last_status = 'webhook_removed', next_attempt_at = null,
      ended_at = ${now.toISOString()}::text::timestamptz
     where workspace_id = ${workspaceId} and status = 'waiting'`;
}
