/** Approvals that were sent and what follows them, put into a database as a send leaves them, for tests and benches of follow-ups. */

import type postgres from "postgres";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import type { Share } from "../../supabase/functions/_shared/outcome/work.ts";

/** When the writes of these tests were made: a Monday. */
export const WROTE = new Date("2026-11-30T10:00:00Z");

/** So many hours after the write. */
export function hoursLater(hours: number, from: Date = WROTE): Date {
  return new Date(from.getTime() + hours * 3_600_000);
}

/** A tick at `now` with time for everything, in which nothing may break. */
export function tickAt(now: Date, more: Partial<Share> = {}): Share {
  const report: Share["report"] = (error) => {
    throw error;
  };
  return { now, hasTime: () => true, report, ...more };
}

export interface SentApproval {
  readonly workspaceId: string;
  /** How its calls ended, in order; the follow-up is of the first. */
  readonly calls?: readonly ("applied" | "unknown" | "not_sent")[];
  /** What `framed.start_follow_up` is given, beside what is made up here. */
  readonly followUp?: JsonObject;
  readonly wroteAt?: Date;
}

/** An approval that was sent, with what follows it; returns its id. */
export async function addSentApproval(
  sql: postgres.Sql,
  { workspaceId, calls = ["applied"], followUp = {}, wroteAt = WROTE }: SentApproval,
): Promise<string> {
  const id = crypto.randomUUID();
  const connectorId = crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const status = calls.includes("unknown") ? "unknown" : "applied";
  const started: JsonObject = {
    call: 0,
    connector_id: connectorId,
    tool: "ledger_book_invoice",
    what: "Invoice 2026-7",
    until: "Someone books it",
    check_tool: "ledger_booked",
    check_args: { number: "2026-7" },
    done_when: { all: [{ path: "rows.number", op: "equals", value: "2026-7" }] },
    alarm_after_days: 7,
    stop_after_days: 30,
    ...followUp,
  };
  await sql.begin(async (tx) => {
    await tx`
      insert into framed.v2_approvals (id, workspace_id, status, digest, proposal_key, needs, requested_by, requested_at, expires_at)
      values (${id}, ${workspaceId}, ${status}, ${bytes}, ${bytes}, 'member', '{"kind": "raw_key", "id": "k", "name": "Key"}',
        ${wroteAt}, ${hoursLater(24, wroteAt)})`;
    for (const [n, ended] of calls.entries()) {
      await tx`
        insert into framed.v2_approval_calls (approval_id, n, workspace_id, status, connector_id, version, tool, tool_name, args)
        values (${id}, ${n}, ${workspaceId}, ${ended}, ${connectorId}, 1, 'ledger_book_invoice', 'Book an invoice', '{}')`;
    }
    await tx`
      select framed.start_follow_up(${workspaceId}::uuid, ${id}::uuid, ${
      JSON.stringify(started)
    }::text::jsonb, ${wroteAt}::timestamptz)`;
  });
  return id;
}

/** A finding of the week that the follow-up of an approval has joined. */
export async function addFinding(
  sql: postgres.Sql,
  { workspaceId, approvalId }: { workspaceId: string; approvalId: string },
): Promise<void> {
  await sql`
    with found as (
      insert into framed.v2_findings as f (workspace_id, kind, week, found_at, changed_at)
      values (${workspaceId}, 'follow_ups_waiting', '2026-W50', now(), now())
      on conflict (workspace_id, kind, week) do update set changed_at = excluded.changed_at returning id
    )
    update framed.v2_follow_ups set alarmed_at = now(), finding_id = found.id from found where approval_id = ${approvalId}`;
}

/** A row of `framed.v2_follow_ups`, times in ISO 8601. */
export interface FollowUpRow {
  readonly status: string;
  readonly checks: number;
  readonly last_check_at: string | null;
  readonly last_check_outcome: string | null;
  readonly next_check_at: string | null;
  readonly alarmed_at: string | null;
  readonly finding_id: string | null;
  readonly ended_at: string | null;
  // deno-lint-ignore no-explicit-any
  readonly stopped_by: any;
}

/** How a follow-up stands. */
export async function readFollowUp(sql: postgres.Sql, approvalId: string): Promise<FollowUpRow> {
  const [row] = await sql`
    select status, checks, last_check_at, last_check_outcome, next_check_at, alarmed_at, finding_id, ended_at, stopped_by
      from framed.v2_follow_ups where approval_id = ${approvalId}`;
  const entries = Object.entries(row!).map((
    [key, value],
  ) => [key, value instanceof Date ? value.toISOString() : value]);
  return Object.fromEntries(entries) as FollowUpRow;
}

/**
 * Many follow-ups of one workspace at once, which were written from `wroteAt` on, `apartMs` apart. With `ofExamples` each is of an
 * approval that examples answered, which examples may say the end of. Else there are no approvals behind them, which the
 * database is made not to miss: they cost ten times as much, and what claims checks looks at none.
 */
export async function addManyFollowUps(
  sql: postgres.Sql,
  {
    workspaceId,
    count,
    wroteAt = WROTE,
    apartMs = 1,
    check = { tool: "ledger_booked", args: { number: "2026-7" } },
    ofExamples = false,
  }: {
    workspaceId: string;
    count: number;
    wroteAt?: Date;
    apartMs?: number;
    check?: { tool: string; args: JsonObject };
    ofExamples?: boolean;
  },
): Promise<void> {
  await sql.begin(async (tx) => {
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    const listed = tx`json_array_elements_text(${JSON.stringify(ids)}::text::json) with ordinality a (id, n)`;
    if (ofExamples) {
      await tx`
        insert into framed.v2_approvals (id, workspace_id, status, digest, proposal_key, needs, requested_by, requested_at, expires_at)
        select a.id::uuid, ${workspaceId}::uuid, 'applied', sha256(a.id::bytea), sha256(a.id::bytea), 'member',
          '{"kind": "raw_key", "id": "many", "name": null}', ${wroteAt}::timestamptz, ${wroteAt}::timestamptz + interval '14 days'
        from ${listed}`;
      // Only what examples answer has no host.
      await tx`
        insert into framed.v2_approval_calls (approval_id, n, workspace_id, status, connector_id, version, tool, tool_name, access, args)
        select a.id::uuid, 0, ${workspaceId}::uuid, 'applied', gen_random_uuid(), 1, 'ledger_book_invoice', 'Book an invoice', 'write', '{}'
        from ${listed}`;
    } else {
      await tx`alter table framed.v2_follow_ups drop constraint if exists v2_follow_ups_approval_fkey`;
    }
    await tx`
      insert into framed.v2_follow_ups (approval_id, workspace_id, call, connector_id, tool, what, until, check_tool, check_args, done_when,
        wrote_at, alarm_at, stop_at, next_check_at, due_at)
      select a.id::uuid, ${workspaceId}::uuid, 0, gen_random_uuid(), 'ledger_book_invoice', 'Invoice', 'Someone books it',
        ${check.tool}, ${
      JSON.stringify(check.args)
    }::text::json, '{"all": [{"path": "rows.number", "op": "equals", "value": "2026-7"}]}', w.at,
        w.at + interval '7 days', w.at + interval '30 days', w.at + interval '2 hours', w.at + interval '2 hours'
      from ${listed}
      cross join lateral (select ${wroteAt}::timestamptz + a.n * ${apartMs}::float8 * interval '1 millisecond' as at) w`;
    await tx`
      insert into framed.v2_follow_up_turns as t (workspace_id, due_at)
      values (${workspaceId}::uuid, ${hoursLater(2, wroteAt)}::timestamptz)
      on conflict (workspace_id) do update set due_at = least(t.due_at, excluded.due_at)`;
  });
}
