/**
 * Filling of `{{<source>.<path>}}` in any JSON value from named sources: chains, follow-ups and previews. Pure.
 * Which sources there are, and where a placeholder may stand, is for whoever fills.
 */

import type { Result } from "../outcome/result.ts";
import { isJsonObject, type JsonValue } from "./json.ts";
import { isLeaky } from "./leaky.ts";
import { type Piece, piecesOf } from "./placeholder.ts";
import type { Path, Problem } from "./problem.ts";
import { count, kindOf, quote } from "./words.ts";

/** Why something was not filled. */
export type WhyUnfilled =
  /** No source of that name, braces that are never closed, or a placeholder in a key. */
  | "no_source"
  | "found_nothing"
  | "found_several"
  /** A list or object, and `null` too, where only a text, a number, true or false can stand. */
  | "no_scalar"
  /** A file's bytes, or what is shaped like a credential. */
  | "leaky"
  /** More to look through, or more to put in, than one filling takes. */
  | "too_much";

export interface FillProblem extends Problem {
  readonly why: WhyUnfilled;
}

export interface FillOptions {
  /** Take only texts, numbers, true and false, also where a text is nothing but its placeholder. */
  readonly scalarsOnly?: boolean;
  /** Refuse a file's bytes and anything shaped like a credential. */
  readonly refuseLeaky?: boolean;
}

/** By name; a name may hold dots. */
export type Sources = Readonly<Record<string, JsonValue>>;

/** Values that one filling looks at, in all sources together. */
const MAX_STEPS = 1_000_000;
/** UTF-16 units that one filling puts in: more than arguments may have. */
const MAX_FILLED = 256 * 1024;
/** Problems that are told. */
const MAX_TOLD = 50;

/**
 * `value` with every `{{<source>.<path>}}` filled from `sources`, or every problem with that, at most 50; the source
 * of the longest matching name counts. Filled once: what comes out of a source is never filled again, and keys never are.
 *
 * A path is read as conditions read it: dotted, a number is a place in a list, a name on a list means any of its
 * elements, own keys only. It has to lead to exactly one value: of several nobody can tell which was meant, also when
 * they are equal. A text that is nothing but its placeholder becomes the value, whatever its type; in a longer one
 * texts, numbers, true and false are written out. Looks at a million values at most and puts in 256 Ki characters.
 */
export function fillValue(
  value: JsonValue,
  sources: Sources,
  options: FillOptions = {},
): Result<JsonValue, readonly FillProblem[]> {
  const filling = new Filling(sources, options);
  const filled = filling.fill(value, []);
  const { problems } = filling;
  return problems.length === 0 ? { ok: true, value: filled } : { ok: false, refusal: problems };
}

class Filling {
  readonly problems: FillProblem[] = [];
  readonly #sources: Sources;
  readonly #options: FillOptions;
  /** What each placeholder was found to be: the same one is looked for once. */
  readonly #found = new Map<string, Found>();
  #steps = MAX_STEPS;
  #room = MAX_FILLED;

  constructor(sources: Sources, options: FillOptions) {
    this.#sources = sources;
    this.#options = options;
  }

  /** The filled value; what it returns besides a problem is not used. */
  fill(value: JsonValue, at: Path): JsonValue {
    if (typeof value === "string") return value.includes("{{") ? this.#fillText(value, at) : value;
    if (Array.isArray(value)) return value.map((item, index) => this.fill(item, [...at, index]));
    if (!isJsonObject(value)) return value;
    const filled = Object.entries(value).map(([key, member]) => {
      const below = [...at, key];
      if (key.includes("{{")) {
        this.#note(below, "no_source", "a key is never filled; placeholders stand in values");
      }
      return [key, this.fill(member, below)] as const;
    });
    return Object.fromEntries(filled);
  }

  #fillText(text: string, at: Path): JsonValue {
    const pieces = piecesOf(text);
    const [first] = pieces;
    if (pieces.length === 1 && typeof first === "object") {
      return this.#look(first, at, { whole: true }) ?? null;
    }
    const filled = pieces.map((piece) =>
      typeof piece === "string" ? piece : String(this.#look(piece, at, { whole: false }))
    ).join("");
    // Two halves that are harmless by themselves can make one that is not.
    if (this.#options.refuseLeaky && isLeaky(filled)) this.#note(at, "leaky", LEAKY);
    return filled;
  }

  /** The value of one placeholder, `undefined` when a problem was noted instead. */
  #look({ inside }: Exclude<Piece, string>, at: Path, { whole }: { whole: boolean }): JsonValue | undefined {
    if (this.problems.length >= MAX_TOLD) return undefined;
    if (inside === null) return this.#note(at, "no_source", "a {{ is never closed");
    const told = quote(`{{${inside}}}`);
    let found = this.#found.get(inside);
    if (found === undefined) this.#found.set(inside, found = this.#find(inside));
    if ("why" in found) return this.#note(at, found.why, `${told} ${found.says}`);
    const { value, leaky, size } = found;
    if ((!whole || this.#options.scalarsOnly) && !isScalar(value)) {
      return this.#note(
        at,
        "no_scalar",
        `${told} is ${kindOf(value)}; a text, a number, true or false is wanted here`,
      );
    }
    if (leaky) return this.#note(at, "leaky", `${told}: ${LEAKY}`);
    this.#room -= size;
    if (this.#room < 0) return this.#note(at, "too_much", `${told} ${TOO_MUCH.says}`);
    return value;
  }

  #find(inside: string): Found {
    const [name, path] = this.#split(inside);
    if (path === null) return { why: "no_source", says: "is one that nothing fills here" };
    const values = this.#walk(this.#sources[name]!, path.split("."));
    if (values === null) return TOO_MUCH;
    const [value] = values;
    if (value === undefined) return { why: "found_nothing", says: "leads to nothing" };
    if (values.length > 1) {
      return {
        why: "found_several",
        says: "leads to several values; name the place of one, as in items.0.id",
      };
    }
    const weight = this.#weigh(value);
    return weight === null ? TOO_MUCH : { value, ...weight };
  }

  /** The source's name and the path in it, `null` when it names none. */
  #split(inside: string): [name: string, path: string | null] {
    const names = PLACEHOLDER.test(inside)
      ? Object.keys(this.#sources).filter((name) => inside.startsWith(`${name}.`))
      : [];
    const name = names.reduce((best, each) => each.length > best.length ? each : best, "");
    return [name, names.length === 0 ? null : inside.slice(name.length + 1)];
  }

  /** At most two of the values at `path`, as `findValues` finds them; `null` when the steps are used up. */
  #walk(root: JsonValue, path: readonly string[]): JsonValue[] | null {
    const found: JsonValue[] = [];
    const open: [value: JsonValue, depth: number][] = [[root, 0]];
    for (let next = open.pop(); next !== undefined && found.length < 2; next = open.pop()) {
      if (--this.#steps < 0) return null;
      const [value, depth] = next;
      const key = path[depth];
      if (key === undefined) found.push(value);
      else if (Array.isArray(value) && !/^\d+$/.test(key)) {
        if (value.length > this.#steps) return null;
        for (let index = value.length - 1; index >= 0; index--) open.push([value[index]!, depth]);
      } else if (Array.isArray(value)) {
        const element = value[Number(key)];
        if (element !== undefined) open.push([element, depth + 1]);
      } else if (isJsonObject(value) && Object.hasOwn(value, key)) open.push([value[key]!, depth + 1]);
    }
    return found;
  }

  /** How many characters `value` holds and whether any text or key of it is leaky; `null` when it is too large. */
  #weigh(value: JsonValue): { size: number; leaky: boolean } | null {
    let size = 0;
    let leaky = false;
    const weigh = (text: string) => {
      size += text.length;
      if (this.#options.refuseLeaky && size <= MAX_FILLED && isLeaky(text)) leaky = true;
    };
    const open: JsonValue[] = [value];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      size++;
      if (--this.#steps < 0 || size > MAX_FILLED) return null;
      if (typeof next === "string") weigh(next);
      else if (typeof next === "object" && next !== null) {
        for (const [key, member] of Object.entries(next)) {
          if (!Array.isArray(next)) weigh(key);
          open.push(member);
        }
      }
    }
    return size > MAX_FILLED ? null : { size, leaky };
  }

  #note(path: Path, why: WhyUnfilled, says: string): undefined {
    if (this.problems.length < MAX_TOLD) this.problems.push({ path, why, says });
  }
}

type Found =
  | { readonly value: JsonValue; readonly size: number; readonly leaky: boolean }
  | { readonly why: WhyUnfilled; readonly says: string };

const TOO_MUCH = {
  why: "too_much",
  says: `leads to more than one filling takes (${count(MAX_FILLED, "character")}); name less of it`,
} as const;
const LEAKY = "a file's bytes, or something shaped like a credential, is never filled in";
/** A source and a dotted path, as the check of a file takes them. */
const PLACEHOLDER = /^[^.{}\s]+(?:\.[^.{}\s]+)+$/;

function isScalar(value: JsonValue): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
