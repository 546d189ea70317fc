/** Whether a check's answer says that what is followed up is done. Pure. */

import { holds } from "../definition/condition.ts";
import type { Condition, FollowUp } from "../definition/format-after.ts";
import type { JsonValue } from "../definition/json.ts";

/** When a follow-up is done, its values filled in: `all` or `any`, one of the two. */
export type DoneWhen = FollowUp["done_when"];

/** Whether all, or any, of the conditions hold for what leaves of a check's answer. No condition at all never holds. */
export function isDone({ all, any }: DoneWhen, answer: JsonValue): boolean {
  const holdsHere = (condition: Condition) => holds(condition, answer);
  if (all !== undefined) return all.length > 0 && all.every(holdsHere);
  return any !== undefined && any.some(holdsHere);
}
