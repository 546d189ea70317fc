/** What is told of, put into a database as its makers leave it, and a webhook that remembers what it was told. */

import type postgres from "postgres";
import { Webhook } from "standardwebhooks";
import type { ReceivedRequest } from "./upstream.ts";

interface Waiting {
  readonly workspaceId: string;
  readonly at: Date;
  /** Words that no message may hold. */
  readonly says?: string;
}

/** An approval that waits from `at` on and is noted in the same transaction, as a proposal does it; its id. */
export async function addWaitingApproval(sql: postgres.Sql, waiting: Waiting): Promise<string> {
  return await sql.begin((tx) => proposeIn(tx, waiting)) as string;
}

/** The same within a transaction that ends when the test says so. */
export async function proposeIn(
  tx: postgres.TransactionSql,
  { workspaceId, at, says = "" }: Waiting,
): Promise<string> {
  const id = crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const requester = JSON.stringify({ kind: "session", id, name: `Ada ${says}` });
  await speakFor(tx, workspaceId);
  await tx`
    insert into framed.v2_approvals (id, workspace_id, digest, proposal_key, needs, requested_by, requested_at, expires_at)
    values (${id}, ${workspaceId}, ${bytes}, ${bytes}, 'member', ${requester}::text::jsonb, ${
    iso(at)
  }::text::timestamptz,
      ${iso(at)}::text::timestamptz + interval '14 days')`;
  await tx`
    insert into framed.v2_approval_calls (approval_id, n, workspace_id, connector_id, version, tool, tool_name, args)
    values (${id}, 0, ${workspaceId}, ${id}, 1, 'ledger_book', ${`Book ${says}`}, ${
    JSON.stringify({ note: says })
  }::text::json)`;
  await tx`select framed.note_approval_waiting(${workspaceId}, ${id}, ${iso(at)}::text::timestamptz)`;
  return id;
}

/** A follow-up that is alarmed at `at`: it joins the finding of `week`, which is noted; the finding's id and its own. */
export async function addAlarm(
  sql: postgres.Sql,
  { workspaceId, at, says = "", week = "2026-W49" }: Waiting & { week?: string },
): Promise<{ findingId: string; approvalId: string }> {
  const approvalId = crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return await sql.begin(async (tx) => {
    await speakFor(tx, workspaceId);
    await tx`
      insert into framed.v2_approvals (id, workspace_id, status, digest, proposal_key, needs, requested_by, requested_at, expires_at)
      values (${approvalId}, ${workspaceId}, 'applied', ${bytes}, ${bytes}, 'member', '{}', ${
      iso(at)
    }::text::timestamptz,
        ${iso(at)}::text::timestamptz)`;
    const followUp = {
      call: 0,
      connector_id: approvalId,
      tool: "ledger_book",
      what: `Invoice ${says}`,
      until: `Someone books ${says}`,
      check_tool: "ledger_booked",
      check_args: {},
      done_when: {},
      alarm_after_days: 7,
      stop_after_days: 30,
    };
    await tx`
      select framed.start_follow_up(${workspaceId}, ${approvalId}, ${JSON.stringify(followUp)}::text::jsonb,
        ${iso(at)}::text::timestamptz)`;
    const [finding] = await tx<{ id: string }[]>`
      insert into framed.v2_findings (workspace_id, kind, week, found_at, changed_at)
      values (${workspaceId}, 'follow_ups_waiting', ${week}, ${iso(at)}::text::timestamptz, ${
      iso(at)
    }::text::timestamptz)
      on conflict on constraint v2_findings_one_a_week do update set changed_at = excluded.changed_at returning id`;
    await tx`
      update framed.v2_follow_ups set finding_id = ${finding!.id}, alarmed_at = ${iso(at)}::text::timestamptz
       where approval_id = ${approvalId}`;
    await tx`select framed.note_finding(${workspaceId}, ${finding!.id}, ${iso(at)}::text::timestamptz)`;
    return { findingId: finding!.id, approvalId };
  }) as { findingId: string; approvalId: string };
}

/** What a message says, taken by the official receiver with `secret`. Throws where it is not signed with that, just now. */
export function readMessage({ body, headers }: ReceivedRequest, secret: string) {
  const told = new Webhook(secret).verify(body, Object.fromEntries(headers));
  return told as { type: string; timestamp: string; data: Record<string, unknown> };
}

async function speakFor(tx: postgres.TransactionSql, workspaceId: string): Promise<void> {
  await tx`select set_config('role', 'framed_app', true), set_config('framed.workspace_id', ${workspaceId}, true)`;
}

function iso(at: Date): string {
  return at.toISOString();
}
