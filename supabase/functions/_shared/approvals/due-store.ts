/** What is due of approvals though nobody asks, over all workspaces, for the tick. Runs as the owner. */

import { type Database, onlyRow, type Queryable } from "../db/client.ts";
import { storableJson } from "../db/storable.ts";
import type { ApprovalPlace, Stopped } from "./store.ts";

/**
 * Approvals that were approved and whose sender is gone by `now`, of every workspace: those with a call that was begun, which
 * ask nothing of another system, before all others; then the first of every workspace first, the longest gone of each. What
 * broke when it was taken up is there again when {@link putOffApproval} says, behind what has been due for longer.
 */
export async function listAbandoned(
  db: Database,
  { now, limit }: { now: Date; limit: number },
): Promise<ApprovalPlace[]> {
  return await db<ApprovalPlace[]>`
    select workspace_id as "workspaceId", id from (
      select g.*, row_number() over (partition by workspace_id, is_begun order by lease_until, id) as nth from (
        select a.workspace_id, a.id, a.lease_until, exists (select from framed.v2_approval_calls c
            where c.workspace_id = a.workspace_id and c.approval_id = a.id and c.status = 'running') as is_begun
          from framed.v2_approvals a
         where a.status = 'running' and a.lease_until <= ${now.toISOString()}::text::timestamptz) g) l
     order by is_begun desc, nth, lease_until, id limit ${limit}`;
}

/**
 * Of an approval that broke while it was taken up: it is due again after a minute, then after twice as long each time. After
 * `mostTries` it ends, where no call of it is under way. Nothing where somebody has claimed it meanwhile.
 */
export async function putOffApproval(
  db: Database,
  { workspaceId, id, because, mostTries, at }: ApprovalPlace & {
    because: Stopped;
    mostTries: number;
    at: string;
  },
): Promise<void> {
  await db`
    select framed.put_off_approval(${workspaceId}::uuid, ${id}::uuid, ${storableJson(because)}::text::jsonb,
      ${mostTries}::integer, ${at}::timestamptz)`;
}

/** Expires up to `limit` approvals whose time is over by `now`, of every workspace; tells how many. */
export async function expireApprovals(
  db: Database,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const rows = await db<
    { expired: number }[]
  >`select framed.expire_approvals(${now.toISOString()}::text::timestamptz, ${limit}::integer) as expired`;
  return onlyRow(rows).expired;
}

/** Forgets answers of sensitive calls whose time is over by `now`, of every workspace; tells how many. */
export async function forgetSealedResults(
  db: Database,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const rows = await db`
    update framed.v2_approval_calls set sealed_result = null, sealed_key_id = null, result_gone_at = null
     where (approval_id, n) in (select approval_id, n from framed.v2_approval_calls
       where result_gone_at <= ${now.toISOString()}::text::timestamptz order by result_gone_at limit ${limit} for update skip locked)`;
  return rows.count;
}

/**
 * Waiting approvals of a tool under another version than its present one, or of one that is gone: the first of every
 * workspace first, the oldest of each. Looks at no call that does not wait, and from tool to tool.
 */
export async function listStale(
  sql: Queryable,
  { workspaceId, connectorId, limit }: {
    workspaceId: string | null;
    connectorId: string | null;
    limit: number;
  },
): Promise<ApprovalPlace[]> {
  return await sql<ApprovalPlace[]>`
    select workspace_id as "workspaceId", id from framed.list_stale(${workspaceId}::uuid, ${connectorId}::uuid, ${limit}::integer)`;
}
