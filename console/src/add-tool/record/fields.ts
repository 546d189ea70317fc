/** The fields of an answer, each once however many rows there are. Pure. */

import { isJsonObject, type JsonValue } from "../../../../supabase/functions/_shared/definition/json.ts";

/** A place in an answer, with every element of a list at one place: `rows[].contact.name`. */
export type FieldPath = string;

export interface Leaf {
  readonly field: FieldPath;
  /** The name nearest to it; empty where there is none. */
  readonly name: string;
  readonly value: string | number | boolean | null;
}

/** Every text, number, `true`, `false` and `null` of `value`, in its order. Visits each once, without recursion. */
export function leavesOf(value: JsonValue, field: FieldPath = "", name = ""): Leaf[] {
  const leaves: Leaf[] = [];
  const waiting: { value: JsonValue; field: FieldPath; name: string }[] = [{ value, field, name }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, field, name } = next;
    if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at--) {
        waiting.push({ value: value[at]!, field: elementOf(field), name });
      }
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value).reverse()) {
        waiting.push({ value: member, field: memberOf(field, key), name: key });
      }
    } else leaves.push({ field, name, value });
  }
  return leaves;
}

export function elementOf(field: FieldPath): FieldPath {
  return `${field}[]`;
}

export function memberOf(field: FieldPath, key: string): FieldPath {
  const isPlain = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key);
  return isPlain ? (field === "" ? key : `${field}.${key}`) : `${field}[${JSON.stringify(key)}]`;
}

/** Every key of every object in `value`, each once. */
export function keysOf(value: JsonValue): Set<string> {
  const keys = new Set<string>();
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next)) waiting.push(...next);
    else if (isJsonObject(next)) {
      for (const [key, member] of Object.entries(next)) {
        keys.add(key);
        waiting.push(member);
      }
    }
  }
  return keys;
}
