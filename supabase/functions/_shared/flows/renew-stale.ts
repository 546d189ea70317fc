/** What waits for a tool as it was makes way for a fresh look at the tool as it is. */

import { listStale } from "../approvals/due-store.ts";
import { type ApprovalPlace, openAbandoned } from "../approvals/store.ts";
import { isStoreUnavailable } from "../db/client.ts";
import { NO_WORK, type Share, type Work } from "../outcome/work.ts";
import { settingsOf } from "../workspaces/settings.ts";
import type { CallMeans } from "./call-tool.ts";
import type { Occasion } from "./occasion.ts";
import { needsLook, renew } from "./renew-approval.ts";

/** Approvals that are renewed with the definition that made them stale; the tick does the rest. */
const MAX_AT_ONCE = 50;
/** Approvals of one tick. */
const MAX_OF_TICK = 500;

type RenewMeans = Pick<CallMeans, "db" | "now">;

/**
 * Renews what waits for the tool that was just defined anew. What does not fit here is the tick's, and a decision's: so is
 * all of which another system is to be asked, for which who defines a tool does not wait.
 */
export async function renewOfTool(
  means: RenewMeans,
  { workspaceId, connectorId, occasion }: { workspaceId: string; connectorId: string; occasion: Occasion },
): Promise<void> {
  const stale = await listStale(means.db, { workspaceId, connectorId, limit: MAX_AT_ONCE });
  for (const place of stale) await renewOne(means, { place, occasion, ways: null });
}

/** Renews what waits for any tool under a version that is not its present one. Safe to run twice at once. */
export async function renewStale(
  means: CallMeans,
  { hasTime, report }: Share,
): Promise<Work> {
  const stale = await listStale(means.db, { workspaceId: null, connectorId: null, limit: MAX_OF_TICK });
  const work = { ...NO_WORK, claimed: stale.length, more: stale.length === MAX_OF_TICK };
  for (const place of stale) {
    if (!hasTime()) return { ...work, more: true };
    try {
      await renewOne(means, { place, occasion: occasionOfTick(place.id), ways: means });
      work.done++;
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      work.failed++;
      report(error, { approval_id: place.id });
    }
  }
  return work;
}

async function renewOne(
  means: RenewMeans,
  { place, occasion, ways }: { place: ApprovalPlace; occasion: Occasion; ways: CallMeans | null },
): Promise<void> {
  const opened = await openAbandoned(means.db, place);
  if (opened === null || opened.approval.status !== "awaiting_approval") return;
  const { approval, tools, requester_stands: stands } = opened;
  const changed = approval.calls.find(({ connector_id, version }) =>
    tools[connector_id]?.tool.version !== version
  );
  if (changed === undefined || (stands && ways === null && needsLook(approval, tools))) return;
  await renew(means, {
    approval,
    because: tools[changed.connector_id] === undefined
      ? `${changed.tool} was removed.`
      : `${changed.tool} was defined anew since this was asked.`,
    tools: stands ? tools : null,
    accountId: opened.account_id,
    approvalDays: settingsOf(opened.settings).approval_days,
    occasion,
    ways,
  });
}

/** For what the tick does of itself: named after what it is about. */
export function occasionOfTick(approvalId: string): Occasion {
  const startedMs = performance.now();
  return { requestId: `approval_${approvalId}`, elapsedMs: () => Math.round(performance.now() - startedMs) };
}
