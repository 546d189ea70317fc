/** What can happen and is logged: the closed list of events, what a row holds, and how arguments are shortened for it. Pure. */

import { storableText } from "../db/storable.ts";
import { looksLikeCredential } from "../definition/credentials.ts";
import { isJsonObject, type JsonValue } from "../definition/json.ts";
import type { Reason } from "../outcome/reason.ts";

/** What one kind of event tells. */
interface EventRow {
  /** What has happened when it is logged. */
  readonly says: string;
  /** What its row holds beside who, when, how it ended and how long the request took. */
  readonly holds: readonly (keyof LogEvent)[];
  /** The keys its `detail` may have. */
  readonly detail: readonly string[];
}

const ABOUT_A_TOOL = ["tool", "connector_id", "version"] as const;

/**
 * The closed list: what is not here is not logged, and does not compile. Names are stable. A credential, a secret's value
 * and the body of an answer have no place in any of them.
 */
export const EVENTS = {
  "tool.called": {
    says: "A tool was called: the call ran, or was refused",
    holds: [
      ...ABOUT_A_TOOL,
      "operation",
      "args",
      "queue_ms",
      "database_ms",
      "upstream_ms",
      "answer_bytes",
    ],
    detail: ["audit", "answers_with", "rows", "also_refused", "approval_id", "call", "landing"],
  },
  "tool.defined": { says: "A file became a tool", holds: ABOUT_A_TOOL, detail: [] },
  "tool.replaced": { says: "A file took the place of an earlier one", holds: ABOUT_A_TOOL, detail: [] },
  "tool.removed": { says: "A tool was removed", holds: ABOUT_A_TOOL, detail: ["superseded"] },
  "secret.pasted": { says: "A value was stored under a name", holds: ABOUT_A_TOOL, detail: ["name"] },
  "secret.removed": { says: "The value under a name was removed", holds: ABOUT_A_TOOL, detail: ["name"] },
  "secret.allowed": { says: "A tool was allowed to use a value", holds: ABOUT_A_TOOL, detail: ["name"] },
  "inner_tool.accepted": {
    says: "An administrator accepted what an outside server says of one of its tools",
    holds: ABOUT_A_TOOL,
    detail: ["name", "digest"],
  },
  "key.issued": { says: "A key was issued", holds: [], detail: ["key_id", "kind", "name", "expires_at"] },
  "key.revoked": { says: "A key was revoked", holds: [], detail: ["key_id", "kind", "name", "expires_at"] },
  "connect.granted": {
    says: "A person let a program act as them over Connect",
    holds: [],
    detail: ["connect_token_id", "user_id", "client", "redirect_host"],
  },
  "connect.revoked": {
    says: "What a person had let a program do over Connect ended",
    holds: [],
    detail: ["connect_token_id", "user_id", "client", "because"],
  },
  "workspace.changed": {
    says: "Settings of the workspace were changed; `detail` holds the new values",
    holds: [],
    detail: ["approver_is_not_requester", "approval_days", "log_days", "notify"],
  },
  "webhook.secret_made": {
    says: "The webhook of the workspace was given a new signing secret",
    holds: [],
    detail: ["host"],
  },
  "member.set": {
    says: "A person was added, or their role, grants, name or address was changed",
    holds: [],
    detail: ["user_id", "name", "role", "grants"],
  },
  "member.removed": { says: "A person was removed", holds: [], detail: ["user_id", "name"] },
  "approval.proposed": {
    says: "A call, or a chain of calls, was proposed and waits for a person",
    holds: [...ABOUT_A_TOOL, "operation", "args"],
    detail: ["approval_id", "calls", "repeated"],
  },
  "approval.approved": {
    says: "A person approved what waited",
    holds: ABOUT_A_TOOL,
    detail: ["approval_id"],
  },
  "approval.rejected": {
    says: "A person rejected what waited",
    holds: ABOUT_A_TOOL,
    detail: ["approval_id", "reason"],
  },
  "approval.superseded": {
    says: "What waited does not hold any more; a fresh approval may take its place",
    holds: ABOUT_A_TOOL,
    detail: ["approval_id", "superseded_by", "because"],
  },
  "approval.expired": { says: "Nobody decided in time", holds: [], detail: ["approval_id"] },
  "approval.settled": {
    says: "A person said what became of a write that nobody could tell the end of",
    holds: ABOUT_A_TOOL,
    detail: ["approval_id", "outcome", "note"],
  },
  "tool.runs_as_read": {
    says: "An administrator said that a request only reads, or took that back",
    holds: ABOUT_A_TOOL,
    detail: ["value"],
  },
  "approval.ended": {
    says: "All that was sent of an approval has ended, or what became of it was found out",
    holds: [],
    detail: ["approval_id", "status"],
  },
  "follow_up.checked": {
    says: "What follows an approved write was checked with the tool that is named, or could not be",
    holds: [
      ...ABOUT_A_TOOL,
      "operation",
      "args",
      "queue_ms",
      "database_ms",
      "upstream_ms",
      "answer_bytes",
    ],
    detail: ["approval_id", "is_done", "answers_with", "rows", "audit"],
  },
  "follow_up.alarmed": {
    says: "What follows an approved write has waited too long and joined the finding of the week",
    holds: ABOUT_A_TOOL,
    detail: ["approval_id", "finding_id"],
  },
  "follow_up.given_up": {
    says: "What follows an approved write is not checked any more: its days are over",
    holds: ABOUT_A_TOOL,
    detail: ["approval_id"],
  },
  "follow_up.stopped": {
    says: "A person stopped the checks of what follows an approved write",
    holds: ABOUT_A_TOOL,
    detail: ["approval_id"],
  },
} as const satisfies Record<string, EventRow>;

/** What can happen and is logged. */
export type EventName = keyof typeof EVENTS;

/**
 * Who can stand behind an event. `operator` is who works on the database with a command, `follow_up` the workspace itself,
 * which checks what follows a write.
 */
export const ACTOR_KINDS = [
  "session",
  "raw_key",
  "reseller_key",
  "connect_token",
  "operator",
  "follow_up",
] as const;

/** One row of the log. Holds no credential and no answer's body. */
export interface LogEvent {
  readonly event: EventName;
  readonly request_id: string;
  readonly principal: {
    readonly kind: (typeof ACTOR_KINDS)[number];
    readonly id: string;
    readonly name: string | null;
    /** Of a raw key. */
    readonly key_name?: string;
  };
  readonly tool: string | null;
  readonly connector_id: string | null;
  readonly version: number | null;
  /** The capability and operation, or what an mcp call named; null where the tool has no operations. */
  readonly operation: string | null;
  /** As `clipArgs` leaves them. */
  readonly args: JsonValue | null;
  readonly outcome: "ok" | Reason;
  readonly detail?: JsonValue;
  /** From the arrival of the request until the row was made. */
  readonly total_ms: number;
  /** Waited for a turn at the other system. */
  readonly queue_ms?: number | null;
  /** What the call needed from the store before it ran, with the wait for a connection. */
  readonly database_ms?: number | null;
  /** From the turn at the other system until its answer was whole, or until it was given up. */
  readonly upstream_ms?: number | null;
  /** What the other system answered, decoded; null where no whole answer came. */
  readonly answer_bytes?: number | null;
  /**
   * Whether the last request of a call that tells had an answer of its host, or could not reach it. Of no row: it is
   * counted with it, for the `status` of the tool.
   */
  readonly host_answered?: boolean;
}

/** A row as it is read: how it stands in the log, on a workspace, and where it is in the chain. */
export interface LoggedEvent extends Omit<LogEvent, "connector_id" | "host_answered"> {
  /** Rises with time; a text, since it may grow beyond what a number holds exactly. */
  readonly id: string;
  readonly workspace_id: string;
  /** UTC, to the microsecond. */
  readonly at: string;
  readonly tool_id: string | null;
  readonly chain?: ChainPlace | null;
}

/** Where a row is in its workspace's chain. */
export interface ChainPlace {
  readonly seal: number;
  /** Lower-case hex, as `hash`. */
  readonly previous_hash: string;
  readonly hash: string;
}

/** The most code points of one text in a row. */
const MAX_TEXT = 200;
/** The most members or elements that a row shows, over all levels. */
const MAX_VALUES = 200;

/**
 * Arguments as a log row holds them: texts cut at 200 code points, 200 values in all, whatever is shaped like a credential
 * taken out and what the database cannot hold replaced, keys too.
 */
export function clipArgs(args: JsonValue): JsonValue {
  let left = MAX_VALUES;
  function clip(value: JsonValue): JsonValue {
    if (left-- <= 0) return "…";
    if (typeof value === "string") return clipText(value);
    if (Array.isArray(value)) {
      const shown = value.slice(0, Math.max(left, 0)).map(clip);
      return shown.length < value.length ? [...shown, "…"] : shown;
    }
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value);
    const shown = entries.slice(0, Math.max(left, 0)).map(([key, inner]) => [clipText(key), clip(inner)]);
    return Object.fromEntries(
      shown.length < entries.length ? [...shown, ["…", entries.length - shown.length]] : shown,
    );
  }
  return clip(args);
}

function clipText(text: string): string {
  if (looksLikeCredential(text)) return "[shaped like a credential]";
  const storable = storableText(text);
  if (storable.length <= MAX_TEXT) return storable;
  const points = [...storable];
  return points.length <= MAX_TEXT ? storable : `${points.slice(0, MAX_TEXT).join("")}…`;
}
