/** A tool leaves the workspace, and with it what only it held. */

import { supersedeOfTool } from "../approvals/store.ts";
import { type PrincipalHere, requireAdministratorSession } from "../auth/principal.ts";
import type { Transaction } from "../db/transaction.ts";
import { appendEvent } from "../log/store.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { deleteValuesOnlyUsedBy, forgetUnusedNames } from "../secrets/store.ts";
import { isOwnedBy } from "../tools/ownership.ts";
import { deleteTool } from "../tools/store.ts";
import type { Tool } from "../tools/tool.ts";
import { changeEvent, type Occasion } from "./occasion.ts";

/**
 * Removes `tool`. Its owner may, and an administrator's session may.
 *
 * An administrator's session takes along the stored values that only this tool used; removed by anyone else they stay,
 * sealed and bound to their host, so that nobody frees a name by removing a tool. What waits for the tool is superseded.
 */
export async function removeTool(
  tx: Transaction,
  { principal, tool, occasion }: { principal: PrincipalHere; tool: Tool; occasion: Occasion },
): Promise<Result<void>> {
  const administratorsSession = requireAdministratorSession(principal);
  if (!administratorsSession.ok && !isOwnedBy(tool.owner, principal)) {
    return refuse(administratorsSession.refusal.reason, {
      detail: `${tool.slug} was defined by someone else.`,
      hint: "Its owner can remove it, or an administrator signed in under Connections.",
    });
  }
  const place = { workspaceId: principal.workspace.id, connectorId: tool.id };
  if (administratorsSession.ok) await deleteValuesOnlyUsedBy(tx, place);
  const superseded = await supersedeOfTool(tx, place);
  await deleteTool(tx, { workspaceId: place.workspaceId, id: tool.id });
  await forgetUnusedNames(tx, place);
  await appendEvent(tx, {
    workspaceId: place.workspaceId,
    event: changeEvent("tool.removed", {
      principal,
      tool,
      occasion,
      ...(superseded === 0 ? {} : { detail: { superseded: String(superseded) } }),
    }),
  });
  return ok(undefined);
}
