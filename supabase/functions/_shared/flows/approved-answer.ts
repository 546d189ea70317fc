/** What an approved call answered, as it is kept on the call: open, or of a sensitive tool sealed and for a day. */

import { Buffer } from "node:buffer";
import type { Approval } from "../approvals/approval.ts";
import type { Ended } from "../approvals/store.ts";
import { inTransaction } from "../db/transaction.ts";
import type { JsonValue } from "../definition/json.ts";
import { ok } from "../outcome/result.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { openSealed, sealForWorkspace, sealWith } from "../secrets/vault.ts";
import type { Claimed } from "./approved-chain.ts";
import type { CallMeans } from "./call-tool.ts";

/** How long the answer of a sensitive call is kept, in milliseconds. */
const SEALED_FOR_MS = 24 * 60 * 60 * 1_000;

/**
 * What is recorded of the answer `json` of the claimed call. Of a sensitive tool only its seal is; where the stack has no
 * master key, nothing of it is kept: better no answer than an open one.
 */
export async function keepAnswer(
  means: CallMeans,
  { claimed: { approval, n, opened: { tool, data_key } }, json, endedAt }: {
    claimed: Claimed;
    json: string | null;
    endedAt: Date;
  },
): Promise<{ ended: Partial<Ended>; resultJson: string | null }> {
  if (json === null) return { ended: {}, resultJson: null };
  const resultId = crypto.randomUUID();
  if (tool.file.access !== "sensitive") return { ended: { result_id: resultId }, resultJson: json };
  const { keyRing } = means;
  if (keyRing === null) return { ended: {}, resultJson: null };
  const place = {
    keyRing,
    workspaceId: approval.workspace_id,
    name: placeOfResult(approval.id, n),
    value: json,
  };
  const { sealed, dataKeyId } = data_key === null
    ? await sealUnderNewKey(means, place)
    : { sealed: await sealWith(data_key, place), dataKeyId: data_key.data_key_id };
  return {
    ended: {
      result_id: resultId,
      sealed,
      data_key_id: dataKeyId,
      gone_at: new Date(endedAt.getTime() + SEALED_FOR_MS).toISOString(),
    },
    resultJson: null,
  };
}

/** A workspace without any secret has no key yet. */
async function sealUnderNewKey(
  { db }: CallMeans,
  place: { keyRing: KeyRing; workspaceId: string; name: string; value: string },
): Promise<{ sealed: string; dataKeyId: string }> {
  const sealed = await inTransaction(db, {
    opening: (sql) => sql`set_config('framed.workspace_id', ${place.workspaceId}, true)`,
    work: async (tx) => ok(await sealForWorkspace(tx, place)),
  });
  if (!sealed.ok) throw new Error("A seal is refused");
  return { sealed: Buffer.from(sealed.value.sealed).toString("hex"), dataKeyId: sealed.value.dataKeyId };
}

/** What call `n` answered, as it is kept on it; null where nothing is, or it cannot be opened here. */
export async function openAnswer(
  { keyRing }: { keyRing: KeyRing | null },
  { approval, n }: { approval: Approval; n: number },
): Promise<JsonValue | null> {
  const { result, sealed_result: sealed } = approval.calls[n]!;
  if (sealed === null || keyRing === null) return result;
  const place = { keyRing, workspaceId: approval.workspace_id, name: placeOfResult(approval.id, n) };
  return JSON.parse(await openSealed(sealed, place)) as JsonValue;
}

/** Binds a sealed answer to its call. No secret's name looks like it. */
function placeOfResult(approvalId: string, n: number): string {
  return `approval ${approvalId}.${n}`;
}
