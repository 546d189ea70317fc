/** Puts a fixture into a file where it answers its own call. Pure. */

import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../../supabase/functions/_shared/definition/json.ts";
import { isEqualJson, isSubset } from "../../../../supabase/functions/_shared/definition/subset.ts";

export interface NewFixture {
  /** Left out of a call without arguments: an empty example would answer every call. */
  readonly example?: JsonObject;
  readonly label?: string;
  readonly response: JsonValue;
}

/**
 * `file` with `fixture` in it: in the place of the one with the very same example, else before the first that would answer
 * its call, else at the end. Everything else of the file stays as it is.
 */
export function addFixture(file: JsonObject, fixture: NewFixture): JsonObject {
  const fixtures = Array.isArray(file.fixtures) ? file.fixtures : [];
  const { example } = fixture;
  const same = fixtures.findIndex((other) => isJsonObject(other) && isSameExample(other.example, example));
  if (same >= 0) return { ...file, fixtures: fixtures.with(same, { ...fixture }) };
  const before = example === undefined
    ? -1
    : fixtures.findIndex((other) =>
      isJsonObject(other) && isJsonObject(other.example) && isSubset(other.example, example)
    );
  const at = before < 0 ? fixtures.length : before;
  return { ...file, fixtures: fixtures.toSpliced(at, 0, { ...fixture }) };
}

function isSameExample(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : isEqualJson(a, b);
}

/** `value` with at most `most` elements in each list, wherever it stands. */
export function clipLists(value: JsonValue, most: number): JsonValue {
  if (Array.isArray(value)) return value.slice(0, most).map((element) => clipLists(element, most));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clipLists(member, most)]));
}
