/** The keywords that join subschemas about the very same value. Pure. */

import type { JsonValue } from "../json.ts";
import type { SchemaNode } from "./node.ts";
import type { KeywordRules, Subject } from "./rule.ts";
import { keysOf, Seen } from "./run.ts";
import { listed, nameOf } from "../words.ts";

export const COMBINING_RULES: KeywordRules = [
  [["$ref"], checkReference],
  [["allOf"], checkAllOf],
  [["anyOf"], checkAnyOf],
  [["oneOf"], checkOneOf],
  [["not"], checkNot],
  [["if"], checkIf],
];

function checkReference(value: JsonValue, { node, place, run, seen, evaluate }: Subject): boolean {
  return evaluate(node.target!, value, { place, run, seen });
}

function checkAllOf(value: JsonValue, { node, place, run, seen, evaluate }: Subject): boolean {
  let valid = true;
  for (const each of node.many.get("allOf")!) {
    valid = evaluate(each, value, { place, run, seen }) && valid;
    if (!valid && (run.silent || run.over)) return false;
  }
  return valid;
}

function checkAnyOf(value: JsonValue, subject: Subject): boolean {
  const { node, place, run, seen } = subject;
  const branches = node.many.get("anyOf")!;
  let valid = false;
  for (const branch of branches) {
    if (takes(branch, value, subject)) valid = true;
    if (run.over) return false;
    // Every branch that takes the value counts for what was seen; without anyone asking, one is enough.
    if (valid && seen === null) return true;
  }
  return valid || run.say(place, () => fitsNone(branches, value, subject));
}

function checkOneOf(value: JsonValue, subject: Subject): boolean {
  const { node, place, run } = subject;
  const branches = node.many.get("oneOf")!;
  // One has to fit, and no two: of what comes later one that may, and no two that surely do.
  let fitsOne = false;
  const fitting: number[] = [];
  for (const [index, branch] of branches.entries()) {
    const { doubts } = run;
    const fits = takes(branch, value, subject);
    if (fits) fitsOne = true;
    if (run.doubts === doubts ? fits : takesTurned(branch, value, subject)) fitting.push(index + 1);
    if (run.over) return false;
    if (fitting.length > 1 && run.silent) return false;
  }
  if (fitsOne && fitting.length <= 1) return true;
  return run.say(
    place,
    () =>
      !fitsOne ? fitsNone(branches, value, subject) : `fits ${fitting.length} of the ${branches.length} ` +
        `forms it may take and has to fit just one (forms ${listed(fitting, String)})`,
  );
}

/** Whether `branch` takes the value; what it has seen counts only when it does. */
function takes(branch: SchemaNode, value: JsonValue, { place, run, seen, evaluate }: Subject): boolean {
  const own = seen === null ? null : new Seen();
  const taken = run.quietly(() => evaluate(branch, value, { place, run, seen: own }));
  if (taken && seen !== null && own !== null) run.spend(seen.add(own));
  return taken;
}

/** {@link takes}, asked the other way of what comes later; nothing is noted as seen. */
function takesTurned(branch: SchemaNode, value: JsonValue, subject: Subject): boolean {
  return subject.run.turned(() => takes(branch, value, { ...subject, seen: null }));
}

/** Names the form that comes nearest, the one with the fewest things wrong and not just another type. */
function fitsNone(
  branches: readonly SchemaNode[],
  value: JsonValue,
  { place, run, evaluate }: Subject,
): string {
  let nearestForm = "";
  let least = Infinity;
  for (const [index, branch] of branches.entries()) {
    const found = run.apart(() => evaluate(branch, value, { place, run, seen: null }));
    const [first] = found;
    if (first === undefined || run.over) break;
    const inside = keysOf(first.place).slice(keysOf(place).length);
    const distance = found.length + (inside.length === 0 ? 1_000 : 0);
    if (distance >= least) continue;
    least = distance;
    const where = inside.map((key) => typeof key === "number" ? `[${key}]` : nameOf(key)).join(".");
    nearestForm = `; for form ${index + 1} it ${where === "" ? "" : `has ${where}, which `}${first.says}`;
  }
  if (branches.length === 1) return `does not fit the form it has to take${nearestForm}`;
  return `fits none of the ${branches.length} forms it may take${nearestForm}`;
}

function checkNot(value: JsonValue, { node, place, run, evaluate }: Subject): boolean {
  const refused = node.one.get("not")!;
  const takesRefused = () => evaluate(refused, value, { place, run, seen: null });
  if (!run.quietly(() => run.turned(takesRefused))) return !run.over;
  return run.say(place, "is just what its schema rules out (not)");
}

function checkIf(value: JsonValue, subject: Subject): boolean {
  const { node, place, run, seen, evaluate } = subject;
  const { doubts } = run;
  const condition = node.one.get("if")!;
  const holds = takes(condition, value, subject);
  if (run.over) return false;
  if (run.doubts !== doubts && takesTurned(condition, value, subject) !== holds) {
    return checkBoth(value, subject);
  }
  const next = node.one.get(holds ? "then" : "else");
  return next === undefined || evaluate(next, value, { place, run, seen });
}

/** Whether what comes later decides between `then` and `else`: one of them may take the value, or both surely do. */
function checkBoth(value: JsonValue, subject: Subject): boolean {
  const { node, place, run, evaluate } = subject;
  const next = ["then", "else"].map((keyword) => node.one.get(keyword));
  const seen = run.doubt ? subject.seen : null;
  const taken = next.map((each) => each === undefined || takes(each, value, { ...subject, seen }));
  if (run.over) return false;
  if (!run.doubt) return taken.every(Boolean);
  if (taken.some(Boolean)) return true;
  const told = next.find((each) => each !== undefined);
  return told !== undefined && evaluate(told, value, { place, run, seen: null });
}
