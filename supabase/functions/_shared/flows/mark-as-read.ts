/** An administrator has looked at a request by POST and says that it only reads; or takes that back. */

import type { PrincipalHere } from "../auth/principal.ts";
import type { Transaction } from "../db/transaction.ts";
import { operationsOf, requestOf } from "../definition/call-request.ts";
import { appendEvent } from "../log/store.ts";
import { NOT_FOUND, ok, refuse, type Result } from "../outcome/result.ts";
import { findTool, lockTools, markRunsAsRead } from "../tools/store.ts";
import type { Tool } from "../tools/tool.ts";
import { changeEvent, type Occasion } from "./occasion.ts";

/** What an administrator says of a tool. */
export interface Mark {
  readonly principal: PrincipalHere;
  readonly slug: string;
  readonly value: boolean;
  /** The version the administrator saw; null where they name none. */
  readonly version: number | null;
  readonly occasion: Occasion;
}

/**
 * Marks this very definition as one that runs as a read, or takes the mark away; any change of the request clears it. Refuses
 * `not_found`, `tool_changed` for another version than was seen, and `bad_request` for a tool the mark means nothing for: only
 * a read that is sent by POST waits for it.
 */
export async function markAsRead(tx: Transaction, mark: Mark): Promise<Result<Tool>> {
  const { principal, slug, value, version, occasion } = mark;
  const place = { workspaceId: principal.workspace.id, slug };
  await lockTools(tx, place);
  const tool = await findTool(tx, place);
  if (tool === null) return { ok: false, refusal: NOT_FOUND };
  if (version !== null && version !== tool.version) {
    return refuse("tool_changed", {
      detail: `${slug} is at version ${tool.version}; version ${version} is what you saw.`,
      hint: "Look at the tool again before you say what it does.",
    });
  }
  if (value && !readsByPost(tool)) {
    return refuse("bad_request", {
      detail: `${slug} has no read that is sent by POST, so there is nothing to mark.`,
      problems: ["value: true is for a read by POST only"],
    });
  }
  if (tool.runs_as_read === value) return ok(tool);
  await markRunsAsRead(tx, { workspaceId: place.workspaceId, id: tool.id, value });
  await appendEvent(tx, {
    workspaceId: place.workspaceId,
    event: changeEvent("tool.runs_as_read", { principal, tool, occasion, detail: { value: String(value) } }),
  });
  return ok({ ...tool, runs_as_read: value });
}

function readsByPost({ file }: Tool): boolean {
  if (file.kind !== "request" || file.access !== "read") return false;
  return operationsOf(file).some((call) => requestOf(file, call).method === "POST");
}
