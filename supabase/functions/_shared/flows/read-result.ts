/** A page of a stored result: for who sees the tool it is of, and of an approved call for who asked and who decides. */

import { findApprovalOfResult } from "../approvals/store.ts";
import type { PrincipalHere } from "../auth/principal.ts";
import type { Transaction } from "../db/transaction.ts";
import type { JsonValue } from "../definition/json.ts";
import { NOT_FOUND, ok, type Result } from "../outcome/result.ts";
import type { ResultPlace } from "../results/handle.ts";
import { type Page, type PageAsked, readPage } from "../results/pages.ts";
import { findResult } from "../results/store.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { isVisibleTo } from "../tools/ownership.ts";
import { openAnswer } from "./approved-answer.ts";
import { mayReadAnswer } from "./show-approval.ts";

/** The page, and when the result was read. What is gone, hidden or elsewhere is `not_found`, and so is a path with nothing there. */
export async function readResult(
  tx: Transaction,
  { principal, place, asked, keyRing }: {
    principal: PrincipalHere;
    place: ResultPlace | null;
    asked: PageAsked;
    keyRing: KeyRing | null;
  },
): Promise<Result<Page & { readonly read_at: string }>> {
  const found = place === null ? null : await findStored(tx, { principal, place, keyRing });
  if (found === null) return { ok: false, refusal: NOT_FOUND };
  const page = readPage(found.result, asked);
  return page === null ? { ok: false, refusal: NOT_FOUND } : ok({ ...page, read_at: found.read_at });
}

async function findStored(
  tx: Transaction,
  { principal, place, keyRing }: { principal: PrincipalHere; place: ResultPlace; keyRing: KeyRing | null },
): Promise<{ result: JsonValue; read_at: string } | null> {
  const stored = await findResult(tx, place);
  if (stored !== null) return isVisibleTo(stored.tool.owner, principal) ? stored : null;
  const approved = await findApprovalOfResult(tx, place);
  if (approved === null) return null;
  const { approval, n } = approved;
  const call = approval.calls[n]!;
  if (!mayReadAnswer(principal, { approval, call })) return null;
  return { result: await openAnswer({ keyRing }, { approval, n }), read_at: call.ended_at! };
}
