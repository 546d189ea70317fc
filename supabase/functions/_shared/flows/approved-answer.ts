/** What an approved call answered, as it is kept on the call: open, or of a sensitive tool sealed and for a day. */

import { Buffer } from "node:buffer";
import type { Approval } from "../approvals/approval.ts";
import type { Ended } from "../approvals/store.ts";
import { inTransaction } from "../db/transaction.ts";
import type { JsonValue } from "../definition/json.ts";
import type { Reason } from "../outcome/reason.ts";
import { ok } from "../outcome/result.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { openSealed, sealForWorkspace, sealWith } from "../secrets/vault.ts";
import type { Claimed } from "./approved-chain.ts";
import type { CallMeans } from "./call-tool.ts";
import type { Occasion } from "./occasion.ts";
import { reportBroken } from "./report-broken.ts";

/** How long the answer of a sensitive call is kept, in milliseconds. */
const SEALED_FOR_MS = 24 * 60 * 60 * 1_000;

/**
 * What is recorded of the answer `json` of the claimed call. Of a sensitive tool only its seal is; where it cannot be sealed,
 * nothing of it is kept, in words: better no answer than an open one, and a call that was taken stays one.
 */
export async function keepAnswer(
  means: CallMeans,
  { claimed, json, endedAt, occasion }: {
    claimed: Claimed;
    json: string | null;
    endedAt: Date;
    occasion: Occasion;
  },
): Promise<{ ended: Partial<Ended>; resultJson: string | null }> {
  if (json === null) return { ended: {}, resultJson: null };
  const { approval, n, opened: { tool } } = claimed;
  if (tool.file.access !== "sensitive") {
    return { ended: { result_id: crypto.randomUUID() }, resultJson: json };
  }
  const { keyRing } = means;
  if (keyRing === null) {
    return unkept("store_unavailable", "This stack has no master key to seal its answer with");
  }
  try {
    const { sealed, dataKeyId } = await sealAnswer(means, { claimed, keyRing, json });
    return {
      ended: {
        result_id: crypto.randomUUID(),
        sealed,
        data_key_id: dataKeyId,
        gone_at: new Date(endedAt.getTime() + SEALED_FOR_MS).toISOString(),
      },
      resultJson: null,
    };
  } catch (error) {
    const reason = reportBroken(error, { requestId: occasion.requestId, approvalId: approval.id, n });
    return unkept(reason, "Its answer could not be sealed here");
  }
}

function unkept(reason: Reason, why: string): { ended: Partial<Ended>; resultJson: null } {
  const detail = `The call was taken. ${why}, so nothing of it is kept: look in the other system.`;
  return { ended: { reason, detail }, resultJson: null };
}

async function sealAnswer(
  means: CallMeans,
  { claimed: { approval, n, opened: { data_key: dataKey } }, keyRing, json }: {
    claimed: Claimed;
    keyRing: KeyRing;
    json: string;
  },
): Promise<{ sealed: string; dataKeyId: string }> {
  const place = {
    keyRing,
    workspaceId: approval.workspace_id,
    name: placeOfResult(approval.id, n),
    value: json,
  };
  if (dataKey === null) return await sealUnderNewKey(means, place);
  return { sealed: await sealWith(dataKey, place), dataKeyId: dataKey.data_key_id };
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
