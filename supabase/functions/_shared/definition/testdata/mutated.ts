/** Good files made wrong in random places, for tests where the input is the enemy. */

import fc from "fast-check";
import { isJsonObject, type JsonValue, parseJson } from "../json.ts";
import { MAX_FILE_BYTES } from "../file-obstacle.ts";
import { FILES } from "./files.ts";

/** The good files, parsed. */
export const GOOD: readonly JsonValue[] = FILES.valid.map(({ bytes }) => {
  const parsed = parseJson(bytes, { maxBytes: MAX_FILE_BYTES });
  if (!parsed.ok) throw new Error("a good file is no JSON");
  return parsed.value;
});

/** What could stand in a place by mistake or by malice. */
const HOSTILE: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1e308,
  0.5,
  "",
  " ",
  "read",
  "write",
  "list",
  "request",
  "mcp",
  "fixture",
  "CONNECTOR_X",
  "{supplier}",
  "{{secret}}",
  "{{args.supplier}}",
  "{{",
  "https://ledger.example/{a}",
  "\u0000",
  "\ud83e\udd56",
  "a.b.c",
  "constructor",
  [],
  [[]],
  {},
  { $ref: "#" },
  { type: "object" },
  { action: "list" },
];
const KEYS = [
  "constructor",
  "toString",
  "secret",
  "env",
  "rows",
  "requests",
  "get",
  "pattern",
  "$ref",
  "required",
  "additionalProperties",
  "value",
  "any",
  "X-Api-Key",
  "{{args.a}}",
];

type Change = {
  readonly at: number;
  readonly how: "replace" | "drop" | "add" | "swap";
  readonly pick: number;
};

/** A good file with one to four changes, each somewhere in it. */
export const mutatedFile: fc.Arbitrary<JsonValue> = fc.tuple(
  fc.nat(GOOD.length - 1),
  fc.array(
    fc.record<Change>({
      at: fc.nat(400),
      how: fc.constantFrom("replace", "drop", "add", "swap"),
      pick: fc.nat(10_000),
    }),
    { minLength: 1, maxLength: 4 },
  ),
).map(([which, changes]) => changes.reduce(change, structuredClone(GOOD[which]!)));

interface Place {
  readonly holder: JsonValue[] | { [key: string]: JsonValue };
  readonly key: string | number;
}

function change(file: JsonValue, { at, how, pick }: Change): JsonValue {
  const places = placesIn(file);
  if (places.length === 0) return HOSTILE[pick % HOSTILE.length]!;
  const { holder, key } = places[at % places.length]!;
  const value = holder as { [key: string]: JsonValue };
  const hostile = structuredClone(HOSTILE[pick % HOSTILE.length]!);
  switch (how) {
    case "replace":
      value[key] = hostile;
      break;
    case "drop":
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete value[key];
      break;
    case "add":
      if (Array.isArray(holder)) holder.push(hostile);
      else value[KEYS[pick % KEYS.length]!] = hostile;
      break;
    case "swap": {
      // What stands elsewhere in the file is often of nearly the right shape.
      const other = places[pick % places.length]!;
      value[key] = structuredClone((other.holder as typeof value)[other.key]!);
      break;
    }
  }
  return file;
}

function placesIn(file: JsonValue): Place[] {
  const places: Place[] = [];
  const visit = (value: JsonValue): void => {
    if (!Array.isArray(value) && !isJsonObject(value)) return;
    const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    for (const key of keys) {
      places.push({ holder: value, key });
      visit((value as { [key: string]: JsonValue })[key]!);
    }
  };
  visit(file);
  return places;
}
