/**
 * Takes people and credentials out of an answer, so that it can be a fixture: every value that is told, or that looks
 * like one, gives way to something made up, the same for the same value, in keys too. Pure.
 */

import { isJsonObject, type JsonValue } from "../../../../supabase/functions/_shared/definition/json.ts";
import { elementOf, type FieldPath, keysOf, leavesOf, memberOf } from "./fields.ts";
import { findPersonal, kindByName } from "./personal.ts";
import { isStandIn, isStandInNumber, numberFor, plainFor, textFor, type ValueKind } from "./stand-ins.ts";

/** Which fields are replaced whole, whatever their name and shape say: true for yes, false for no. */
export type Choices = ReadonlyMap<FieldPath, boolean>;

/** One value that gave way. */
export interface Replacement {
  readonly kind: ValueKind;
  readonly was: string | number;
  readonly is: string | number;
  /** Where it was found first; null in a key. */
  readonly field: FieldPath | null;
}

export interface Field {
  readonly field: FieldPath;
  /** What stood there first. */
  readonly sample: string | number | boolean | null;
  /** Whether the whole of it is replaced. */
  readonly isReplaced: boolean;
  /** Whether values in it are replaced by their shape. */
  readonly holdsFound: boolean;
}

export interface Replaced {
  readonly value: JsonValue;
  readonly replacements: readonly Replacement[];
  /** Every field with a text or a number in it. */
  readonly fields: readonly Field[];
}

/** A text shorter than this is replaced where it was found, and left where it stands elsewhere: it says too little. */
export const MIN_TEXT = 4;
/** The same for a number, in digits. */
export const MIN_DIGITS = 5;
const MAX_ROUNDS = 8;

/**
 * `value` with what is personal in it replaced.
 *
 * The shape stays: lists and objects as they are, a text for a text, a number for a number, a whole one for a whole one;
 * `true`, `false` and `null` say nothing of anybody and stay. What was found anywhere, a text of at least 4 characters or
 * a number of at least 5 digits, stands nowhere in what comes out, by itself or as words of a text or a key, whatever its
 * case. Replacing again changes nothing. A field that `choices` leaves alone gives up what was found elsewhere, and
 * credentials, all the same.
 */
export function replaceValues(value: JsonValue, choices: Choices = new Map()): Replaced {
  const round = new Round(value, choices);
  return { value: round.value(), replacements: round.replacements(), fields: fieldsOf(value, choices) };
}

function fieldsOf(value: JsonValue, choices: Choices): Field[] {
  const fields = new Map<FieldPath, Field>();
  for (const { field, name, value: leaf } of leavesOf(value)) {
    const known = fields.get(field);
    const holdsFound = known?.holdsFound === true ||
      (typeof leaf === "string" && choices.get(field) !== false && findPersonal(leaf).length > 0);
    const sample = known === undefined || known.sample === null || known.sample === "" ? leaf : known.sample;
    fields.set(field, { field, sample, holdsFound, isReplaced: isWhole(field, { name, choices }) });
  }
  return [...fields.values()].filter(({ sample }) =>
    typeof sample === "string" || typeof sample === "number"
  );
}

function isWhole(field: FieldPath, { name, choices }: { name: string; choices: Choices }): boolean {
  const kind = kindByName(name);
  if (kind === "credential") return true;
  return choices.get(field) ?? kind !== null;
}

class Round {
  /** By the text in lower case, or the number. */
  readonly #told = new Map<string | number, Replacement>();
  readonly #counts = new Map<string, number>();
  readonly #taken = new Set<string | number>();
  #words: RegExp | null = null;

  constructor(private readonly given: JsonValue, private readonly choices: Choices) {
    // A stand-in that is there already belongs to what it stands for.
    for (const { value } of leavesOf(given)) {
      if (typeof value !== "boolean" && value !== null) this.#taken.add(value);
    }
    for (const key of keysOf(given)) this.#taken.add(key);
    const told: { kind: ValueKind; was: string | number; field: FieldPath | null }[] = [];
    for (const { field, name, value: was } of leavesOf(given)) {
      if (was === null || typeof was === "boolean" || was === "") continue;
      const kind = kindByName(name) ?? "text";
      if (isWhole(field, { name, choices })) told.push({ kind: kind, was, field });
      for (const found of this.#found(was, field)) told.push({ ...found, field });
    }
    for (const key of keysOf(given)) {
      for (const { kind, text } of findPersonal(key)) told.push({ kind, was: text, field: null });
    }
    const fresh = told.filter(({ was }) => typeof was === "number" ? !isStandInNumber(was) : !isStandIn(was));
    this.#words = wordsOf(fresh.flatMap(({ was }) => isSpoken(was) ? [String(was)] : []));
    for (const one of fresh) this.#tell(one);
  }

  #found(was: string | number, field: FieldPath): { kind: ValueKind; was: string | number }[] {
    if (typeof was === "number") {
      return Number.isInteger(was) && Math.abs(was) >= 1e8 && this.choices.get(field) !== false
        ? [{ kind: "long number", was }]
        : [];
    }
    return findPersonal(was).filter(({ kind }) => kind === "credential" || this.choices.get(field) !== false)
      .map(({ kind, text }) => ({ kind, was: text }));
  }

  #tell(
    { kind, was, field }: { kind: ValueKind; was: string | number; field: FieldPath | null },
  ): Replacement {
    const id = typeof was === "number" ? was : was.toLowerCase();
    const known = this.#told.get(id);
    if (known !== undefined) return known;
    const made: Replacement = { kind, was, is: this.#make(kind, was), field };
    this.#told.set(id, made);
    return made;
  }

  #make(kind: ValueKind, was: string | number): string | number {
    for (;;) {
      const name = typeof was === "number" ? "number" : kind;
      const count = (this.#counts.get(name) ?? 0) + 1;
      this.#counts.set(name, count);
      const fit = typeof was === "number" ? numberFor(was, count) : textFor(kind, { text: was, count });
      // What was told stands in no stand-in either.
      const is = typeof fit === "string" && (this.#holdsTold(fit) || !isStandIn(fit))
        ? plainFor(kind, count)
        : fit;
      if (this.#taken.has(is)) continue;
      this.#taken.add(is);
      return is;
    }
  }

  #holdsTold(text: string): boolean {
    if (this.#words === null) return false;
    this.#words.lastIndex = 0;
    return this.#words.test(text);
  }

  value(): JsonValue {
    let value = this.given;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { size } = this.#told;
      value = this.#replaced(value, "", "");
      if (this.#told.size === size) break;
      // What was found only now may stand in what was looked at before.
      this.#words = wordsOf(
        [...this.#told.values()].flatMap(({ was }) => isSpoken(was) ? [String(was)] : []),
      );
    }
    return value;
  }

  replacements(): Replacement[] {
    return [...this.#told.values()];
  }

  /** As deep as the answer: the API lets none be deeper than its files. */
  #replaced(value: JsonValue, field: FieldPath, name: string): JsonValue {
    if (Array.isArray(value)) return value.map((element) => this.#replaced(element, elementOf(field), name));
    if (isJsonObject(value)) {
      const members = new Map<string, JsonValue>();
      const kept = new Set(Object.keys(value));
      for (const [key, member] of Object.entries(value)) {
        let now = this.#text(key, key);
        for (let count = 2; members.has(now) || (now !== key && kept.has(now)); count++) now = `Key${count}`;
        members.set(now, this.#replaced(member, memberOf(field, key), key));
      }
      return Object.fromEntries(members);
    }
    if (typeof value === "number") {
      const told = this.#told.get(value);
      const isHere = told !== undefined &&
        (isSpoken(value) || isWhole(field, { name, choices: this.choices }));
      return isHere ? told.is : value;
    }
    if (typeof value !== "string") return value;
    const told = this.#told.get(value.toLowerCase());
    if (told !== undefined && (isSpoken(value) || isWhole(field, { name, choices: this.choices }))) {
      return told.is;
    }
    const now = this.#text(value, value);
    // A stand-in that was there before and held what was told is none any more: what has to go whole goes whole.
    const isBroken = now !== value && !isStandIn(now) && isWhole(field, { name, choices: this.choices });
    return isBroken ? this.#tell({ kind: kindByName(name) ?? "text", was: value, field }).is : now;
  }

  /** `text` without what was told, as often as one replacement makes another; then without anything that is left. */
  #text(text: string, whole: string): string {
    let now = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = now;
      if (this.#words !== null) {
        now = now.replace(this.#words, (match) => String(this.#told.get(match.toLowerCase())?.is ?? "Text1"));
      }
      // What stands beside each other now may look like something new.
      for (const { kind, text: left } of findPersonal(now)) {
        const { is } = this.#tell({ kind, was: left, field: null });
        now = now.replaceAll(left, () => String(is));
      }
      if (now === before) return now;
    }
    return String(this.#tell({ kind: "text", was: whole, field: null }).is);
  }
}

/** Whether a value says enough to be looked for everywhere. */
function isSpoken(was: string | number): boolean {
  return typeof was === "string"
    ? [...was].length >= MIN_TEXT
    : String(Math.abs(was)).replace(/\D/g, "").length >= MIN_DIGITS;
}

/** Any of the values as words of a text, the longest first; null of none. */
function wordsOf(values: readonly string[]): RegExp | null {
  if (values.length === 0) return null;
  const each = [...new Set(values)].sort((a, b) => b.length - a.length)
    .map((value) => value.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${each.join("|")})(?![\\p{L}\\p{M}\\p{N}])`, "giu");
}
