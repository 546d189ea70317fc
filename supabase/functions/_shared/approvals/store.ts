/** The steps of an approval in the database, one round trip each. Every one is guarded there: who comes second changes nothing. */

import type { Presented, Principal } from "../auth/principal.ts";
import { type Database, onlyRow, type Queryable, untilSent, untilWritten } from "../db/client.ts";
import { storableJson, storableText } from "../db/storable.ts";
import type { Transaction } from "../db/transaction.ts";
import type { FramedTool } from "../definition/format.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import { type LimitedBy, type Limits, limitsJson } from "../limits/limits.ts";
import type { LogEvent } from "../log/event.ts";
import type { Reason } from "../outcome/reason.ts";
import type { SealedSecret } from "../secrets/vault.ts";
import type { Tool } from "../tools/tool.ts";
import type { Approval, NewApproval, NewApprovalCall, SealedResult, Someone } from "./approval.ts";
import type { ApprovalStatus } from "./state.ts";

/** A tool as it is now, the values it may use, and the key that seals for its workspace. */
export interface OpenedTool {
  readonly tool: Tool;
  readonly sealed: readonly SealedSecret[];
  readonly data_key: Omit<SealedResult, "sealed"> | null;
}

/** A list of texts as an array: the driver is told of no types, so it writes none itself. */
function textArray(sql: Queryable, texts: readonly string[]) {
  return sql`array(select t.value from jsonb_array_elements_text(${
    JSON.stringify(texts)
  }::text::jsonb) with ordinality t (value, at) order by t.at)`;
}

/** How long who claimed a call has it to themselves, in seconds: more than a call may take from its claim to its end. */
export const LEASE_SECONDS = 60;

/** The tools of the workspace that something is looked up with, by slug; those that are not there are left out. */
export async function openLookups(
  db: Database,
  { workspaceId, slugs }: { workspaceId: string; slugs: readonly string[] },
): Promise<Readonly<Record<string, OpenedTool>>> {
  const rows = await untilSent(() =>
    db<{ opened: Record<string, OpenedTool> }[]>`
    select framed.open_lookups(${workspaceId}::uuid, ${textArray(db, slugs)}) as opened`
  );
  return onlyRow(rows).opened;
}

/** Who proposes a chain, and its tools. */
export interface OpenedChain {
  readonly principal: Principal | null;
  /** At which step the store refused it, with its log row, as it refuses one call of the first tool. */
  readonly refused_by?: string;
  readonly wait?: number;
  /** By slug; what is not there for the caller is left out. */
  readonly tools?: Readonly<Record<string, OpenedTool>>;
}

/** Who calls, and the tools of a chain with their files. `foreseen` is the log row of a refusal, as for one call. */
export async function openChain(
  db: Database,
  { presented, workspaceId, slugs, foreseen: { event, badShape }, limits }: {
    presented: Presented;
    workspaceId: string | null;
    slugs: readonly string[];
    foreseen: { event: JsonObject; badShape?: string };
    limits: Limits;
  },
): Promise<OpenedChain> {
  const foreseen = { event, ...(badShape === undefined ? {} : { bad_shape: badShape }) };
  const rows = await untilSent(() =>
    db<{ opened: OpenedChain }[]>`
    select framed.open_chain(${JSON.stringify(presented)}::text::jsonb, ${workspaceId}::uuid, ${
      textArray(db, slugs)
    },
      ${JSON.stringify(foreseen)}::text::jsonb, ${limitsJson(limits)}::text::jsonb) as opened`
  );
  return onlyRow(rows).opened;
}

/** An approval, whether it stood before, or what came in its way. */
export interface Proposed {
  readonly repeated: boolean;
  readonly approval: Approval;
}

/** Stores a proposal with its log rows, or finds the same one that waits already. Tried once more where the connection is lost. */
export async function proposeApproval(
  db: Database,
  { workspaceId, approval, calls, events }: {
    workspaceId: string;
    approval: NewApproval;
    calls: readonly NewApprovalCall[];
    events: readonly LogEvent[];
  },
): Promise<Proposed> {
  return await untilWritten(async (again) => {
    const rows = await db<{ proposed: Proposed }[]>`
      select framed.propose(${workspaceId}::uuid, ${JSON.stringify(approval)}::text::jsonb,
        ${callsJson(calls)}::text::json, ${
      JSON.stringify(events)
    }::text::jsonb, ${again}::boolean) as proposed`;
    return onlyRow(rows).proposed;
  });
}

/** Calls as the database can hold them: what their previews answered may hold any character, in its keys too. */
function callsJson(calls: readonly NewApprovalCall[]): string {
  return storableJson(
    calls.map((call) =>
      call.preview?.result === undefined
        ? call
        : { ...call, preview: { ...call.preview, result: withStorableKeys(call.preview.result) } }
    ),
  );
}

function withStorableKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withStorableKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key), withStorableKeys(member)]),
  );
}

/** Who asks for an approval by its id, and the approval where they reach its workspace. */
export interface OpenedApproval {
  /** Null where nobody stands behind what was presented. */
  readonly principal: Principal | null;
  readonly limited_by?: LimitedBy;
  readonly wait?: number;
  readonly approval?: Approval;
}

/** An approval with all that a decision is held against. */
export interface OpenedDecision extends OpenedApproval {
  readonly requester_stands?: boolean;
  /** By the ids of tools; a tool that is gone is left out. */
  readonly tools?: Readonly<Record<string, OpenedTool>>;
  /** What previews look up with, by slug. */
  readonly lookups?: Readonly<Record<string, OpenedTool>>;
}

/** Looks an approval up by its id alone. Out of reach looks as not there. */
export function openApproval(db: Database, asked: Asking): Promise<OpenedApproval> {
  return open(db, "open_approval", asked);
}

/** The same, to decide it. */
export function openDecision(db: Database, asked: Asking): Promise<OpenedDecision> {
  return open(db, "open_decision", asked);
}

interface Asking {
  readonly presented: Presented;
  /** Null for a text that can be no approval's id. */
  readonly id: string | null;
  /** Null where this is a part of what was counted already. */
  readonly limits: Limits | null;
}

async function open<T>(db: Database, by: string, { presented, id, limits }: Asking): Promise<T> {
  const rows = await untilSent(() =>
    db<{ opened: T }[]>`
    select framed.${db(by)}(${JSON.stringify(presented)}::text::jsonb, ${id}::uuid, ${
      limits === null ? null : limitsJson(limits)
    }::text::jsonb) as opened`
  );
  return onlyRow(rows).opened;
}

/** Why a step was not taken: what came in between. */
export type Changed =
  | "decided"
  | "decider"
  | "claimed"
  | "tool"
  | "tool_gone"
  | "requester"
  | "values"
  | "settled";

/** A step that was taken; or, with `changed`, nothing was. */
export interface Step {
  readonly changed?: Changed;
  readonly approval?: Approval;
  readonly claimed?: OpenedTool | null;
}

/** What somebody decides. */
export interface Decided {
  readonly by: Someone;
  readonly at: string;
  readonly digest: string;
  readonly needs: "member" | "admin";
  /** Set for a rejection, empty where no reason is given. */
  readonly reject_reason?: string;
  /** Of the process that sends, once approved. */
  readonly sender: string;
  readonly lease_seconds: number;
  /** Whether the first call is claimed with the decision; else the tick sends it. */
  readonly sends: boolean;
}

/** Approves or rejects what still waits under the digest, with its log rows; approved, its first call is claimed with that. */
export async function beginApproval(
  db: Database,
  { workspaceId, id, decided, events }: {
    workspaceId: string;
    id: string;
    decided: Decided;
    events: readonly LogEvent[];
  },
): Promise<Step> {
  return await untilWritten(async () => {
    const rows = await db<{ step: Step }[]>`
      select framed.begin_approval(${workspaceId}::uuid, ${id}::uuid, ${JSON.stringify(decided)}::text::jsonb,
        ${JSON.stringify(events)}::text::jsonb) as step`;
    return onlyRow(rows).step;
  });
}

/** How a claimed call ended. */
export interface Ended {
  readonly status: "applied" | "failed" | "unknown";
  readonly at: string;
  readonly reason: string | null;
  readonly detail: string | null;
  /** How the whole ended, in words, where it ends with this call. */
  readonly outcome: string;
  /** Whoever claimed it is gone, and nobody knows. Counts only once the lease is over. */
  readonly lost?: boolean;
  readonly result_id?: string | null;
  readonly sealed?: string;
  readonly data_key_id?: string;
  readonly gone_at?: string;
  /** Why the call after this one cannot be sent. */
  readonly skipped?: { readonly reason: string; readonly detail: string };
}

/** The call that is claimed next, with its arguments as they go out. */
export interface Next {
  readonly n: number;
  readonly args: JsonObject;
  readonly sender: string;
  /** False where there is no time left: the tick sends it then. */
  readonly sends: boolean;
}

/**
 * Records how a call ended, with its log row, and in the same step claims the next one or ends the approval with its
 * follow-up. Tried once more where the connection is lost, and written once.
 */
export async function endCall(
  db: Database,
  { workspaceId, id, n, ended, resultJson, event, next, followUp }: {
    workspaceId: string;
    id: string;
    n: number;
    ended: Ended;
    resultJson: string | null;
    event: LogEvent;
    next: Next | null;
    followUp: JsonObject | null;
  },
): Promise<Step> {
  const claim = next === null
    ? null
    : { n: next.n, sender: next.sender, sends: next.sends, lease_seconds: LEASE_SECONDS };
  return await untilWritten(async () => {
    const rows = await db<{ step: Step }[]>`
      select framed.end_call(${workspaceId}::uuid, ${id}::uuid, ${n}::integer, ${
      storableJson(ended)
    }::text::jsonb,
        ${resultJson}, ${storableJson(event)}::text::jsonb,
        ${claim === null ? null : JSON.stringify(claim)}::text::jsonb,
        ${next === null ? null : JSON.stringify(next.args)},
        ${followUp === null ? null : JSON.stringify(followUp)}::text::jsonb) as step`;
    return onlyRow(rows).step;
  });
}

/** Supersedes what waits, with a fresh one for a fresh look where there is one. What does not wait stays as it is. */
export async function renewApproval(
  db: Database,
  { workspaceId, id, because, fresh, at, events }: {
    workspaceId: string;
    id: string;
    because: string;
    fresh: { readonly approval: NewApproval; readonly calls: readonly NewApprovalCall[] } | null;
    at: string;
    events: readonly LogEvent[];
  },
): Promise<Approval> {
  return await untilWritten(async () => {
    const rows = await db<{ step: Step }[]>`
      select framed.renew_approval(${workspaceId}::uuid, ${id}::uuid, ${storableText(because)},
        ${fresh === null ? null : JSON.stringify(fresh.approval)}::text::jsonb,
        ${fresh === null ? null : callsJson(fresh.calls)}::text::json, ${at}::timestamptz,
        ${JSON.stringify(events)}::text::jsonb) as step`;
    return onlyRow(rows).step.approval!;
  });
}

/** A person says what became of an unknown write. */
export async function settleApproval(
  db: Database,
  { workspaceId, id, settled, event }: {
    workspaceId: string;
    id: string;
    settled: { outcome: "applied" | "failed"; by: Someone; at: string; note: string };
    event: LogEvent;
  },
): Promise<Step> {
  return await untilWritten(async () => {
    const rows = await db<{ step: Step }[]>`
      select framed.settle_approval(${workspaceId}::uuid, ${id}::uuid, ${
      JSON.stringify(settled)
    }::text::jsonb,
        ${JSON.stringify(event)}::text::jsonb) as step`;
    return onlyRow(rows).step;
  });
}

/** Where an approval is. */
export interface ApprovalPlace {
  readonly workspaceId: string;
  readonly id: string;
}

/** What somebody who takes an approval up needs. */
export interface OpenedAbandoned {
  readonly approval: Approval;
  readonly requester_stands: boolean;
  readonly account_id: string;
  /** Of the workspace. */
  readonly settings: Record<string, unknown>;
  /** How who decided stands to the workspace now; null where they are no member any more. */
  readonly decider: { readonly role: "admin" | "member"; readonly grants: readonly string[] } | null;
  readonly tools: Readonly<Record<string, OpenedTool>>;
  /** While it runs, by the ids of tools that were defined anew since: the file that was approved. */
  readonly approved_files: Readonly<Record<string, FramedTool>>;
}

/** An approval for whoever takes it up; null where it is gone. */
export async function openAbandoned(
  db: Database,
  { workspaceId, id }: ApprovalPlace,
): Promise<OpenedAbandoned | null> {
  const rows = await untilSent(() =>
    db<{ opened: OpenedAbandoned | null }[]>`
    select framed.open_abandoned(${workspaceId}::uuid, ${id}::uuid) as opened`
  );
  return onlyRow(rows).opened;
}

/** A call that was claimed; or, with `changed`, it was not. */
export interface ClaimStep extends Omit<Step, "changed"> {
  readonly changed?: Exclude<Changed, "decided" | "settled"> | "expired";
}

/**
 * Claims the next call of an approval whose sender is gone: the first one not once the approval has expired, or whoever
 * approved it may not decide it any more. Tried once more where the connection is lost, and claimed once.
 */
export async function claimAbandoned(
  db: Database,
  { workspaceId, id, next, at }: ApprovalPlace & { next: Next; at: string },
): Promise<ClaimStep> {
  const claim = { n: next.n, sender: next.sender, lease_seconds: LEASE_SECONDS };
  return await untilWritten(async () => {
    const rows = await db<{ step: ClaimStep }[]>`
      select framed.claim_abandoned(${workspaceId}::uuid, ${id}::uuid, ${JSON.stringify(claim)}::text::jsonb,
        ${JSON.stringify(next.args)}, ${at}::timestamptz) as step`;
    return onlyRow(rows).step;
  });
}

/** Why an approval ends at a call that is not sent, and what follows the calls before it. */
export interface Stopped {
  readonly reason: Reason;
  readonly detail: string;
  /** Of the whole. */
  readonly outcome: string;
  readonly follow_up: JsonObject | null;
}

/** Ends an approval at a call that cannot be sent any more, with what follows the calls before it. */
export async function stopApproval(
  db: Database,
  { workspaceId, id, n, because, at }: ApprovalPlace & { n: number; because: Stopped; at: string },
): Promise<Approval> {
  const rows = await db<{ step: Step }[]>`
    select framed.stop_approval(${workspaceId}::uuid, ${id}::uuid, ${n}::integer,
      ${storableJson(because)}::text::jsonb, ${at}::timestamptz) as step`;
  return onlyRow(rows).step.approval!;
}

/** Approvals that are superseded together with the removal of their tool; the tick does the rest. */
const MAX_OF_REMOVAL = 1_000;

/**
 * Supersedes what waits for a tool that is being removed, so many at most: the rest waits for nothing, which the tick or
 * whoever decides it finds. Tells how many.
 */
export async function supersedeOfTool(
  tx: Transaction,
  { workspaceId, connectorId }: { workspaceId: string; connectorId: string },
): Promise<number> {
  const rows = await tx<{ id: string }[]>`
    update framed.v2_approvals a set status = 'superseded', superseded_because = 'The tool was removed.', ended_at = now()
     where a.workspace_id = ${workspaceId} and a.status = 'awaiting_approval' and a.id in (
       select c.approval_id from framed.v2_approval_calls c
        where c.connector_id = ${connectorId} and c.workspace_id = ${workspaceId} and c.status = 'waiting' limit ${MAX_OF_REMOVAL})
    returning a.id`;
  if (rows.length === 0) return 0;
  await tx`
    update framed.v2_approval_calls c set status = 'not_sent'
     where c.workspace_id = ${workspaceId} and c.status = 'waiting' and c.approval_id = any (${
    textArray(tx, rows.map(({ id }) => id))
  }::uuid[])`;
  return rows.length;
}

/** The approval whose call answered with this result, and which call that is; null where none did. */
export async function findApprovalOfResult(
  tx: Transaction,
  { workspaceId, id }: ApprovalPlace,
): Promise<{ readonly approval: Approval; readonly n: number } | null> {
  const [row] = await tx<{ approval: Approval; n: number }[]>`
    select framed.approval_json(a) as approval, c.n from framed.v2_approval_calls c
      join framed.v2_approvals a on a.workspace_id = c.workspace_id and a.id = c.approval_id
     where c.workspace_id = ${workspaceId} and c.result_id = ${id}`;
  return row ?? null;
}

/** What of the approvals of a workspace is listed. */
export interface ApprovalFilter {
  readonly status: ApprovalStatus | null;
  /** Only what this very caller asked for; null for all. */
  readonly requestedBy: { readonly kind: string; readonly id: string } | null;
}

/** Approvals of the workspace, newest first, after the one at `after`; without what their calls answered. */
export async function listApprovals(
  tx: Transaction,
  { workspaceId, filter: { status, requestedBy }, after, limit }: {
    workspaceId: string;
    filter: ApprovalFilter;
    after: string | null;
    limit: number;
  },
): Promise<Approval[]> {
  const { requestedAt, id } = readPlace(after);
  const rows = await tx<{ approval: Approval }[]>`
    select framed.approval_json(a, false) as approval from framed.v2_approvals a
     where a.workspace_id = ${workspaceId}
       ${status === null ? tx`` : tx`and a.status = ${status}`}
       ${requestedBy === null ? tx`` : tx`and a.requester = ${`${requestedBy.kind} ${requestedBy.id}`}`}
       ${
    requestedAt === null ? tx`` : tx`and (a.requested_at, a.id) < (${requestedAt}::timestamptz, ${id}::uuid)`
  }
     order by a.requested_at desc, a.id desc limit ${limit}`;
  return rows.map(({ approval }) => approval);
}

/** Where an approval stands in the list, for the cursor after it. Proposals are timed in whole milliseconds. */
export function placeOfApproval({ requested_at, id }: Approval): string {
  return `${Date.parse(requested_at)} ${id}`;
}

/** The place a cursor names; one that was made up names none, and the list begins at its start. */
function readPlace(after: string | null): { requestedAt: string | null; id: string | null } {
  const [, ms, id = null] = /^(\d{1,13}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(after ?? "") ??
    [];
  return { requestedAt: ms === undefined ? null : new Date(Number(ms)).toISOString(), id };
}
