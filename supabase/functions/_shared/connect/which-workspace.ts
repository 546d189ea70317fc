/** The workspace a request is about, where it names none: the only one within reach. */

import type { Presented } from "../auth/principal.ts";
import { inTransactionOf } from "../auth/store.ts";
import { UNAUTHENTICATED } from "../http/presented.ts";
import type { Services } from "../http/services.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { listReachedWorkspaces } from "../workspaces/store.ts";

/** Keys and tokens remembered with their workspace, some 150 bytes each. The oldest is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** Finds the only workspace that what was presented reaches. */
export type FindOnlyWorkspace = (presented: Presented) => Promise<Result<string | null>>;

/**
 * Null where none is within reach; refuses `bad_request` where there are several to name one of.
 *
 * What a raw key or a Connect token reaches never changes, so that it is remembered; whether it still may is asked of the
 * store at every request all the same.
 */
export function createWorkspaceFinder({ db }: Pick<Services, "db">): FindOnlyWorkspace {
  const remembered = new Map<string, string>();
  return async (presented) => {
    const key = "key_hash" in presented
      ? `key ${presented.key_hash}`
      : "token_hash" in presented
      ? `token ${presented.token_hash}`
      : null;
    const known = key === null ? undefined : remembered.get(key);
    if (known !== undefined) return ok(known);
    const found = await inTransactionOf(db, {
      presented,
      workspaceId: null,
      async work(tx, principal) {
        if (principal === null) return UNAUTHENTICATED;
        const rows = await listReachedWorkspaces(tx, { principal, limit: 2, after: null });
        if (rows.length > 1) return SEVERAL;
        const isBound = principal.kind === "raw_key" || principal.kind === "connect_token";
        return ok({ id: rows[0]?.id ?? null, isBound });
      },
    });
    if (!found.ok) return found;
    const { id, isBound } = found.value;
    if (key !== null && id !== null && isBound) {
      remembered.set(key, id);
      for (const oldest of remembered.keys()) {
        if (remembered.size <= MAX_REMEMBERED) break;
        remembered.delete(oldest);
      }
    }
    return ok(id);
  };
}

const SEVERAL = refuse("bad_request", {
  detail: "Several workspaces are within reach, and the call names none.",
  hint: 'Send workspace_id: framed_list of "workspaces" has their ids.',
  problems: ["workspace_id: missing; a UUID is wanted"],
});
