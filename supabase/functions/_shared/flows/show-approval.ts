/** Approvals as their callers see them: one by its id, and those of a workspace. */

import type { Approval, ApprovalCall } from "../approvals/approval.ts";
import type { ApprovalStatus } from "../approvals/state.ts";
import { listApprovals, openApproval } from "../approvals/store.ts";
import { approvalView, type ShownResult, type Viewer } from "../approvals/view.ts";
import { type Presented, type PrincipalHere, requireConnectorGrant } from "../auth/principal.ts";
import type { Transaction } from "../db/transaction.ts";
import type { JsonObject } from "../definition/json.ts";
import { limitRefusal, type Limits } from "../limits/limits.ts";
import { NOT_FOUND, ok, type Result } from "../outcome/result.ts";
import { EXAMPLE_NOTE } from "../results/answer.ts";
import { clipLeaving } from "../results/clip.ts";
import { writeHandle } from "../results/handle.ts";
import { leavingFrom } from "../results/leaving.ts";
import { openAnswer } from "./approved-answer.ts";
import type { CallMeans } from "./call-tool.ts";
import { reviewUrlOf } from "./propose.ts";
import { whyNotApprovedBy } from "./right-to-decide.ts";

/** What approvals are shown with. */
export interface ShowMeans extends Pick<CallMeans, "db" | "keyRing"> {
  readonly consoleUrl: string;
  readonly limits: Limits;
}

/** How a caller reached us beside who they are. */
export interface Surface {
  /** Over MCP everybody is told what a host is told, by whatever key. */
  readonly isHost: boolean;
}

/**
 * The approval with this id, for who may see it: of a key with no person behind it what it asked for itself. Null where
 * nobody stands behind what was presented. One that is out of reach, hidden or not there answers `not_found` alike.
 */
export async function showApproval(
  means: ShowMeans,
  { presented, id, isHost }: Surface & { presented: Presented; id: string | null },
): Promise<Result<JsonObject> | null> {
  const { principal, limited_by: limitedBy, wait, approval } = await openApproval(means.db, {
    presented,
    id,
    limits: means.limits,
  });
  if (principal === null) return null;
  if (limitedBy !== undefined) return limitRefusal(means.limits, { limitedBy, waitSeconds: wait! });
  const { workspace } = principal;
  if (workspace === null || approval === undefined) return { ok: false, refusal: NOT_FOUND };
  const here = { ...principal, workspace };
  if (!isSeenBy(here, approval)) return { ok: false, refusal: NOT_FOUND };
  return ok(await viewApproval(means, { principal: here, approval, isHost }));
}

/** The approvals of a workspace that `principal` sees, newest first; one more than `limit` says that there are more. */
export async function listApprovalsFor(
  tx: Transaction,
  { principal, status, after, limit }: {
    principal: PrincipalHere;
    status: ApprovalStatus | null;
    after: string | null;
    limit: number;
  },
): Promise<Approval[]> {
  const { kind, id, workspace } = principal;
  const requestedBy = kind === "reseller_key" ? { kind, id } : null;
  return await listApprovals(tx, {
    workspaceId: workspace.id,
    filter: { status, requestedBy },
    after,
    limit,
  });
}

/** The approval object as `principal` sees it. */
export async function viewApproval(
  means: Pick<ShowMeans, "keyRing" | "consoleUrl">,
  { principal, approval, isHost, isListed = false }: Surface & {
    principal: PrincipalHere;
    approval: Approval;
    /** One of many: without what a person has to see before they decide, and without what was answered. */
    isListed?: boolean;
  },
): Promise<JsonObject> {
  const results = await showResults(means, { principal, approval });
  const viewer: Viewer = {
    seesArguments: requireConnectorGrant(principal).ok,
    isHost: isHost || principal.kind === "connect_token",
    withCard: !isListed && principal.kind === "session",
    ...(principal.kind === "session" && !isHost
      ? { approveRefused: whyNotApprovedBy(principal, approval) }
      : {}),
    reviewUrl: reviewUrlOf(means.consoleUrl),
    resultOf: ({ n }) => results.get(n),
  };
  return approvalView(approval, viewer);
}

function isSeenBy({ kind, id }: PrincipalHere, { requested_by }: Approval): boolean {
  return kind !== "reseller_key" || (requested_by.kind === kind && requested_by.id === id);
}

/**
 * Whether `principal` may read what a call answered: who asked may, the person behind included, and people who decide here;
 * a sensitive answer only who asked and administrators' own sessions. Of what is not there nobody may.
 */
export function mayReadAnswer(
  principal: PrincipalHere,
  { approval, call }: { approval: Approval; call: ApprovalCall },
): boolean {
  if (!hasAnswer(call) || !requireConnectorGrant(principal).ok) return false;
  const { requested_by: by, requester_user_id: userId } = approval;
  if (by.kind === principal.kind && by.id === principal.id) return true;
  if (call.sealed_result !== null) {
    return principal.kind === "session" && principal.workspace.role === "admin";
  }
  return (userId !== null && userId === principal.user_id) || principal.kind === "session";
}

async function showResults(
  means: Pick<ShowMeans, "keyRing">,
  { principal, approval }: { principal: PrincipalHere; approval: Approval },
): Promise<Map<number, ShownResult>> {
  const shown = new Map<number, ShownResult>();
  for (const call of approval.calls) {
    if (!mayReadAnswer(principal, { approval, call })) continue;
    const result = await openAnswer(means, { approval, n: call.n });
    const clipped = clipLeaving(leavingFrom(result));
    const handle = writeHandle({ workspaceId: approval.workspace_id, id: call.result_id! });
    shown.set(call.n, {
      ...clipped,
      ...(clipped.truncated ? { result_handle: handle } : {}),
      // Only a fixture has no host.
      ...(call.host === null
        ? { answers_with: "configured example", note: EXAMPLE_NOTE }
        : { answers_with: "live system" }),
    });
  }
  return shown;
}

/** A JSON null is an answer as well. */
function hasAnswer({ result_id, sealed_result, access }: ApprovalCall): boolean {
  return result_id !== null && (sealed_result !== null || access !== "sensitive");
}
