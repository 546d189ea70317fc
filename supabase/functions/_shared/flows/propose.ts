/** Proposes calls to the people of a workspace: nothing is sent, and what waits is exactly what would be. */

import { proposeApproval } from "../approvals/store.ts";
import { actorOf, type PrincipalHere } from "../auth/principal.ts";
import type { JsonObject } from "../definition/json.ts";
import type { Caller } from "../gate/effect.ts";
import { clipArgs, type LogEvent } from "../log/event.ts";
import { ok, type Result } from "../outcome/result.ts";
import { answerOfWaiting } from "../results/answer.ts";
import { settingsOf } from "../workspaces/settings.ts";
import { eventOfCall } from "./call-event.ts";
import type { CallMeans } from "./call-tool.ts";
import { type Asker, draftApproval, type WantedCall } from "./draft-approval.ts";
import type { Occasion } from "./occasion.ts";
import { readPreviews, withLate } from "./preview.ts";

/** What proposals are made with. */
export interface ProposeMeans extends CallMeans {
  /** Where people decide: no slash at the end. */
  readonly consoleUrl: string;
}

/** Where an approval is looked at and decided. */
export function reviewUrlOf(consoleUrl: string): string {
  return `${consoleUrl}/tasks`;
}

/** What somebody proposes. */
export interface Proposal {
  readonly principal: PrincipalHere;
  readonly caller: Caller;
  readonly wanted: readonly WantedCall[];
  readonly isChain: boolean;
  readonly occasion: Occasion;
}

/**
 * Stores the calls as one approval that waits, or finds the same one that waits already (`repeated`), with its log row.
 * Refuses what `draftApproval` refuses; a value that is not pasted yet is named on the answer and blocks nothing here.
 *
 * One round trip to the store, and one more where a tool has a preview.
 */
export async function propose(means: ProposeMeans, proposal: Proposal): Promise<Result<JsonObject>> {
  const { principal, wanted, isChain, occasion } = proposal;
  const asker = askerOf(principal, proposal.caller);
  const options = {
    asker,
    isChain,
    now: means.now(),
    approvalDays: settingsOf(principal.workspace.settings).approval_days,
  };
  const drafted = draftApproval(wanted, { ...options, previews: [] });
  if (!drafted.ok) return drafted;
  const looked = await readPreviews(means, {
    wanted: withLate(wanted, drafted.value.calls),
    asker,
    occasion,
    lookups: null,
  });
  const { approval, calls } = drafted.value;
  const proposed = await proposeApproval(means.db, {
    workspaceId: asker.workspaceId,
    approval,
    calls: calls.map((call, n) => ({ ...call, preview: looked.previews[n] ?? null })),
    events: [proposedEvent(proposal), ...looked.events],
  });
  const stands = proposed.approval;
  const [first] = wanted;
  const waitsFor = principal.kind === "connect_token" ? stands.waits_for.length : stands.waits_for;
  return ok({
    ...answerOfWaiting(first!.tool.file, { id: stands.id, reviewUrl: reviewUrlOf(means.consoleUrl) }),
    ...(isChain ? { calls: stands.calls.map(({ tool, tool_name }) => ({ tool, tool_name })) } : {}),
    ...(proposed.repeated ? { repeated: true } : {}),
    ...(stands.waits_for.length > 0 ? { waits_for: waitsFor as JsonObject[string] } : {}),
  });
}

/** Who asks, as an approval remembers it. */
export function askerOf(principal: PrincipalHere, caller: Caller): Asker {
  return {
    workspaceId: principal.workspace.id,
    by: actorOf(principal),
    userId: principal.user_id,
    accountId: principal.account_id,
    caller,
  };
}

function proposedEvent({ principal, wanted, isChain, occasion }: Proposal): LogEvent {
  const [{ tool, call }] = wanted as [WantedCall];
  return {
    ...eventOfCall({ slug: tool.slug, call, occasion }),
    event: "approval.proposed",
    principal: actorOf(principal),
    connector_id: tool.id,
    version: tool.version,
    args: clipArgs(call.args),
    outcome: "ok",
    detail: isChain ? { calls: wanted.map(({ tool: { slug } }) => slug) } : {},
  };
}
