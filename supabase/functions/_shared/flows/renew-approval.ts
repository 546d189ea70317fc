/** An approval whose terms do not hold any more makes way: for a fresh one for a fresh look, where there can be one. */

import type { Approval, StoredPreview } from "../approvals/approval.ts";
import { type OpenedTool, renewApproval } from "../approvals/store.ts";
import type { LogEvent } from "../log/event.ts";
import type { JsonObject } from "../definition/json.ts";
import { callOf } from "./stored-call.ts";
import { askerOfApproval } from "./asker.ts";
import { ASK_AGAIN_MS, findNamedInner } from "./approved-inner.ts";
import type { CallMeans } from "./call-tool.ts";
import { type DraftApproval, draftApproval, type KnownInner, type WantedCall } from "./draft-approval.ts";
import type { Occasion } from "./occasion.ts";
import { type Previewed, readPreviews, withLate } from "./preview.ts";

/** Why an approval makes way, and what the fresh one is made with. */
export interface Renewal {
  readonly approval: Approval;
  readonly because: string;
  /** Tools by id, as they are now. Null where there is to be no fresh one. */
  readonly tools: Readonly<Record<string, OpenedTool>> | null;
  /** Of mcp calls, by their place, where their servers were asked just now; else they are asked. */
  readonly known?: ReadonlyMap<number, KnownInner>;
  /** Where they were read just now; else they are read. */
  readonly previews?: readonly (StoredPreview | null)[];
  readonly accountId: string | null;
  readonly approvalDays: number;
  readonly occasion: Occasion;
  /** How other systems are asked what the fresh one shows; null where there is no need, by `needsLook`. */
  readonly ways: CallMeans | null;
  /** Log rows that belong to finding it out. */
  readonly events?: readonly LogEvent[];
}

/**
 * Supersedes what waits, with a fresh one where the same calls by the same caller still hold under the tools as they are
 * now. Returns the superseded approval, as whoever came first left it.
 *
 * The fresh one shows what there is now: what previews read, and what outside servers say of the tools that are called. A
 * server that does not answer says nothing: such a call is shown as one that may destroy, and makes way once more when it is
 * decided.
 */
export async function renew(means: Pick<CallMeans, "db" | "now">, renewal: Renewal): Promise<Approval> {
  const { approval, because, tools, occasion } = renewal;
  const fresh = tools === null ? null : await draftAgain(means, { ...renewal, tools });
  return await renewApproval(means.db, {
    workspaceId: approval.workspace_id,
    id: approval.id,
    because,
    fresh: fresh?.draft ?? null,
    at: means.now().toISOString(),
    events: [supersededEvent(approval, occasion), ...renewal.events ?? [], ...fresh?.events ?? []],
  });
}

/** Whether a fresh approval of these calls needs another system to be asked. */
export function needsLook(
  { calls }: Approval,
  tools: Readonly<Record<string, OpenedTool>>,
): boolean {
  return calls.some(({ connector_id }) => {
    const file = tools[connector_id]?.tool.file;
    return file?.kind === "mcp" || file?.preview !== undefined;
  });
}

async function draftAgain(
  means: Pick<CallMeans, "now">,
  renewal: Renewal & { readonly tools: Readonly<Record<string, OpenedTool>> },
): Promise<{ draft: DraftApproval | null; events: Previewed["events"] }> {
  const { approval, tools, approvalDays, occasion, ways } = renewal;
  const unknown: WantedCall[] = [];
  for (const stored of approval.calls) {
    const opened = tools[stored.connector_id];
    if (opened === undefined) return { draft: null, events: [] };
    unknown.push({ tool: opened.tool, call: callOf(stored, stored.args) });
  }
  const asker = askerOfApproval(approval, renewal.accountId);
  const draft = (wanted: readonly WantedCall[], previews: readonly (StoredPreview | null)[]) => {
    const now = means.now();
    const isChain = approval.calls.length > 1;
    const drafted = draftApproval(wanted, { asker, isChain, now, approvalDays, previews });
    return drafted.ok ? drafted.value : null;
  };
  // Nobody is asked for what cannot be drafted by its files alone.
  const byFiles = draft(unknown, []);
  if (byFiles === null || ways === null) return { draft: byFiles, events: [] };
  const known = renewal.known ?? await askAgain(ways, { ...renewal, wanted: unknown });
  if (known === null) return { draft: null, events: [] };
  const wanted = unknown.map((want, n) => ({ ...want, known: known.get(n) ?? null }));
  const read = renewal.previews === undefined
    ? await readPreviews(ways, { wanted: withLate(wanted, byFiles.calls), asker, occasion, lookups: null })
    : { previews: renewal.previews, events: [] };
  return { draft: draft(wanted, read.previews), events: read.events };
}

/** What outside servers say of the tools that are called, null where one does not take its call any more. */
async function askAgain(
  means: CallMeans,
  { approval, tools, wanted, occasion }: Pick<Renewal, "approval" | "occasion"> & {
    tools: Readonly<Record<string, OpenedTool>>;
    wanted: readonly WantedCall[];
  },
): Promise<ReadonlyMap<number, KnownInner> | null> {
  const known = new Map<number, KnownInner>();
  const untilMs = occasion.elapsedMs() + ASK_AGAIN_MS;
  for (const { n, connector_id, from_calls } of approval.calls) {
    const { tool, sealed } = tools[connector_id]!;
    const found = await findNamedInner(means, {
      workspaceId: approval.workspace_id,
      tool,
      sealed,
      call: wanted[n]!.call,
      occasion,
      untilMs,
      anew: false,
      checksArguments: from_calls.length === 0,
    });
    if (found.ok && found.value !== null) known.set(n, found.value);
    if (!found.ok && HOLDS_NO_MORE.has(found.refusal.reason)) return null;
  }
  return known;
}

const HOLDS_NO_MORE: ReadonlySet<string> = new Set(["tool_changed", "bad_arguments"]);

function supersededEvent({ requested_by, calls }: Approval, { requestId, elapsedMs }: Occasion): LogEvent {
  const [first] = calls;
  const detail: JsonObject = {};
  return {
    event: "approval.superseded",
    request_id: requestId,
    principal: requested_by as LogEvent["principal"],
    tool: first!.tool,
    connector_id: first!.connector_id,
    version: first!.version,
    operation: null,
    args: null,
    outcome: "approval_changed",
    detail,
    total_ms: elapsedMs(),
  };
}
