/** Whether what people saw beside an approval is so still, where its first call is not sent by the request that decided. */

import type { Approval } from "../approvals/approval.ts";
import type { OpenedTool } from "../approvals/store.ts";
import { closeCall } from "../calls/store.ts";
import { askerOfApproval } from "./asker.ts";
import type { CallMeans } from "./call-tool.ts";
import type { Occasion } from "./occasion.ts";
import { comparePreviews, readPreviews } from "./preview.ts";
import { callOf } from "./stored-call.ts";

/**
 * Reads the previews of `approval` once more, each with its log row. Returns what differs from what was shown, or cannot be
 * compared, in words; null where all of it is as it was.
 */
export async function findShownChange(
  means: CallMeans,
  { approval, tools, accountId, occasion }: {
    approval: Approval;
    tools: Readonly<Record<string, OpenedTool>>;
    accountId: string;
    occasion: Occasion;
  },
): Promise<string | null> {
  const { calls, workspace_id: workspaceId } = approval;
  // A tool that is gone is found by whoever claims the call.
  if (calls.every(({ preview }) => preview === null)) return null;
  if (calls.some(({ connector_id }) => tools[connector_id] === undefined)) return null;
  const { previews, events } = await readPreviews(means, {
    wanted: calls.map((call) => ({
      tool: tools[call.connector_id]!.tool,
      call: callOf(call, call.args),
      isLate: call.from_calls.length > 0,
    })),
    asker: askerOfApproval(approval, accountId),
    occasion,
    lookups: null,
  });
  for (const event of events) {
    const about = { ...event.detail as object, approval_id: approval.id };
    await closeCall(means.db, { workspaceId, event: { ...event, detail: about }, remains: null });
  }
  for (const { preview, n } of calls) {
    const now = previews[n] ?? null;
    if (preview === null || now === null) continue;
    const compared = comparePreviews(preview, now);
    if (compared.is === "different") return compared.says;
    if (compared.is === "unreadable") {
      return `What ${preview.tool} shows has to be compared right before sending, and cannot be read: ${compared.says}`;
    }
  }
  return null;
}
