/**
 * Evaluates a value against a schema that was read: one function a keyword, no code is ever made from a schema.
 * Pure. Texts and numbers are `scalar-rules.ts`, lists `list-rules.ts`, objects `object-rules.ts`, what joins
 * subschemas `combining-rules.ts`.
 */

import { canonicalJson } from "../canonical-json.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import { COMBINING_RULES } from "./combining-rules.ts";
import { LIST_RULES, UNEVALUATED_ITEMS } from "./list-rules.ts";
import { holdsLate, isLate, typesOfLate } from "./late.ts";
import type { SchemaNode } from "./node.ts";
import { OBJECT_RULES, UNEVALUATED_PROPERTIES } from "./object-rules.ts";
import type { Rule, Subject } from "./rule.ts";
import { type Place, type Run, Seen } from "./run.ts";
import { NUMBER_RULES, TEXT_RULES } from "./scalar-rules.ts";
import { either, listed, nearest, tell, TYPE_WORDS, type TypeName } from "../words.ts";

/**
 * Whether `value`, at `place`, is what `node` asks for. What is wrong goes to `run`, and what keywords had a say
 * about to `seen`, which is given when an unevaluated-keyword above will ask. `false` when the budget is used up. Of a
 * value that comes later only its type is told; for the rest the run's doubt decides.
 */
export function evaluate(
  node: SchemaNode,
  value: JsonValue,
  { place, run, seen }: { place: Place | null; run: Run; seen: Seen | null },
): boolean {
  if (!run.spend(1)) return false;
  if (node.never) return run.say(place, "is not taken here");
  if (isLate(value)) return evaluateLate(node, value, { place, run });
  if (!hasType(node, value)) return run.say(place, () => wantsType(node, value));
  // An unevaluated-keyword sees what this very subschema and those within it have seen, never its siblings.
  const asks = node.one.has("unevaluatedItems") || node.one.has("unevaluatedProperties");
  const own = asks ? new Seen() : seen;
  const subject: Subject = { node, place, run, seen: own, evaluate };
  let valid = true;
  for (const rule of node.rules ??= findRules(node)) {
    if (rule(value, subject)) continue;
    valid = false;
    if (run.silent || run.over) return false;
  }
  if (asks && seen !== null && own !== null) valid = run.spend(seen.add(own)) && valid;
  return valid;
}

function evaluateLate(
  node: SchemaNode,
  value: JsonValue,
  { place, run }: { place: Place | null; run: Run },
): boolean {
  const { types } = node;
  if (types.size === 0 && (node.rules ??= findRules(node)).length === 0) return true;
  if (types.size === 0 || typesOfLate(value).some((type) => types.has(type))) return run.inDoubt();
  return run.say(place, () => {
    const found = either(
      typesOfLate(value).filter((type) => type !== "integer").map((type) => TYPE_WORDS[type]),
    );
    return `comes later, as ${found}; ${either([...types].map((type) => TYPE_WORDS[type]))} is wanted`;
  });
}

function hasType({ types }: SchemaNode, value: JsonValue): boolean {
  if (types.size === 0) return true;
  if (typeof value === "number") {
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  }
  return types.has(typeOf(value));
}

function typeOf(value: JsonValue): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as TypeName;
}

function wantsType({ types }: SchemaNode, value: JsonValue): string {
  return `found ${tell(value)}; ${either([...types].map((type) => TYPE_WORDS[type]))} is wanted`;
}

/** The rules of the keywords `node` has, in the order they are told, those that ask what was seen last. */
function findRules(node: SchemaNode): readonly Rule[] {
  const { schema, one, many, named } = node;
  const has = (keyword: string) =>
    Object.hasOwn(schema, keyword) || one.has(keyword) || many.has(keyword) || named.has(keyword);
  return ORDER.filter(([keywords]) => keywords.some(has)).map(([, rule]) => rule);
}

const ORDER: readonly (readonly [keywords: readonly string[], rule: Rule])[] = [
  [["const", "enum"], isAllowed],
  ...TEXT_RULES.map(([keywords, rule]) => [keywords, on(isText, rule)] as const),
  ...NUMBER_RULES.map(([keywords, rule]) => [keywords, on(isNumber, rule)] as const),
  ...LIST_RULES.map(([keywords, rule]) => [keywords, on(isList, rule)] as const),
  ...OBJECT_RULES.map(([keywords, rule]) => [keywords, on(isJsonObject, rule)] as const),
  ...COMBINING_RULES,
  [["unevaluatedItems"], on(isList, UNEVALUATED_ITEMS)],
  [["unevaluatedProperties"], on(isJsonObject, UNEVALUATED_PROPERTIES)],
];

/** `rule` for the values it is about; every other value passes it. */
function on<V extends JsonValue>(isAbout: (value: JsonValue) => value is V, rule: Rule<V>): Rule {
  return (value, subject) => !isAbout(value) || rule(value, subject);
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

function isNumber(value: JsonValue): value is number {
  return typeof value === "number";
}

function isList(value: JsonValue): value is JsonValue[] {
  return Array.isArray(value);
}

function isAllowed(value: JsonValue, { node, place, run }: Subject): boolean {
  const form = canonicalJson(value);
  if (!run.spend(form.length >> 3)) return false;
  if (holdsLate(value)) return run.inDoubt();
  const { allowed } = node;
  if (allowed?.const !== undefined && form !== allowed.const) {
    return run.say(place, () => `found ${tell(value)}; ${tell(node.schema.const)} is wanted`);
  }
  if (allowed?.enum === undefined || allowed.enum.has(form)) return true;
  return run.say(place, () => {
    const choices = node.schema.enum as JsonValue[];
    if (choices.length === 0) return `found ${tell(value)}; the schema lets no value pass here`;
    const texts = choices.filter((each) => typeof each === "string");
    const meant = typeof value === "string" ? nearest(value, texts) : null;
    const hint = meant === null ? "" : `; did you mean ${tell(meant)}?`;
    return `found ${tell(value)}; one of ${listed(choices, tell)} is wanted${hint}`;
  });
}
