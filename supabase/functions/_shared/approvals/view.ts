/** An approval as each caller sees it. Pure. */

import type { JsonObject, JsonValue } from "../definition/json.ts";
import { textForHost } from "../outcome/host-refusal.ts";
import type { Reason } from "../outcome/reason.ts";
import { cardOf, shownHost, shownText } from "./card.ts";
import {
  type Approval,
  type ApprovalCall,
  CHECKED_BY_EXAMPLE,
  type Someone,
  type StoredFollowUp,
  type StoredPreview,
} from "./approval.ts";

/** Who looks. */
export interface Viewer {
  /** Arguments, previews, reasons: not for a member without the grant. */
  readonly seesArguments: boolean;
  /** A host is told what a tool does and never how: no method, no host, no name of a secret. */
  readonly isHost: boolean;
  /** Whether each call is shown as a person has to see it before they decide: whole, and with nothing that hides. */
  readonly withCard: boolean;
  /** Of a person: the reason for which their approving would be refused, null where it would not. Left out for programs. */
  readonly approveRefused?: Reason | null;
  /** Where people decide. */
  readonly reviewUrl: string;
  /** What a call answered, as far as this viewer may see it; undefined where nothing is to be seen. */
  readonly resultOf: (call: ApprovalCall) => ShownResult | undefined;
}

/** An answer as it is shown: clipped, with a handle to the rest. */
export interface ShownResult {
  readonly result: JsonValue;
  readonly truncated: boolean;
  readonly result_handle?: string;
  readonly answers_with: string;
  /** Of a configured example, that it is no news of the other system. */
  readonly note?: string;
}

/** The approval object of an answer. */
export function approvalView(approval: Approval, viewer: Viewer): JsonObject {
  const { seesArguments, isHost } = viewer;
  const say = (text: string | null) => text !== null && isHost ? withoutHosts(text, approval) : text;
  const firstPreview = approval.calls.find(({ preview }) => preview !== null)?.preview ?? null;
  return {
    id: approval.id,
    job_id: approval.id,
    workspace_id: approval.workspace_id,
    status: approval.status,
    calls: approval.calls.map((call) => callView(call, viewer)),
    requested_by: someone(approval.requested_by),
    requested_at: approval.requested_at,
    expires_at: approval.expires_at,
    digest: approval.digest,
    needs: approval.needs,
    ...(viewer.approveRefused === undefined ? {} : { approve_refused: viewer.approveRefused }),
    waits_for: isHost ? approval.waits_for.length : [...approval.waits_for],
    rules: approval.rules.map(({ call, then, say }) => ({ call, then, say })),
    preview: seesArguments ? previewView(firstPreview, isHost) : null,
    decided_by: approval.decided_by === null ? null : someone(approval.decided_by),
    decided_at: approval.decided_at,
    reject_reason: seesArguments ? approval.reject_reason : null,
    superseded_by: approval.superseded_by,
    // Both may quote arguments and what was answered.
    superseded_because: seesArguments ? say(approval.superseded_because) : null,
    outcome: seesArguments ? say(approval.outcome) : null,
    ended_at: approval.ended_at,
    settled: settledView(approval, seesArguments),
    follow_up: approval.follow_up === null ? null : followUpView(approval.follow_up, seesArguments),
    review_url: viewer.reviewUrl,
  };
}

/** What is told of all calls, without the host of any of them. */
function withoutHosts(text: string, { calls }: Approval): string {
  return calls.reduce((told, call) => textForHost(told, call), text);
}

function callView(call: ApprovalCall, viewer: Viewer): JsonObject {
  const { seesArguments, isHost, withCard, resultOf } = viewer;
  const shown = seesArguments ? resultOf(call) : undefined;
  return {
    tool: call.tool,
    tool_name: call.tool_name,
    access: call.access,
    ...(isHost ? {} : { method: call.method, host: call.host }),
    ...(call.capability === null ? {} : { capability: call.capability, operation: call.operation }),
    args: seesArguments ? call.args : null,
    status: call.status,
    ...(call.may_destroy ? { may_destroy: true } : {}),
    ...(seesArguments && call.from_calls.length > 0
      ? { from_calls: call.from_calls.map((value) => ({ ...value })) }
      : {}),
    ...(seesArguments && call.sent_args !== null ? { sent_args: call.sent_args } : {}),
    ...(seesArguments && call.preview !== null ? { preview: previewView(call.preview, isHost) } : {}),
    ...(shown === undefined ? {} : { ...shown }),
    ...(withCard && seesArguments ? { card: callCard(call) } : {}),
    ...(call.reason === null ? {} : { reason: call.reason }),
    ...(seesArguments && call.detail !== null
      ? { detail: isHost ? textForHost(call.detail, call) : call.detail }
      : {}),
    began_at: call.began_at,
    ended_at: call.ended_at,
  };
}

/** What is shown of a call: every text with its hidden characters visible, and every argument. */
function callCard({ tool_name, host, args, from_calls }: ApprovalCall): JsonObject {
  return {
    tool_name: shownText(tool_name),
    host: host === null ? null : shownHost(host),
    lines: cardOf(args, from_calls).map((line) => ({ ...line, notes: [...line.notes] })),
  };
}

/** Why a preview failed may name the host of its tool, which is another one than the call's. */
function previewView(preview: StoredPreview | null, isHost: boolean): JsonObject | null {
  if (preview === null) return null;
  const { tool, args, compare, ok, result, answers_with, note, failed, read_at } = preview;
  return {
    tool,
    args,
    compare: compare === null ? null : [...compare],
    ok,
    ...(result === undefined ? {} : { result }),
    ...(answers_with === undefined ? {} : { answers_with }),
    ...(note === undefined ? {} : { note }),
    ...(failed === undefined ? {} : { failed: isHost ? "It could not be read." : failed }),
    read_at,
  };
}

function settledView({ settled }: Approval, seesArguments: boolean): JsonObject | null {
  if (settled === null) return null;
  return { by: someone(settled.by), at: settled.at, note: seesArguments ? settled.note : null };
}

function followUpView(followUp: StoredFollowUp, seesArguments: boolean): JsonObject {
  return {
    status: followUp.status,
    what: seesArguments ? followUp.what : null,
    until: seesArguments ? followUp.until : null,
    checks: followUp.checks,
    last_check_at: followUp.last_check_at,
    next_check_at: followUp.next_check_at,
    alarmed_at: followUp.alarmed_at,
    stopped_by: followUp.stopped_by === null ? null : someone(followUp.stopped_by),
    ended_at: followUp.ended_at,
    ...(followUp.status !== "done" && followUp.last_check_outcome === CHECKED_BY_EXAMPLE
      ? { note: EXAMPLE_CHECK_NOTE }
      : {}),
  };
}

const EXAMPLE_CHECK_NOTE =
  "The tool that checks this answers with a configured example, which says nothing of the other system: no check can find it done. Look in the other system.";

/** Who it was, without the id: people of a workspace are told apart by their names. */
function someone({ kind, name, key_name }: Omit<Someone, "id">): JsonObject {
  return { kind, name, ...(key_name === undefined ? {} : { key_name }) };
}
