/** Whether a file may take the place of a tool that stands under its slug. Nine rules, in one order. Pure. */

import { operationsOf } from "../definition/call-request.ts";
import { canonicalJson } from "../definition/canonical-json.ts";
import type { JsonValue } from "../definition/json.ts";
import type { CredentialKey } from "../definition/credentials.ts";
import type { FramedTool } from "../definition/format.ts";
import type { Principal } from "../auth/principal.ts";
import { decideEffect } from "../gate/effect.ts";
import { refuse, type Result } from "../outcome/result.ts";
import { isOwnedBy } from "./ownership.ts";
import { isLive, type SecretUse, type Tool } from "./tool.ts";

/** What of the incoming file the rules look at. */
export interface Incoming {
  readonly tool: FramedTool;
  readonly host: string | null;
  readonly secrets: readonly { readonly key: CredentialKey; readonly name: string }[];
}

/**
 * Lets the file replace `existing`, or says with the first rule that stands against it why not and what to do.
 *
 * Who may replace comes first, then what may never change by a file: live and fixture, what waits for a person, and
 * where a stored secret goes.
 */
export function judgeReplacement(
  existing: Tool,
  { incoming, caller }: { incoming: Incoming; caller: Principal },
): Result<void> {
  const remove = "Remove the tool under Connections first, then define it again.";
  if (existing.origin === "seeded" || existing.origin === "installed") {
    return refuse("seeded_or_installed", {
      detail: `${existing.slug} came with the workspace and is not replaced by a file.`,
      hint: "Give the file another slug.",
    });
  }
  if (existing.shared_across_account) {
    return refuse("shared_across_account", {
      detail: `${existing.slug} is shared across the account; a file of one workspace does not replace it.`,
      hint: "Give the file another slug.",
    });
  }
  const own = isOwnedBy(existing.owner, caller);
  const partnersOwn = caller.user_id === null && existing.partner_provided &&
    existing.owner.account_id === caller.account_id;
  if (!existing.from_file && !own && !partnersOwn) {
    return refuse("not_from_file", {
      detail: `${existing.slug} was not defined by a file, and is not the caller's own.`,
      hint: `Give the file another slug, or ask its owner. ${remove}`,
    });
  }
  if (existing.from_file && !own) {
    return refuse("other_owner", {
      detail: `${existing.slug} was defined by someone else; a file replaces only its owner's tool.`,
      hint: `Give the file another slug, or ask its owner. ${remove}`,
    });
  }
  if (isLive(existing.kind) !== isLive(incoming.tool.kind)) {
    return refuse("live_fixture_swap", {
      detail: isLive(existing.kind)
        ? `${existing.slug} reaches a live system; a file cannot turn it into one that answers from fixtures.`
        : `${existing.slug} answers from fixtures; a file cannot turn it into one that reaches a live system.`,
      hint: remove,
    });
  }
  const loosened = findLoosened(existing, incoming.tool);
  if (loosened !== null) return refuse("approval_removed", { detail: loosened, hint: remove });
  return judgeHeldSecrets(existing, incoming, remove);
}

function judgeHeldSecrets(existing: Tool, incoming: Incoming, hint: string): Result<void> {
  const held = existing.uses.filter((use) => use.set);
  if (held.length === 0) return { ok: true, value: undefined };
  const moved = held.find((use) => !keepsUse(incoming, use));
  if (moved !== undefined) {
    return refuse("secret_moved", {
      detail:
        `${existing.slug} holds a value under ${moved.name}; a file that replaces it names the same secret in the same place.`,
      hint,
    });
  }
  if (existing.host !== incoming.host) {
    return refuse("host_moved", {
      detail:
        `${existing.slug} holds a secret for ${existing.host}; a file cannot send it to ${incoming.host}.`,
      hint,
    });
  }
  return { ok: true, value: undefined };
}

function keepsUse(incoming: Incoming, use: SecretUse): boolean {
  return incoming.secrets.some(({ key, name }) => key === use.credential_key && name === use.name);
}

/** How much stands between each call and its effect: 0 it runs, 1 a person decides, 2 an administrator does. */
function strictnessOf(tool: FramedTool, runsAsRead: boolean): Map<string, number> {
  return new Map(
    operationsOf(tool).map((call) => {
      const name = call.capability === undefined ? WHOLE_TOOL : `${call.capability}/${call.operation}`;
      // Rules are looked at one by one. Of an mcp server's tools the file decides about those that only read.
      const inner = { readOnlyHint: true, quarantined: false };
      const effect = decideEffect({
        tool: { ...tool, rules: [] },
        call,
        caller: "person",
        runsAsRead,
        inner,
      });
      return [
        name,
        effect.does === "runs" ? 0 : effect.does === "waits" && effect.needs === "member" ? 1 : 2,
      ];
    }),
  );
}

/** Names the call of a tool without capabilities. */
const WHOLE_TOOL = "";

/** How strict the existing tool was about what the new one calls `name`; a new operation of a capability loosens nothing. */
function strictnessBefore(existing: Map<string, number>, name: string): number {
  return existing.get(name) ?? existing.get(WHOLE_TOOL) ??
    (name === WHOLE_TOOL ? Math.max(...existing.values()) : 0);
}

function findLoosened(existing: Tool, incoming: FramedTool): string | null {
  const before = strictnessOf(existing.file, existing.runs_as_read);
  if ([...strictnessOf(incoming, false)].some(([name, now]) => now < strictnessBefore(before, name))) {
    return `The file would let run what ${existing.slug} asks a person about, or ask one who may decide less.`;
  }
  const kept = (incoming.rules ?? []).map(conditionOf);
  const dropped = (existing.file.rules ?? []).find((rule) => {
    const condition = conditionOf(rule);
    return !kept.some((other) =>
      other.text === condition.text && (other.then === condition.then || other.then === "deny")
    );
  });
  return dropped === undefined
    ? null
    : `The file drops or loosens a rule of ${existing.slug} (on ${dropped.path}).`;
}

function conditionOf(rule: NonNullable<FramedTool["rules"]>[number]): { text: string; then: string } {
  const { path, op, value } = rule as { path: string; op: string; value?: JsonValue };
  return { text: canonicalJson({ path, op, ...(value === undefined ? {} : { value }) }), then: rule.then };
}
