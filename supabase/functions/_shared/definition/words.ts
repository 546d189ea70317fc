/** How values, types and names are told in plain words, for people and models. Pure. */

import { looksLikeCredential } from "./credentials.ts";
import { revealHidden } from "./hidden.ts";

/** The longest text that is repeated in a problem, in code points; a longer one is told by its length. */
export const MAX_ECHO = 40;

/** How many names or values a problem lists before it says how many more there are. */
const MAX_LISTED = 12;

/** How many known words a wrong one is compared with. */
const MAX_KNOWN = 50;

/** The types of JSON Schema, in the words a problem uses. */
export const TYPE_WORDS = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
} as const;

/** A type of JSON Schema. */
export type TypeName = keyof typeof TYPE_WORDS;

/** Whether `name` is a type of JSON Schema. */
export function isTypeName(name: unknown): name is TypeName {
  return typeof name === "string" && Object.hasOwn(TYPE_WORDS, name);
}

/** What kind of value was found: "text", "a whole number", "a list". */
export function kindOf(value: unknown): string {
  if (value === null) return TYPE_WORDS.null;
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : TYPE_WORDS.array;
  if (typeof value === "number") return Number.isInteger(value) ? TYPE_WORDS.integer : TYPE_WORDS.number;
  if (typeof value === "string") return TYPE_WORDS.string;
  if (typeof value === "boolean") return TYPE_WORDS.boolean;
  return typeof value === "object" ? TYPE_WORDS.object : "nothing";
}

/**
 * The value itself when it is short, else what kind it is: `"opn"`, `3`, `text of 4,000 characters`, `a list`.
 * A text of more than {@link MAX_ECHO} code points, or shaped like a credential, is never repeated.
 */
export function tell(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return kindOf(value);
}

/** `text` in quotes, hidden characters made visible; by its length alone when it is long or a credential. */
export function quote(text: string): string {
  if (text.length <= 2 * MAX_ECHO) {
    const points = [...text].length;
    if (points <= MAX_ECHO && !looksLikeCredential(text)) return revealHidden(JSON.stringify(text));
  }
  return `text of ${count([...text].length, "character")}`;
}

/** One character in backticks, or by its number when it shows nothing. */
export function tellCharacter(character: string): string {
  if (character !== " " && revealHidden(character) === character) return `\`${character}\``;
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** "1 item", "8,000 items". */
export function count(amount: number, noun: string): string {
  return `${grouped(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/** "at least 1 item is wanted", "at most 8 items are wanted". */
export function wantedCount(limit: "at least" | "at most", amount: number, noun: string): string {
  return `${limit} ${count(amount, noun)} ${amount === 1 ? "is" : "are"} wanted`;
}

/** Digits in groups of three. By hand: the first `toLocaleString` of a process takes 25 ms, and each more than a step may. */
export function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** The items in a row, at most {@link MAX_LISTED}, each as `tell` tells it: "a, b, c and 4 more". */
export function listed<T>(items: readonly T[], tell: (item: T) => string): string {
  const told = items.slice(0, MAX_LISTED).map(tell).join(", ");
  return items.length <= MAX_LISTED ? told : `${told} and ${grouped(items.length - MAX_LISTED)} more`;
}

/** A name as it may stand in a sentence: bare when it is a plain word, else as {@link quote} tells it. */
export function nameOf(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$-]{0,39}$/.test(name) && !looksLikeCredential(name) ? name : quote(name);
}

/** Whether `name`, found between braces, may be repeated: it reads like a name, and not like a value that was put there. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_]{1,40}[0-9]{0,2}$/.test(name) && !looksLikeCredential(name);
}

/** The items as alternatives: "text", "text or null", "text, a number or null". */
export function either(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} or ${items[items.length - 1]}`;
}

/** The items as alternatives, each in quotes: `"list"`, `"get"` or `"both"`. */
export function eitherQuoted(items: readonly string[]): string {
  return either(items.map((item) => JSON.stringify(item)));
}

/**
 * The one of `known` that `word` is a slip of, or `null`: the same but for case, a plural, two letters swapped,
 * one letter wrong in five or more, two in eight or more. Of several the nearest, the first of equals. Of very many
 * known words only the first fifty are compared: a hint is not worth more.
 */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length < 3 || word.length > 64) return null;
  const lower = word.toLowerCase();
  let best: string | null = null;
  let least = Infinity;
  let compared = 0;
  for (const candidate of known) {
    if (++compared > MAX_KNOWN) break;
    if (candidate.length < 4 || candidate.length > 64) continue;
    const allowed = candidate.length >= 8 ? 2 : 1;
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const target = candidate.toLowerCase();
    const distance = editDistance(lower, target, allowed);
    if (distance > allowed || distance >= least) continue;
    if (candidate.length === 4 && distance > 0 && !isShortSlip(lower, target)) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** {@link nearest} among `known` for the first `most` words that are asked for, then none: more hints nobody reads. */
export function limitHints(known: Iterable<string>, most = 200): (word: string) => string | null {
  let asked = 0;
  return (word) => asked++ < most ? nearest(word, known) : null;
}

/** Of a word of four letters only a plural and two swapped letters are slips: `when` is not `then`. */
function isShortSlip(word: string, target: string): boolean {
  return word === `${target}s` || [...word].sort().join("") === [...target].sort().join("");
}

/**
 * Optimal string alignment: letters added, dropped, replaced, or two neighbours swapped. Any distance above `most`
 * is told as one more than it. Looks at no more than `2 * most + 1` letters of `to` for each letter of `from`.
 */
export function editDistance(from: string, to: string, most = from.length + to.length): number {
  if (Math.abs(from.length - to.length) > most) return most + 1;
  // Outside of the band that is looked at everything is as far as it gets, and stays so.
  const far = most + 1;
  let before = new Int32Array(to.length + 1).fill(far);
  let previous = Int32Array.from(before.keys());
  let row = new Int32Array(before);
  let leastBefore = 0;
  for (let i = 1; i <= from.length; i++) {
    const letter = from.charCodeAt(i - 1);
    const first = Math.max(1, i - most);
    const last = Math.min(to.length, i + most);
    let left = first === 1 ? i : far;
    let least = left;
    row[first - 1] = left;
    for (let j = first; j <= last; j++) {
      const same = letter === to.charCodeAt(j - 1) ? 0 : 1;
      left = Math.min(previous[j]! + 1, left + 1, previous[j - 1]! + same);
      if (
        i > 1 && j > 1 && same === 1 && letter === to.charCodeAt(j - 2) &&
        from.charCodeAt(i - 2) === to.charCodeAt(j - 1)
      ) {
        left = Math.min(left, before[j - 2]! + 1);
      }
      row[j] = left;
      if (left < least) least = left;
    }
    if (last < to.length) row[last + 1] = far;
    // A swap reaches over one row.
    if (least > most && leastBefore >= most) return far;
    const reused = before;
    before = previous;
    previous = row;
    row = reused;
    leastBefore = least;
  }
  return Math.min(previous[to.length]!, far);
}
