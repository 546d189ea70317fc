/** Notices in the database: taken in turns of one workspace each, told as messages, and how that went. */

import type { Database, Queryable } from "../db/client.ts";
import type { NoticeKind } from "./message.ts";

/** A message that is to be sent now. */
export interface OutgoingMessage {
  /** The same at every attempt. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly madeAt: Date;
  /** This attempt's number, from 1. */
  readonly attempts: number;
  readonly count: number;
}

/** One turn of one workspace: where its messages go, what they are signed with, and the messages. */
export interface Turn {
  readonly workspaceId: string;
  readonly lease: string;
  readonly url: string;
  /** The sealed signing secret, bytes in lower-case hex. */
  readonly sealed: string;
  readonly data_key_id: string;
  readonly kid: string;
  readonly wrapped: string;
  /** At most one of each kind; none where what was due does not wait any more. */
  readonly messages: readonly OutgoingMessage[];
}

/** How long a turn is one tick's: longer than its attempts take. A tick that dies holds its turn up that long. */
const LEASE_SECONDS = 60;
/** Notices that one message speaks for at most. */
const MAX_OF_MESSAGE = 10_000;
const KINDS: readonly NoticeKind[] = ["approval_waiting", "follow_ups_waiting"];

/**
 * Takes the turn of the workspace that has been due longest, among those whose webhook fails or among those whose does
 * not; null where none is due. A workspace whose turn another tick has is passed over, until its lease has run out.
 *
 * What does not wait any more is dropped. What is due and still waits becomes one message for each kind, unless one is
 * under way already: then that one is tried again once its time has come, and what is new waits for how it ends.
 */
export async function takeTurn(
  db: Database,
  { now, failing }: { now: Date; failing: boolean },
): Promise<Turn | null> {
  // With the cast the driver's type of a transaction's value is our own again.
  return await db.begin(async (tx): Promise<Turn | null> => {
    const at = instant(tx, now);
    const [turn] = await tx<Omit<Turn, "messages">[]>`
      with next as (
        select workspace_id from framed.v2_webhooks
         where due_at <= ${at} and sealed is not null and (lease_until is null or lease_until <= ${at})
           and failing_since is ${failing ? tx`not null` : tx`null`}
         order by due_at limit 1 for update skip locked)
      update framed.v2_webhooks h set lease = gen_random_uuid(), lease_until = ${at} + ${LEASE_SECONDS} * interval '1 second'
        from next join framed.workspaces w on w.id = next.workspace_id
        join framed.workspace_data_keys k on k.workspace_id = w.id
       where h.workspace_id = next.workspace_id and k.id = h.data_key_id
      returning h.workspace_id as "workspaceId", h.lease, w.settings #>> '{notify,url}' as url,
        encode(h.sealed, 'hex') as sealed, h.data_key_id, k.kid, encode(k.wrapped, 'hex') as wrapped`;
    if (turn === undefined) return null;
    const messages: OutgoingMessage[] = [];
    for (const kind of KINDS) {
      const message = await takeMessage(tx, { workspaceId: turn.workspaceId, kind, now });
      if (message !== null) messages.push(message);
    }
    if (messages.length === 0) await endTurn(tx, turn);
    return { ...turn, messages };
  }) as Turn | null;
}

async function takeMessage(
  tx: Queryable,
  { workspaceId, kind, now }: { workspaceId: string; kind: NoticeKind; now: Date },
): Promise<OutgoingMessage | null> {
  const at = instant(tx, now);
  // Looked up by what leads to the one row: where nothing was analysed yet, an index over all that waits may look as good.
  const waits = kind === "approval_waiting"
    ? tx`coalesce((select a.workspace_id = n.workspace_id and a.status = 'awaiting_approval' and a.expires_at > ${at}
        from framed.v2_approvals a where a.id = n.subject), false)`
    : tx`coalesce((select bool_or(f.workspace_id = n.workspace_id and f.status = 'waiting')
        from framed.v2_follow_ups f where f.finding_id = n.subject), false)`;
  const count = kind === "approval_waiting"
    ? tx`count(*)::int`
    : tx`(select (count(*) filter (where f.workspace_id = ${workspaceId} and f.status = 'waiting'))::int
        from framed.v2_follow_ups f
       where f.finding_id in (select taken.subject from taken where taken.status = 'waiting'))`;
  const rows = await tx<{ id: string; made_at: string; attempts: number; count: number }[]>`
    with under_way as (
      select message_id from framed.v2_notices
       where workspace_id = ${workspaceId} and kind = ${kind} and status = 'waiting' and message_id is not null limit 1
    ), due as (
      select n.id, ${waits} as waits from framed.v2_notices n
       where n.workspace_id = ${workspaceId} and n.kind = ${kind} and n.status = 'waiting' and n.next_attempt_at <= ${at}
         and n.message_id is not distinct from (select message_id from under_way)
       order by n.next_attempt_at limit ${MAX_OF_MESSAGE}
    ), taken as (
      update framed.v2_notices n set
        status = case when due.waits then 'waiting' else 'dropped' end,
        message_id = case when due.waits then coalesce(n.message_id, ${crypto.randomUUID()}) else n.message_id end,
        message_at = case when due.waits then coalesce(n.message_at, ${at}) else n.message_at end,
        attempts = n.attempts + due.waits::int,
        last_attempt_at = case when due.waits then ${at} else n.last_attempt_at end,
        -- Where this tick dies while it sends, the message is tried again when its lease has run out.
        next_attempt_at = case when due.waits then ${at} + ${LEASE_SECONDS} * interval '1 second' end,
        last_status = case when due.waits then n.last_status else 'nothing_waits' end,
        ended_at = case when due.waits then null else ${at} end
      from due where n.id = due.id
      returning n.subject, n.status, n.message_id, n.message_at, n.attempts)
    select message_id as id, to_json(min(message_at)) #>> '{}' as made_at, max(attempts) as attempts, ${count} as count
      from taken where status = 'waiting' group by message_id`;
  const [message] = rows;
  if (message === undefined) return null;
  const { id, made_at, attempts } = message;
  return { id, kind, madeAt: new Date(made_at), attempts, count: message.count };
}

/** What an attempt came to. `gone`: the webhook answered 410, and is sent nothing any more. */
export type Attempted =
  | { readonly became: "delivered" | "failed" | "gone"; readonly status: string }
  | { readonly became: "waiting"; readonly status: string; readonly nextAttemptAt: Date };

/**
 * Writes down what became of the turn's messages and when the workspace's next turn is. False, and nothing is written,
 * where the turn is not this tick's any more: its lease ran out, or the webhook was set anew meanwhile.
 */
export async function settleTurn(
  db: Database,
  { turn, attempted, now }: {
    turn: Turn;
    /** By message id. */
    attempted: ReadonlyMap<string, Attempted>;
    now: Date;
  },
): Promise<boolean> {
  return await db.begin(async (tx): Promise<boolean> => {
    const at = instant(tx, now);
    const { workspaceId } = turn;
    const [held] = await tx`
      select from framed.v2_webhooks where workspace_id = ${workspaceId} and lease = ${turn.lease} for update`;
    if (held === undefined) return false;
    const outcomes = [...attempted.values()];
    for (const [id, outcome] of attempted) await settleMessage(tx, { workspaceId, id, outcome, now });
    const failure = outcomes.find(({ became }) => became !== "delivered")?.status ?? null;
    if (failure !== null) {
      await tx`
        update framed.v2_webhooks set last_failed_at = ${at}, last_failure = ${failure}, failing_since = coalesce(failing_since, ${at})
         where workspace_id = ${workspaceId}`;
    }
    if (outcomes.some(({ became }) => became === "delivered")) {
      await tx`
        update framed.v2_webhooks set last_delivered_at = ${at},
          failing_since = ${failure === null ? null : tx`failing_since`}
         where workspace_id = ${workspaceId}`;
    }
    if (outcomes.some(({ became }) => became === "gone")) {
      await tx`update framed.v2_webhooks set gone_at = ${at} where workspace_id = ${workspaceId}`;
      await tx`
        update framed.v2_notices set status = 'dropped', last_status = 'webhook_gone', next_attempt_at = null, ended_at = ${at}
         where workspace_id = ${workspaceId} and status = 'waiting'`;
    }
    await endTurn(tx, turn);
    return true;
  }) as boolean;
}

async function settleMessage(
  tx: Queryable,
  { workspaceId, id, outcome, now }: { workspaceId: string; id: string; outcome: Attempted; now: Date },
): Promise<void> {
  const waits = outcome.became === "waiting";
  const status = outcome.became === "gone" ? "failed" : outcome.became;
  await tx`
    update framed.v2_notices set status = ${status}, last_status = ${outcome.status},
      next_attempt_at = ${waits ? instant(tx, outcome.nextAttemptAt) : null},
      ended_at = ${waits ? null : instant(tx, now)}
     where workspace_id = ${workspaceId} and message_id = ${id} and status = 'waiting'`;
}

async function endTurn(tx: Queryable, { workspaceId, lease }: Pick<Turn, "workspaceId" | "lease">) {
  await tx`
    update framed.v2_webhooks set lease = null, lease_until = null, due_at = framed.next_notice_at(workspace_id)
     where workspace_id = ${workspaceId} and lease = ${lease}`;
}

/** A notice as administrators see it. Instants in ISO 8601. */
export interface ListedNotice {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly subject: string;
  readonly status: "waiting" | "delivered" | "dropped" | "failed";
  readonly noted_at: string;
  readonly due_at: string;
  readonly message_id: string | null;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly last_status: string | null;
  readonly ended_at: string | null;
}

/** The workspace's notices, newest first, at most `limit`, after the one at `after`. */
export async function listNotices(
  db: Queryable,
  { workspaceId, limit, after }: {
    workspaceId: string;
    limit: number;
    after: { readonly created_at: string; readonly id: string } | null;
  },
): Promise<ListedNotice[]> {
  return await db<ListedNotice[]>`
    select id, kind, subject, status, to_json(noted_at) #>> '{}' as noted_at, to_json(due_at) #>> '{}' as due_at, message_id,
      attempts, to_json(next_attempt_at) #>> '{}' as next_attempt_at, to_json(last_attempt_at) #>> '{}' as last_attempt_at,
      last_status, to_json(ended_at) #>> '{}' as ended_at
    from framed.v2_notices where workspace_id = ${workspaceId}
       and ${
    after === null
      ? db`true`
      : db`(noted_at, id) < (${after.created_at}::text::timestamptz, ${after.id}::uuid)`
  }
     order by noted_at desc, id desc limit ${limit}`;
}

/** How long it is told what became of a notice, in days. */
const KEPT_DAYS = 90;

/** Removes up to `limit` notices that ended longer ago than 90 days; how many. */
export async function forgetEnded(
  db: Queryable,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const removed = await db`
    delete from framed.v2_notices where id in (
      select id from framed.v2_notices where ended_at < ${instant(db, now)} - ${KEPT_DAYS} * interval '1 day'
       order by ended_at limit ${limit} for update skip locked)`;
  return removed.count;
}

function instant(db: Queryable, at: Date) {
  return db`${at.toISOString()}::text::timestamptz`;
}
