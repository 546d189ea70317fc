/** What happened, in words: each event of the log as the middle of a sentence. Pure. */

import type { EventName, LoggedEvent as LogRow } from "../../../supabase/functions/_shared/log/event.ts";

/** Between who and which tool, for what went well. An event that is missing here does not compile. */
const WORDS: Readonly<Record<EventName, string>> = {
  "tool.called": "called",
  "tool.defined": "defined",
  "tool.replaced": "replaced",
  "tool.removed": "removed",
  "tool.runs_as_read": "said how requests run of",
  "secret.pasted": "pasted a secret on",
  "secret.removed": "removed a secret of",
  "secret.allowed": "allowed a secret to",
  "inner_tool.accepted": "accepted what the server says of",
  "key.issued": "issued a key",
  "key.revoked": "revoked a key",
  "connect.granted": "let a program in",
  "connect.revoked": "ended what a program may do",
  "workspace.changed": "changed the settings",
  "webhook.secret_made": "made a signing secret for the webhook",
  "member.set": "added or changed a person",
  "member.removed": "removed a person",
  "approval.proposed": "asked to call",
  "approval.approved": "approved a call of",
  "approval.rejected": "rejected a call of",
  "approval.superseded": "made void what waited of",
  "approval.expired": "expired, undecided:",
  "approval.settled": "settled what became of a call of",
  "approval.ended": "ended:",
  "follow_up.checked": "checked a follow-up with",
  "follow_up.alarmed": "raised an alarm about",
  "follow_up.given_up": "gave up following up",
  "follow_up.stopped": "stopped following up",
};

/** How an approval ended, by its status. */
const ENDS: Readonly<Record<string, string>> = {
  applied: "was sent and taken:",
  failed: "failed:",
  unknown: "went out, and nobody can tell its end:",
};

/**
 * Who did what, as the beginning of a sentence that the tool ends. What became of an approval nobody did: it is told of
 * what somebody had asked for.
 */
export function beginningOf({ event, outcome, principal, detail }: Told): string {
  const who = actorOf(principal);
  const { status = null, approval_id: approvalId = null } = detailsOf(detail);
  switch (event) {
    case "approval.ended":
      return `What ${who} asked for ${ENDS[String(status)] ?? WORDS[event]}`;
    case "approval.expired":
      return `What ${who} asked for ${WORDS[event]}`;
    case "tool.called": {
      const verb = verbOf({ event, outcome });
      return approvalId === null ? `${who} ${verb}` : `For ${who}, as was approved, Framed ${verb}`;
    }
    default:
      return `${who} ${verbOf({ event, outcome })}`;
  }
}

/** What stands as the outcome of a row: `ok`, why not, or how the approval ended; and whether that is as it should be. */
export function outcomeOf(
  { event, outcome, detail }: Told,
): { words: string; tone: "good" | "bad" | "warn" } {
  const { status } = detailsOf(detail);
  if (event === "approval.ended" && (status === "failed" || status === "unknown")) {
    return { words: status, tone: status === "failed" ? "bad" : "warn" };
  }
  return { words: outcome, tone: outcome === "ok" ? "good" : "bad" };
}

type Told = Pick<LogRow, "event" | "outcome" | "principal" | "detail">;

function detailsOf(detail: LogRow["detail"]): Readonly<Record<string, unknown>> {
  return (detail ?? {}) as Record<string, unknown>;
}

/** `called`; `called (refused)` where nothing was sent. A name from a newer API stands as it is. */
function verbOf({ event, outcome }: Pick<LogRow, "event" | "outcome">): string {
  const words = WORDS[event] ?? event;
  if (outcome === "ok") return words;
  return `${words} ${/^upstream_|^call_cancelled$|^internal$/.test(outcome) ? "(failed)" : "(refused)"}`;
}

/** Who, in words: a person by name, and how they came; of a key by which one. */
function actorOf({ kind, name, key_name: key }: LogRow["principal"]): string {
  switch (kind) {
    case "session":
      return name ?? "A person";
    case "raw_key": {
      const by = key === undefined ? "by key" : `by the key ${key}`;
      return name === null ? "A key" : `${name} (${by})`;
    }
    case "connect_token":
      return name === null ? "A program over Connect" : `${name} (over Connect)`;
    case "reseller_key":
      return "A reseller's key";
    case "operator":
      return "An operator";
    case "follow_up":
      return "The workspace";
    default:
      return kind satisfies never;
  }
}

/** The kinds of who can be asked for as one. */
export const ACTOR_NAMES: Readonly<Record<LogRow["principal"]["kind"], string>> = {
  session: "People signed in",
  raw_key: "Keys",
  connect_token: "Programs over Connect",
  reseller_key: "Reseller keys",
  operator: "Operators",
  follow_up: "Follow-ups",
};
