/**
 * Follow-ups and findings in the database. What the tick asks runs as the owner, over all workspaces; all else speaks for
 * one. A follow-up is started by `framed.start_follow_up`, in the transaction that records the write.
 */

import type { Approval } from "../approvals/approval.ts";
import { type Database, onlyRow, type Queryable, untilSent, untilWritten } from "../db/client.ts";
import type { Transaction } from "../db/transaction.ts";
import type { JsonObject } from "../definition/json.ts";
import type { LogEvent } from "../log/event.ts";
import type { SealedSecret } from "../secrets/vault.ts";
import type { Tool } from "../tools/tool.ts";
import type { DoneWhen } from "./done-when.ts";

/** A check that is due, filled in when its write was recorded. */
export interface DueCheck {
  /** The approval that is followed up. */
  readonly approval_id: string;
  readonly workspace_id: string;
  /** The slug of the tool that checks. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly done_when: DoneWhen;
  readonly wrote_at: string;
  /** The instant of the schedule that it is due for. */
  readonly check_for: string;
}

/** Checks that are this tick's until the lease runs out. */
export interface Claim {
  readonly lease: string;
  readonly checks: readonly DueCheck[];
  /** Whether more may be due now. */
  readonly more: boolean;
}

/**
 * Claims up to `atMost` checks that are due at `at`, for `leaseMs`.
 *
 * Workspaces take turns, and each whose turn it is gets an equal part, so that one with any number due holds no other up.
 * What another tick has is skipped, not waited for. A lease that runs out makes a check claimable again: who claimed it
 * was gone before it was recorded, so a check must be safe to run twice.
 */
export async function claimDueChecks(
  db: Database,
  { at, atMost, leaseMs }: { at: Date; atMost: number; leaseMs: number },
): Promise<Claim> {
  const rows = await untilSent(() =>
    db<{ claim: Claim }[]>`
    select framed.claim_due_checks(${at.toISOString()}::timestamptz, ${atMost}::integer, ${
      leaseMs / 1000
    }::float8) as claim`
  );
  return onlyRow(rows).claim;
}

/** Gives back claimed checks that were not begun: they are due as before. */
export async function releaseChecks(
  db: Database,
  { lease, checks }: Pick<Claim, "lease" | "checks">,
): Promise<void> {
  const ids = JSON.stringify(checks.map((check) => check.approval_id));
  await db`select framed.release_checks(${ids}::text::jsonb, ${lease}::uuid)`;
}

/** The tool a check asks, with the values it may use, still sealed; null where the workspace has none by that slug. */
export async function openCheck(
  db: Database,
  { workspaceId, slug }: { workspaceId: string; slug: string },
): Promise<{ tool: Tool; sealed: readonly SealedSecret[] } | null> {
  const rows = await untilSent(() =>
    db<{ opened: { readonly [slug: string]: { tool: Tool; sealed: SealedSecret[] } } }[]>`
    select framed.open_lookups(${workspaceId}::uuid, array[${slug}]::text[]) as opened`
  );
  const { opened } = onlyRow(rows);
  return Object.hasOwn(opened, slug) ? opened[slug]! : null;
}

/** Whether the write that is followed up went to a system outside; true where nobody can tell. */
export async function wroteToLiveSystem(
  db: Database,
  { workspaceId, approvalId }: { workspaceId: string; approvalId: string },
): Promise<boolean> {
  // Only a fixture has no host.
  const rows = await untilSent(() =>
    db<{ wrote: boolean }[]>`
    select coalesce((select c.host is not null from framed.v2_follow_ups f
        join framed.v2_approval_calls c on c.workspace_id = f.workspace_id and c.approval_id = f.approval_id and c.n = f.call
       where f.workspace_id = ${workspaceId}::uuid and f.approval_id = ${approvalId}::uuid), true) as wrote`
  );
  return onlyRow(rows).wrote;
}

/** How a check ended. */
export interface CheckEnding {
  readonly at: Date;
  /** `done`, `waiting`, or why it told nothing: the reason it failed for, or that an example answered. */
  readonly outcome: string;
  /** Null where it found that all is done. */
  readonly nextCheckAt: Date | null;
  /** What an approval says of which nobody knew what became, once a check found it done. */
  readonly landed: string;
}

/**
 * Records a check and its log row, all or nothing, and settles with it a write of which nobody knew what became. Tried once
 * more where the connection is lost meanwhile, and then written once.
 *
 * False where the follow-up has ended meanwhile, or the check is another tick's by now: then only the log row stands.
 */
export async function closeCheck(
  db: Database,
  { lease, check, ending, event }: { lease: string; check: DueCheck; ending: CheckEnding; event: LogEvent },
): Promise<boolean> {
  const ended = JSON.stringify({
    at: ending.at.toISOString(),
    outcome: ending.outcome,
    next_check_at: ending.nextCheckAt?.toISOString() ?? null,
    landed: ending.landed,
  });
  return await untilWritten(async (again) => {
    const rows = await db<{ recorded: boolean }[]>`
      select framed.close_check(${check.workspace_id}::uuid, ${check.approval_id}::uuid, ${lease}::uuid, ${ended}::text::jsonb,
        ${JSON.stringify(event)}::text::jsonb, ${again}::boolean) as recorded`;
    return onlyRow(rows).recorded;
  });
}

/** Has up to `atMost` follow-ups that waited too long join the finding of the week; tells how many. */
export async function raiseDueAlarms(
  db: Database,
  { at, week, atMost }: { at: Date; week: string; atMost: number },
): Promise<number> {
  const rows = await db<{ raised: number }[]>`
    select framed.raise_alarms(${at.toISOString()}::timestamptz, ${week}::text, ${atMost}::integer) as raised`;
  return onlyRow(rows).raised;
}

/** Ends up to `atMost` follow-ups whose time is over; tells how many. */
export async function giveUpDue(
  db: Database,
  { at, atMost }: { at: Date; atMost: number },
): Promise<number> {
  const rows = await db<{ given_up: number }[]>`
    select framed.give_up_follow_ups(${at.toISOString()}::timestamptz, ${atMost}::integer) as given_up`;
  return onlyRow(rows).given_up;
}

/**
 * Stops the follow-up of an approval, if it waits, with its log row; `stopped` says whether it did. What a check under way finds
 * is not recorded any more.
 */
export async function stopWaiting(
  db: Database,
  { workspaceId, approvalId, by, at, event }: {
    workspaceId: string;
    approvalId: string;
    by: LogEvent["principal"];
    at: Date;
    event: LogEvent;
  },
): Promise<{ readonly stopped: boolean; readonly approval: Approval }> {
  const rows = await untilSent(() =>
    db<{ ended: { stopped: boolean; approval: Approval } }[]>`
    select framed.stop_follow_up(${workspaceId}::uuid, ${approvalId}::uuid, ${
      JSON.stringify(by)
    }::text::jsonb,
      ${at.toISOString()}::timestamptz, ${JSON.stringify(event)}::text::jsonb) as ended`
  );
  return onlyRow(rows).ended;
}

/** One thing a workspace is told by itself. */
export interface Finding {
  readonly id: string;
  readonly kind: "follow_ups_waiting";
  readonly week: string;
  readonly found_at: string;
  readonly changed_at: string;
  readonly total: number;
  readonly items: readonly FindingItem[];
}

/** One follow-up of a finding. */
export interface FindingItem {
  readonly approval_id: string;
  readonly tool: string;
  /** Null for who may not see values. */
  readonly what: string | null;
  readonly until: string | null;
  readonly wrote_at: string;
  readonly alarmed_at: string;
  readonly status: "waiting" | "done" | "stopped" | "given_up";
}

/** Items of one finding that are shown. */
const MAX_ITEMS = 50;

/** Findings of a workspace, the one that changed last first, after `after`; with `redacted` without values. */
export async function listFindings(
  tx: Transaction,
  { workspaceId, after, limit, redacted }: {
    workspaceId: string;
    after: { readonly created_at: string; readonly id: string } | null;
    limit: number;
    redacted: boolean;
  },
): Promise<Finding[]> {
  return [
    ...await tx<Finding[]>`
    select n.id, n.kind, n.week, to_json(n.found_at) #>> '{}' as found_at, to_json(n.changed_at) #>> '{}' as changed_at,
      (select count(*)::integer from framed.v2_follow_ups f where f.finding_id = n.id and f.workspace_id = n.workspace_id) as total,
      (select coalesce(json_agg(i), '[]'::json) from (
        select f.approval_id, f.tool, ${value(tx, "what", redacted)}, ${value(tx, "until", redacted)},
          f.wrote_at, f.alarmed_at, f.status
        from framed.v2_follow_ups f where f.finding_id = n.id and f.workspace_id = n.workspace_id
        order by f.alarmed_at, f.wrote_at, f.approval_id limit ${MAX_ITEMS}) i) as items
      from framed.v2_findings n
     where n.workspace_id = ${workspaceId} ${
      after === null
        ? tx``
        : tx`and (n.changed_at, n.id) < (${after.created_at}::timestamptz, ${after.id}::uuid)`
    }
     order by n.changed_at desc, n.id desc limit ${limit}`,
  ];
}

function value(sql: Queryable, column: "what" | "until", redacted: boolean) {
  return redacted ? sql`null::text as ${sql(column)}` : sql`f.${sql(column)}`;
}
