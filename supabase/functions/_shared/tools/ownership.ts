/** Whose a tool is, and who sees it. Pure. */

import type { Principal } from "../auth/principal.ts";
import type { Owner } from "./tool.ts";

/** The owner is the person behind the call, or a key of the same kind and account where there is none. */
export function isOwnedBy(owner: Owner, caller: Principal): boolean {
  if (caller.user_id !== null) return owner.user_id === caller.user_id;
  return owner.user_id === null && owner.key_kind === "reseller" && owner.account_id === caller.account_id;
}

/** Who reaches the workspace sees its tools; a reseller key sees what its own account's keys defined, and no more. */
export function isVisibleTo(owner: Owner, caller: Principal): boolean {
  return caller.kind !== "reseller_key" || isOwnedBy(owner, caller);
}
