/**
 * What a person is shown of one call's arguments before they decide: every argument, whole, and nothing in it that hides
 * or turns what stands beside it. Pure. How it is laid out is the console's business.
 */

import type { JsonObject, JsonValue } from "../definition/json.ts";
import { findPlaceholders } from "../definition/placeholder.ts";
import { count, grouped } from "../definition/words.ts";
import type { LateValue } from "./approval.ts";
import { lookAlikes } from "./look-alikes.ts";
import { isHidden, shownLines, shownText } from "./visible.ts";

export { shownHost } from "./shown-host.ts";
export { shownText } from "./visible.ts";

/** One value of the arguments. */
export interface CardLine {
  /** `lines[0].amount`, `headers["X-Trace"]`; below a `place` it begins with that, as in `[place 1].amount`. */
  readonly path: string;
  /** The value as it will be sent, with marks for what does not show. Of a `place` the path it stands for. */
  readonly text: string;
  readonly kind:
    | "text"
    | "number"
    | "boolean"
    | "null"
    | "empty list"
    | "empty object"
    /** A text of which all or a part comes from an earlier call. */
    | "later"
    /** No value: a path that is long and told once, for the lines below it. */
    | "place";
  /** What is to be known about the value, and about the names in its path that no line before it had. */
  readonly notes: readonly string[];
}

/** Of the path to a list or object, in UTF-16 units; a longer one is told once, or a card would grow with its square. */
const MAX_PATH = 200;
/** Of a text, in code points; the length of a longer one is told. */
const LONG_TEXT = 1_000;

/**
 * The lines of `args`, in their order, one for each value that holds no others. Nothing is left out or clipped, and
 * arguments that differ never give equal lines. `fromCalls` are the late values of a call of a chain; without any, `{{`
 * is text. A line holds no hidden character but, behind its mark, a line break. Grows in proportion to the arguments.
 */
export function cardOf(args: JsonObject, fromCalls: readonly LateValue[] = []): CardLine[] {
  const card = new Card(fromCalls.length > 0);
  card.addMembers(args, "");
  return card.lines;
}

class Card {
  readonly lines: CardLine[] = [];
  readonly #isLate: boolean;
  #places = 0;
  /** Notes on names that no line has told yet: the next one does. */
  #noted: string[] = [];

  constructor(isLate: boolean) {
    this.#isLate = isLate;
  }

  addMembers(value: JsonObject | JsonValue[], path: string): void {
    const base = path.length > MAX_PATH ? this.#addPlace(path) : path;
    if (Array.isArray(value)) value.forEach((item, index) => this.#add(item, `${base}[${index}]`));
    else for (const [key, member] of Object.entries(value)) this.#add(member, this.#below(base, key));
  }

  #add(value: JsonValue, path: string): void {
    if (typeof value === "string") this.#addText(value, path);
    else if (value === null) this.#addLine(path, { text: "null", kind: "null" });
    else if (typeof value === "number") this.#addLine(path, { text: JSON.stringify(value), kind: "number" });
    else if (typeof value === "boolean") this.#addLine(path, { text: String(value), kind: "boolean" });
    else if (Object.keys(value).length > 0) this.addMembers(value, path);
    else this.#addLine(path, { text: "", kind: Array.isArray(value) ? "empty list" : "empty object" });
  }

  #addText(value: string, path: string): void {
    const late = this.#isLate ? lateNotes(value) : [];
    const kind = late.length > 0 ? "later" : "text";
    this.#addLine(path, { text: shownLines(value), kind }, [...late, ...notesOn(value)]);
  }

  #addPlace(path: string): string {
    const name = `place ${++this.#places}`;
    this.#addLine(name, { text: path, kind: "place" });
    return `[${name}]`;
  }

  #addLine(path: string, shown: Pick<CardLine, "text" | "kind">, notes: readonly string[] = []): void {
    this.lines.push({ path, ...shown, notes: [...this.#noted, ...notes] });
    this.#noted = [];
  }

  #below(path: string, key: string): string {
    if (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key)) return path === "" ? key : `${path}.${key}`;
    this.#noted.push(...notesOn(key).map((note) => `a name in its path: ${note}`));
    return `${path}["${shownText(key.replace(/["\\]/g, "\\$&"))}"]`;
  }
}

function lateNotes(text: string): string[] {
  return findPlaceholders(text).map(({ inside }) => {
    const [, call = "", path = ""] = /^calls\.(\d+)\.result\.(.*)$/s.exec(inside ?? "") ?? [];
    return `comes from call ${call} of this chain when it has run: ${shownText(path)}`;
  });
}

/** What is to be known about `text`, a value or a name, that it does not show by itself. */
export function notesOn(text: string): string[] {
  if (text === "") return ["empty text"];
  const notes = lookAlikes(text);
  const points = [...text];
  const hidden = points.filter(isHidden).length;
  const breaks = text.match(/\r\n|[\n\r\u0085\u2028\u2029]/g)?.length ?? 0;
  if (hidden > 0) notes.push(`holds ${count(hidden, "hidden character")}, each marked`);
  if (breaks > 0) notes.push(`holds ${count(breaks, "line break")}`);
  if (isBlank(points[0]!)) notes.push("begins with a blank");
  if (isBlank(points[points.length - 1]!)) notes.push("ends with a blank");
  if (points.length > LONG_TEXT) notes.push(`is long: ${grouped(points.length)} characters`);
  return notes;
}

function isBlank(character: string): boolean {
  return character === " " || isHidden(character);
}
