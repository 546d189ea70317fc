/** The tools of a workspace as far as the caller sees them. */

import type { PrincipalHere } from "../auth/principal.ts";
import type { Transaction } from "../db/transaction.ts";
import { type ListedTools, listTools } from "../tools/store.ts";

/** Which tools of the list. */
export interface ToolsAsked {
  /** Held by the slug, the name or the description; null asks for all. */
  readonly query: string | null;
  /** The slug of the last one that was seen; null begins at the start. */
  readonly after: string | null;
  readonly limit: number;
}

/** Tools by slug as `listTools` finds them; to a reseller key only those its account defined. */
export function listToolsFor(
  tx: Transaction,
  { principal, ...asked }: ToolsAsked & { principal: PrincipalHere },
): Promise<ListedTools> {
  return listTools(tx, {
    ...asked,
    workspaceId: principal.workspace.id,
    ownerAccountId: principal.kind === "reseller_key" ? principal.account_id : null,
  });
}
