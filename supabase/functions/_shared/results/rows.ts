/** Where the rows of an answer are, and which of their fields may leave. Pure. */

import type { ResultFormat } from "../definition/format.ts";
import { isJsonObject, type JsonValue } from "../definition/json.ts";

/** The rows of an answer and the keys that lead to them; none when the answer is itself the list. */
export interface Rows {
  readonly rows: readonly JsonValue[];
  readonly path: readonly string[];
}

/** Where the rows of one call's answer are. */
export interface RowsFormat extends ResultFormat {
  /** The call reads one thing: a list inside it is a part of it, and no rows unless the file says so. */
  readonly single?: boolean;
}

/**
 * The rows of `answer`: the list at `result.rows` where the file says so, else the answer when it is a list, else its
 * only field that is a list of objects (or, with none such, its only empty list). `null` when there is no such list:
 * the answer is then a single one.
 */
export function extractRows(answer: JsonValue, result: RowsFormat = {}): Rows | null {
  if (result.rows !== undefined) {
    const path = result.rows.split(".");
    const found = path.reduce<JsonValue | undefined>(ownValue, answer);
    return Array.isArray(found) ? { rows: found, path } : null;
  }
  if (result.single) return null;
  if (Array.isArray(answer)) return { rows: answer, path: [] };
  if (!isJsonObject(answer)) return null;
  const lists = Object.entries(answer).flatMap(([key, value]) =>
    Array.isArray(value) && value.every(isJsonObject) ? [{ rows: value, path: [key] }] : []
  );
  const filled = lists.filter(({ rows }) => rows.length > 0);
  const candidates = filled.length > 0 ? filled : lists;
  return candidates.length === 1 ? candidates[0]! : null;
}

/**
 * What may leave of `answer`. Without `result.fields` all of it. With them only those fields of each row, at the
 * place where the rows were, and nothing beside the rows; an answer without rows counts as one row. A field on a list
 * inside a row is taken of each of its elements. Nothing is left of what is not an object.
 */
export function minimizeAnswer(answer: JsonValue, result: RowsFormat = {}): JsonValue {
  if (result.fields === undefined) return answer;
  const kept = fieldTree(result.fields);
  const found = extractRows(answer, result);
  if (found === null) return pick(answer, kept);
  const rows: JsonValue = found.rows.map((row) => pick(row, kept));
  return found.path.reduceRight((inner, key): JsonValue => Object.fromEntries([[key, inner]]), rows);
}

/** What one step of a dotted path leads to: a name into an object, a number into a list. */
export function ownValue(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A leaf is `null`: everything below it is kept. */
type FieldTree = Map<string, FieldTree | null>;

function fieldTree(fields: readonly string[]): FieldTree {
  const root: FieldTree = new Map();
  for (const field of fields) {
    const keys = field.split(".");
    let tree: FieldTree | null = root;
    for (const [at, key] of keys.entries()) {
      if (tree === null) break;
      const known: FieldTree | null | undefined = tree.get(key);
      if (known === null) break;
      const next: FieldTree | null = at === keys.length - 1 ? null : known ?? new Map();
      tree.set(key, next);
      tree = next;
    }
  }
  return root;
}

/** The same value, and no copy, of which nothing is left out. */
function pick(value: JsonValue, tree: FieldTree): JsonValue {
  if (Array.isArray(value)) {
    const picked = value.map((element) => pick(element, tree));
    return picked.every((element, at) => element === value[at]) ? value : picked;
  }
  if (!isJsonObject(value)) return null;
  const entries: [string, JsonValue][] = [];
  let isWhole = true;
  for (const key of Object.keys(value)) {
    const below = tree.get(key);
    const picked = below === undefined ? undefined : below === null ? value[key]! : pick(value[key]!, below);
    isWhole &&= picked === value[key];
    if (picked !== undefined) entries.push([key, picked]);
  }
  return isWhole ? value : Object.fromEntries(entries);
}
