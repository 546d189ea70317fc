/** The keywords about objects. Pure. Keys are only ever looked up in maps or as own properties. */

import type { JsonObject } from "../json.ts";
import { everApplied, type SchemaNode } from "./node.ts";
import { type KeywordRules, numberOf, type Rule, type Subject } from "./rule.ts";
import { memberPlace, type Run } from "./run.ts";
import { count, either, listed, nameOf, nearest, TYPE_WORDS, wantedCount } from "../words.ts";

export const OBJECT_RULES: KeywordRules<JsonObject> = [
  [["required"], checkRequired],
  [["minProperties", "maxProperties"], checkPropertyCount],
  [["propertyNames"], checkNames],
  [["properties", "patternProperties", "additionalProperties"], checkMembers],
  [["dependentRequired", "dependencies"], checkDependentRequired],
  [["dependentSchemas"], checkDependentSchemas],
];

function checkRequired(value: JsonObject, { node, place, run }: Subject): boolean {
  let valid = true;
  for (const name of node.schema.required as string[]) {
    if (!run.spend(1)) return false;
    if (Object.hasOwn(value, name)) continue;
    valid = run.say(memberPlace(place, name), () => `missing${wantedFor(node, name)}`);
  }
  return valid;
}

/** What the property would have to be, when its schema says so by type. */
function wantedFor(node: SchemaNode, name: string): string {
  const types = node.named.get("properties")?.get(name)?.types ?? new Set();
  return types.size === 0 ? "" : `; ${either([...types].map((type) => TYPE_WORDS[type]))} is wanted`;
}

function checkPropertyCount(value: JsonObject, subject: Subject): boolean {
  const { place, run } = subject;
  const found = Object.keys(value).length;
  const least = numberOf(subject, "minProperties", 0);
  const most = numberOf(subject, "maxProperties", Infinity);
  if (found < least) {
    return run.say(place, () => `found ${count(found, "key")}; ${wantedCount("at least", least, "key")}`);
  }
  if (found > most) {
    return run.say(place, () => `found ${count(found, "key")}; ${wantedCount("at most", most, "key")}`);
  }
  return true;
}

export function checkNames(value: JsonObject, { node, place, run, evaluate }: Subject): boolean {
  const names = node.one.get("propertyNames")!;
  let valid = true;
  for (const name of Object.keys(value)) {
    const at = { place: memberPlace(place, name), run, seen: null };
    if (run.quietly(() => evaluate(names, name, at))) continue;
    if (run.over) return false;
    const [first] = run.silent ? [] : run.apart(() => evaluate(names, name, at));
    valid = run.say(at.place, () => `is a key that is not taken: ${first?.says ?? "no key is"}`);
    if (run.silent) return false;
  }
  return valid;
}

/** Each member against the property of its name, every pattern its name matches, else the rest. */
export function checkMembers(value: JsonObject, { node, place, run, seen, evaluate }: Subject): boolean {
  const properties = node.named.get("properties");
  const patterned = node.named.get("patternProperties");
  const rest = node.one.get("additionalProperties");
  let valid = true;
  for (const name of Object.keys(value)) {
    if (!run.spend(1)) return false;
    const applied: SchemaNode[] = [];
    const property = properties?.get(name);
    if (property !== undefined) applied.push(property);
    for (const [source, schema] of patterned ?? []) {
      const pattern = node.patterns.get(source)!;
      if (!run.spend(pattern.stepsFor(name))) return false;
      if (pattern.matches(name)) applied.push(schema);
    }
    if (applied.length === 0 && rest !== undefined) applied.push(rest);
    const at = memberPlace(place, name);
    for (const schema of applied) {
      valid = (schema === rest && rest.never
        ? run.say(at, () =>
          unknownKey(name, { names: namesOf([node]), run }))
        : evaluate(schema, value[name]!, { place: at, run, seen: null })) && valid;
      if (!valid && (run.silent || run.over)) {
        return false;
      }
    }
    if (applied.length > 0) seen?.keys.add(name);
  }
  return valid;
}

/** The names of properties that `nodes` declare one by one. */
export function namesOf(nodes: readonly SchemaNode[]): Set<string> {
  return new Set(nodes.flatMap(({ named }) => [...named.get("properties")?.keys() ?? []]));
}

/** Steps it takes to find the name that a wrong one was meant to be. */
const NEAREST_STEPS = 200;

function unknownKey(name: string, { names, run }: { names: ReadonlySet<string>; run: Run }): string {
  run.spend(NEAREST_STEPS + names.size);
  return tellUnknown("a key that is taken here", { names, meant: nearest(name, names) });
}

/** What is wrong with an argument that the tool does not declare. */
export function unknownArgument(
  name: string,
  { names, run }: { names: ReadonlySet<string>; run: Run },
): string {
  run.spend(NEAREST_STEPS + names.size);
  return tellUnknownArgument({ names, meant: nearest(name, names) });
}

/** The same words for who looked for the argument that was meant. */
export function tellUnknownArgument(about: { names: ReadonlySet<string>; meant: string | null }): string {
  return tellUnknown("an argument of this tool", about);
}

/** "is not `what`; it takes a, b; did you mean b?" */
function tellUnknown(
  what: string,
  { names, meant }: { names: ReadonlySet<string>; meant: string | null },
): string {
  const takes = names.size === 0 ? "it takes none" : `it takes ${listed([...names], nameOf)}`;
  return `is not ${what}; ${takes}${meant === null ? "" : `; did you mean ${nameOf(meant)}?`}`;
}

function checkDependentRequired(value: JsonObject, { node, place, run }: Subject): boolean {
  let valid = true;
  for (const [name, needed] of node.requires) {
    if (!run.spend(1 + needed.length)) return false;
    if (!Object.hasOwn(value, name)) continue;
    for (const other of needed) {
      if (Object.hasOwn(value, other)) continue;
      valid = run.say(memberPlace(place, other), () => `missing; it is wanted beside ${nameOf(name)}`);
    }
  }
  return valid;
}

function checkDependentSchemas(value: JsonObject, { node, place, run, seen, evaluate }: Subject): boolean {
  let valid = true;
  for (const [name, schema] of node.named.get("dependentSchemas")!) {
    if (!run.spend(1)) return false;
    if (Object.hasOwn(value, name)) valid = evaluate(schema, value, { place, run, seen }) && valid;
    if (!valid && (run.silent || run.over)) return false;
  }
  return valid;
}

/** Runs last, when all other keywords have noted what they had a say about. */
export const UNEVALUATED_PROPERTIES: Rule<JsonObject> = (value, { node, place, run, seen, evaluate }) => {
  const rest = node.one.get("unevaluatedProperties")!;
  let valid = true;
  for (const name of Object.keys(value)) {
    if (!run.spend(1)) return false;
    if (seen!.keys.has(name)) continue;
    const at = memberPlace(place, name);
    valid = (rest.never
      ? run.say(
        at,
        () => unknownKey(name, { names: namesOf(everApplied(node)), run }),
      )
      : evaluate(rest, value[name]!, { place: at, run, seen: null })) && valid;
    if (!valid && (run.silent || run.over)) return false;
    seen!.keys.add(name);
  }
  return valid;
};
