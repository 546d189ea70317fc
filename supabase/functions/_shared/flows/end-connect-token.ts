/** A person ends what they, or as an administrator what someone, let a program do; and so does leaving the workspace. */

import type { Queryable } from "../db/client.ts";
import { endGrant, endGrantsOf } from "../oauth/grant-store.ts";
import type { Change } from "./occasion.ts";

/** Ends a grant with every token that came of it; one that had ended stays as it is. Must run in a transaction. */
export async function endConnectToken(
  tx: Queryable,
  { id, ...change }: Change & { id: string },
): Promise<void> {
  await endGrant(tx, { id, because: "person", event: frameOf(change) });
}

/**
 * Ends all that the person let programs do on the workspace. Who is no member has no token that works; ended, none works
 * again if they become one anew. Must run in a transaction, in one with their removal.
 */
export async function endConnectTokensOf(
  tx: Queryable,
  { workspaceId, userId, ...change }: Change & { workspaceId: string; userId: string },
): Promise<void> {
  await endGrantsOf(tx, { workspaceId, userId, because: "member", event: frameOf(change) });
}

function frameOf({ actor, occasion }: Change) {
  return { request_id: occasion.requestId, total_ms: occasion.elapsedMs(), principal: { ...actor } };
}
