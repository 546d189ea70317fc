/** Moves data keys to the ring's first master key, so that an older one can be dropped. The values they seal stay as they are. */

import type { Database } from "../db/client.ts";
import { rewrapDataKey, SealBroken } from "./envelope.ts";
import type { KeyRing } from "./key-ring.ts";
import type { Result } from "../outcome/result.ts";
import { countDataKeys, listDataKeysNotUnder, replaceWrapping } from "./store.ts";

/** What a run came to. */
export interface Rewrapped {
  /** Data keys that this run moved. */
  readonly moved: number;
  /** Workspaces whose data key does not open: it was changed or moved, or its master key is another by the same id. */
  readonly broken: readonly string[];
  /** How many data keys each master key seals now; what is not listed can be dropped. */
  readonly left: readonly { readonly kid: string; readonly count: number }[];
}

/** Data keys that are read at once. */
const BATCH = 100;

/**
 * Re-wraps the data keys of one workspace, or with null of all, each in one guarded statement: calls go on meanwhile, and
 * a run that was broken off, or runs twice at once, does no harm.
 *
 * Refuses with the key ids that are in use and not in the ring; then nothing was moved. Takes the owner of the database.
 */
export async function rewrapDataKeys(
  db: Database,
  { ring, workspaceId, batch = BATCH }: { ring: KeyRing; workspaceId: string | null; batch?: number },
): Promise<Result<Rewrapped, readonly string[]>> {
  const missing = (await countDataKeys(db, { workspaceId })).filter(({ kid }) =>
    ring.find(kid) === undefined
  );
  if (missing.length > 0) return { ok: false, refusal: missing.map(({ kid }) => kid) };

  let moved = 0;
  const broken: string[] = [];
  let after: string | null = null;
  for (;;) {
    const found = await listDataKeysNotUnder(db, {
      kid: ring.encryptsWith,
      workspaceId,
      after,
      limit: batch,
    });
    for (const from of found) {
      const place = { ring, workspaceId: from.workspace_id };
      try {
        const { kid, sealed } = await rewrapDataKey({ kid: from.kid, sealed: from.wrapped }, place);
        if (await replaceWrapping(db, { from, to: { kid, wrapped: sealed } })) moved++;
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
        broken.push(from.workspace_id);
      }
    }
    if (found.length < batch) break;
    after = found.at(-1)!.id;
  }
  return { ok: true, value: { moved, broken, left: await countDataKeys(db, { workspaceId }) } };
}
