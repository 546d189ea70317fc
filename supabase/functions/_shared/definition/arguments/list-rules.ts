/** The keywords about lists. Pure. */

import { canonicalJson } from "../canonical-json.ts";
import type { JsonValue } from "../json.ts";
import { holdsLate } from "./late.ts";
import { type KeywordRules, numberOf, type Rule, type Subject } from "./rule.ts";
import { memberPlace } from "./run.ts";
import { count, wantedCount } from "../words.ts";

export const LIST_RULES: KeywordRules<JsonValue[]> = [
  [["minItems", "maxItems"], checkItemCount],
  [["prefixItems", "items"], checkItems],
  [["contains"], checkContains],
  [["uniqueItems"], checkUnique],
];

function checkItemCount(list: JsonValue[], subject: Subject): boolean {
  const { place, run } = subject;
  const least = numberOf(subject, "minItems", 0);
  const most = numberOf(subject, "maxItems", Infinity);
  if (list.length < least) {
    return run.say(
      place,
      () => `found ${count(list.length, "item")}; ${wantedCount("at least", least, "item")}`,
    );
  }
  if (list.length > most) {
    return run.say(
      place,
      () => `found ${count(list.length, "item")}; ${wantedCount("at most", most, "item")}`,
    );
  }
  return true;
}

function checkItems(list: JsonValue[], { node, place, run, seen, evaluate }: Subject): boolean {
  const first = node.many.get("prefixItems") ?? [];
  const rest = node.one.get("items");
  const end = rest === undefined ? Math.min(first.length, list.length) : list.length;
  let valid = true;
  for (let index = 0; index < end; index++) {
    const item = first[index] ?? rest!;
    if (item.never) {
      const before = index === 0 ? "stays empty" : `ends after ${count(index, "item")}`;
      return run.say(memberPlace(place, index), `is one item too many; the list ${before}`);
    }
    valid = evaluate(item, list[index]!, { place: memberPlace(place, index), run, seen: null }) && valid;
    if (!valid && (run.silent || run.over)) return false;
    seen?.indexes.add(index);
  }
  return valid;
}

function checkContains(list: JsonValue[], subject: Subject): boolean {
  const { node, place, run, seen, evaluate } = subject;
  const wanted = node.one.get("contains")!;
  const least = numberOf(subject, "minContains", 1);
  const most = numberOf(subject, "maxContains", Infinity);
  let found = 0;
  // Those that may fit count for the least, those that surely do for the most; they differ by what comes later.
  let turned = 0;
  for (const [index, item] of list.entries()) {
    const at = { place: memberPlace(place, index), run, seen: null };
    const { doubts } = run;
    const fits = () => run.quietly(() => evaluate(wanted, item, at));
    const fitting = fits();
    if (fitting) {
      found++;
      seen?.indexes.add(index);
    }
    if (run.doubts === doubts ? fitting : run.turned(fits)) turned++;
    if (run.over) return false;
  }
  if (found >= least && turned <= most) return true;
  return run.say(place, () => {
    const wanted = found < least
      ? wantedCount("at least", least, "item")
      : wantedCount("at most", most, "item");
    return `found ${found} of the kind its schema names (contains); ${wanted}`;
  });
}

/** By canonical form, so that a list costs what its text costs, whatever it holds. */
function checkUnique(list: JsonValue[], { node, place, run }: Subject): boolean {
  if (node.schema.uniqueItems !== true) return true;
  const firsts = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const form = canonicalJson(item);
    if (!run.spend(1 + (form.length >> 3))) return false;
    if (holdsLate(item)) {
      if (run.inDoubt()) continue;
      return false;
    }
    const first = firsts.get(form);
    if (first !== undefined) {
      return run.say(
        memberPlace(place, index),
        () => `repeats item [${first}]; every item has to be another`,
      );
    }
    firsts.set(form, index);
  }
  return true;
}

/** Runs last, when all other keywords have noted what they had a say about. */
export const UNEVALUATED_ITEMS: Rule<JsonValue[]> = (list, { node, place, run, seen, evaluate }) => {
  const rest = node.one.get("unevaluatedItems")!;
  let valid = true;
  for (const [index, item] of list.entries()) {
    if (!run.spend(1)) return false;
    if (seen!.indexes.has(index)) continue;
    const at = memberPlace(place, index);
    valid = (rest.never
      ? run.say(at, "is an item that no part of the schema allows")
      : evaluate(rest, item, { place: at, run, seen: null })) && valid;
    if (!valid && (run.silent || run.over)) {
      return false;
    }
    seen!.indexes.add(index);
  }
  return valid;
};
