/** Takes requests beside calls from the buckets, and forgets those that have long drained. Calls are taken where they are opened. */

import type { Presented } from "../auth/principal.ts";
import { type Database, onlyRow, untilSent } from "../db/client.ts";
import { NO_WORK, type Work } from "../outcome/work.ts";
import { type LimitedBy, type Limits, limitsJson } from "./limits.ts";

/** Whose limit a request is over, and for how long; null where it may go on, or where nobody is behind it. */
export async function admitRequest(
  db: Database,
  { presented, workspaceId, limits }: { presented: Presented; workspaceId: string | null; limits: Limits },
): Promise<{ limitedBy: LimitedBy; waitSeconds: number } | null> {
  const rows = await untilSent(() =>
    db<{ limited: { limited_by: LimitedBy; wait: number } | null }[]>`
    select framed.admit_request(${JSON.stringify(presented)}::text::jsonb, ${workspaceId}::uuid,
      ${limitsJson(limits)}::text::jsonb) as limited`
  );
  const { limited } = onlyRow(rows);
  return limited === null ? null : { limitedBy: limited.limited_by, waitSeconds: limited.wait };
}

/**
 * Forgets buckets that drained an hour ago: an empty one and none are the same. By the database's clock, as they are
 * filled. Nobody waits for it, so it counts as no work. Safe to run twice at once.
 */
export async function forgetDrained(db: Database): Promise<Work> {
  await db`delete from framed.call_rates where drained_at < now() - interval '1 hour'`;
  return NO_WORK;
}
