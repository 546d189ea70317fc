/** What the rules of a file say of a call before the values of earlier calls are there. Pure. */

import type { FramedTool } from "../definition/format.ts";
import type { Path } from "../definition/problem.ts";
import type { JsonObject } from "../definition/json.ts";
import { matchRules } from "../gate/rules.ts";
import type { LateValues } from "./chain.ts";

/** The rules of a file as they bear on a call with late values. */
export interface LateRules {
  /** The file with the rules that no late value bears on: they find what they will find when the call is sent. */
  readonly settled: FramedTool;
  /** What is said by those that match, and by those that may, of all that want an administrator; in the file's order. */
  readonly admin: readonly string[];
}

/**
 * Tells the rules that can be held against `args` now from those about a late value, one that a late value lies in included.
 * Of these, what wants an administrator counts as matching, whatever its op: better one is asked for nothing than a chain
 * stops half-way for want of one. What denies is left to the sending.
 */
export function lateRules(file: FramedTool, args: JsonObject, { places, root }: LateValues): LateRules {
  const rules = file.rules ?? [];
  const isLate = ({ path }: { path: string }) =>
    places.some(({ at }) => meet(path.split("."), at.slice(root.length)));
  const matches = (rule: (typeof rules)[number]) =>
    isLate(rule) || matchRules({ ...file, rules: [rule] }, args).admin.length > 0;
  return {
    settled: { ...file, rules: rules.filter((rule) => !isLate(rule)) },
    admin: rules.filter((rule) => rule.then === "admin" && matches(rule)).map(({ say }) => say),
  };
}

/** Whether a rule's path may lead to the place, past it, or to what holds it. A name on a list means any of its elements. */
function meet(keys: readonly string[], at: Path): boolean {
  let next = 0;
  for (const step of at) {
    const key = keys[next];
    if (key === undefined) return true;
    if (typeof step === "number" && !/^\d+$/.test(key)) continue;
    if (typeof step === "number" ? step !== Number(key) : step !== key) return false;
    next++;
  }
  return true;
}
