/** What the JSON Schema of the file lets stand at a place of it: keys, values, and what they are for. Pure. */

import type { JsonObject, JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { memberOf, type OutlineNode } from "./outline.ts";

/** A key or a value that may be typed. */
export interface Offer {
  readonly label: string;
  /** In a few words: its type, or that it is needed. */
  readonly detail: string;
  readonly description: string | null;
  /** What a key's value begins as; of a value, itself. As JSON. */
  readonly json: string;
}

interface Question {
  readonly schema: JsonObject;
  /** Of the text, for what depends on what stands elsewhere in it. */
  readonly root: OutlineNode | null;
}

type Path = readonly (string | number)[];

/** The keys that an object at `path` may have beside `taken`, needed ones first. */
export function keyOffers(question: Question, path: Path, taken: readonly string[]): Offer[] {
  const offers = new Map<string, Offer>();
  const schemas = schemasAt(question, path);
  const needed = new Set(
    schemas.flatMap(({ schema }) => Array.isArray(schema.required) ? schema.required : []),
  );
  for (const { schema } of schemas) {
    for (const [label, member] of Object.entries(objectOf(schema.properties))) {
      if (taken.includes(label) || offers.has(label) || label === "__proto__") continue;
      const [first = {}] = expand(question, objectOf(member), null).map(({ schema }) => schema);
      const type = typeWords(first);
      offers.set(label, {
        label,
        detail: needed.has(label) ? `${type}, needed` : type,
        description: descriptionOf([objectOf(member), first]),
        json: beginningOf(first),
      });
    }
  }
  const all = [...offers.values()];
  return [...all.filter(({ label }) => needed.has(label)), ...all.filter(({ label }) => !needed.has(label))];
}

/** The values that may stand at `path`, where the schema lists them. */
export function valueOffers(question: Question, path: Path): Offer[] {
  const offers = new Map<string, Offer>();
  for (const { schema } of schemasAt(question, path)) {
    const listed: JsonValue[] = schema.const !== undefined
      ? [schema.const]
      : Array.isArray(schema.enum)
      ? schema.enum
      : schema.type === "boolean"
      ? [true, false]
      : [];
    for (const value of listed) {
      const json = JSON.stringify(value);
      if (offers.has(json)) continue;
      const label = typeof value === "string" ? value : json;
      offers.set(json, { label, detail: "", description: descriptionOf([schema]), json });
    }
  }
  return [...offers.values()];
}

/** What the key or value at `path` is for; null where the schema does not say. */
export function descriptionAt(question: Question, path: Path): string | null {
  return descriptionOf(schemasAt(question, path).map(({ schema }) => schema));
}

interface Here {
  readonly schema: JsonObject;
  readonly node: OutlineNode | null;
}

function schemasAt(question: Question, path: Path): Here[] {
  let here = expand(question, question.schema, question.root);
  for (const step of path) {
    here = here.flatMap(({ schema, node }) => {
      const child = typeof step === "number" ? node?.children[step] : memberOf(node, step);
      const below = childSchema(schema, step);
      return below === null ? [] : expand(question, below, child ?? null);
    });
  }
  return here;
}

function childSchema(schema: JsonObject, step: string | number): JsonObject | null {
  if (typeof step === "number") return schema.items === undefined ? null : objectOf(schema.items);
  const properties = objectOf(schema.properties);
  if (Object.hasOwn(properties, step)) return objectOf(properties[step]);
  return schema.additionalProperties === undefined ? null : objectOf(schema.additionalProperties);
}

/** The schema with what it refers to and combines, each of its own; what stands under an `if` where that is so. */
function expand({ schema: root }: Question, schema: JsonObject, node: OutlineNode | null): Here[] {
  const found: Here[] = [];
  const waiting = [schema];
  // References in a circle end somewhere.
  for (let count = 0; waiting.length > 0 && count < 100; count++) {
    const next = waiting.shift()!;
    found.push({ schema: next, node });
    if (typeof next.$ref === "string") waiting.push(referred(root, next.$ref));
    for (const word of ["anyOf", "oneOf", "allOf"]) {
      if (Array.isArray(next[word])) waiting.push(...(next[word] as JsonValue[]).map(objectOf));
    }
    if (next.if !== undefined && next.then !== undefined && holds(objectOf(next.if), node)) {
      waiting.push(objectOf(next.then));
    }
  }
  return found;
}

/** Whether the members that `condition` names are there with those very values. It has no other kind of condition. */
function holds(condition: JsonObject, node: OutlineNode | null): boolean {
  return Object.entries(objectOf(condition.properties)).every(([name, wanted]) => {
    const member = memberOf(node, name);
    return member?.type === "text" && member.text === objectOf(wanted).const;
  });
}

function referred(root: JsonObject, reference: string): JsonObject {
  let at: JsonValue | undefined = root;
  for (const step of reference.replace(/^#\/?/, "").split("/").filter(Boolean)) at = objectOf(at)[step];
  return objectOf(at);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function descriptionOf(schemas: readonly JsonObject[]): string | null {
  for (const { description } of schemas) if (typeof description === "string") return description;
  return null;
}

function typeWords(schema: JsonObject): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return "one of a few";
  switch (schema.type) {
    case "object":
      return "object";
    case "array":
      return "list";
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "true or false";
    default:
      return "any JSON";
  }
}

function beginningOf(schema: JsonObject): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "object":
      return "{}";
    case "array":
      return "[]";
    case "boolean":
      return "true";
    case "integer":
    case "number":
      return "1";
    default:
      return schema.type === undefined && schema.enum === undefined ? "{}" : '""';
  }
}
