/** What happened, in words: each event of the log as the middle of a sentence. Pure. */

import type { EventName } from "../../../supabase/functions/_shared/log/event.ts";
import type { LogRow } from "../api/log.ts";

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
  "approval.expired": "let an approval expire",
  "approval.settled": "settled what became of a call of",
  "approval.ended": "sent what was approved to its end",
  "follow_up.checked": "checked a follow-up with",
  "follow_up.alarmed": "raised an alarm about",
  "follow_up.given_up": "gave up following up",
  "follow_up.stopped": "stopped following up",
};

/** `called`; `called (refused)` where nothing was sent. A name from a newer API stands as it is. */
export function verbOf({ event, outcome }: Pick<LogRow, "event" | "outcome">): string {
  const words = WORDS[event] ?? event;
  if (outcome === "ok") return words;
  return `${words} ${/^upstream_|^call_cancelled$|^internal$/.test(outcome) ? "(failed)" : "(refused)"}`;
}

/** Who, in words: a person by name, and how they came. */
export function actorOf({ kind, name }: LogRow["principal"]): string {
  switch (kind) {
    case "session":
      return name ?? "A person";
    case "raw_key":
      return name === null ? "A key" : `${name} (by key)`;
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
