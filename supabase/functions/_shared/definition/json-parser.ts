/** Reads one JSON text by RFC 8259, noting what is ambiguous on the way. Pure; `json.ts` is the door to it. */

import type { JsonObject, JsonValue } from "./json.ts";
import type { Problem } from "./problem.ts";
import { tellCharacter } from "./words.ts";

const MAX_NOTED = 1_000;

const WORDS: readonly (readonly [string, JsonValue])[] = [["true", true], ["false", false], ["null", null]];
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The text stops being JSON here; what was noted before still stands. */
class NotJson extends Error {}

export class JsonParser {
  #at = 0;
  readonly #path: (string | number)[] = [];
  #lineStarts: number[] | undefined;

  constructor(
    private readonly text: string,
    private readonly problems: Problem[],
    private readonly maxLevels: number,
  ) {}

  /** The value, or `undefined` where the text is no JSON; either way the problems are in the list given. */
  parse(): JsonValue | undefined {
    try {
      this.#skipBlanks();
      const value = this.#value();
      this.#skipBlanks();
      if (this.#at < this.text.length) this.#stop("the end of the text");
      return value;
    } catch (error) {
      if (error instanceof NotJson) return undefined;
      throw error;
    }
  }

  #value(): JsonValue {
    const char = this.text[this.#at];
    if (char === '"') return this.#string("a text");
    if (char === "{" || char === "[") {
      if (this.#path.length >= this.maxLevels) {
        this.#fail(`objects and lists stand in each other more than ${this.maxLevels} levels deep`);
      }
      return char === "{" ? this.#object() : this.#list();
    }
    if (char === "-" || (char !== undefined && char >= "0" && char <= "9")) return this.#number();
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#stop("a value");
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    const repeated = new Set<string>();
    this.#at++;
    this.#skipBlanks();
    if (this.#take("}")) return object;
    while (true) {
      if (this.text[this.#at] !== '"') this.#stop("a key in double quotes");
      const keyAt = this.#at;
      const key = this.#string("a key");
      this.#path.push(key);
      if (Object.hasOwn(object, key) && !repeated.has(key)) {
        repeated.add(key);
        this.#note(`the key is given more than once (again at ${this.#place(keyAt)}); keep one of them`);
      }
      this.#skipBlanks();
      if (!this.#take(":")) this.#stop("a colon");
      this.#skipBlanks();
      const value = this.#value();
      if (key === "__proto__") {
        // An assignment would set the prototype instead.
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      } else object[key] = value;
      this.#path.pop();
      this.#skipBlanks();
      if (this.#take("}")) return object;
      if (!this.#take(",")) this.#stop("a comma or the end of the object");
      this.#skipBlanks();
      if (this.text[this.#at] === "}") this.#stop("another key after the comma");
    }
  }

  #list(): JsonValue[] {
    const list: JsonValue[] = [];
    this.#at++;
    this.#skipBlanks();
    if (this.#take("]")) return list;
    while (true) {
      this.#path.push(list.length);
      list.push(this.#value());
      this.#path.pop();
      this.#skipBlanks();
      if (this.#take("]")) return list;
      if (!this.#take(",")) this.#stop("a comma or the end of the list");
      this.#skipBlanks();
      if (this.text[this.#at] === "]") this.#stop("another value after the comma");
    }
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const digits = NUMBER.exec(this.text)?.[0];
    if (digits === undefined) {
      this.#at++;
      return this.#stop("a digit");
    }
    const startAt = this.#at;
    this.#at += digits.length;
    if (/[0-9A-Za-z.+-]/.test(this.text[this.#at] ?? "")) {
      this.#fail(`the number at ${this.#place(startAt)} is not written as JSON writes numbers`);
    }
    const value = Number(digits);
    if (!Number.isFinite(value)) {
      this.#note("the number is too large to be kept; write it as a text");
      // Something that JSON has, so that the rest of the text can be looked at too.
      return Math.sign(value) * Number.MAX_VALUE;
    }
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.#note("the integer is beyond ±9007199254740991 and would lose digits; write it as a text");
    }
    return value;
  }

  /** Reads from the opening quote to past the closing one. */
  #string(what: string): string {
    const openedAt = this.#at++;
    let decoded = "";
    let copiedTo = this.#at;
    while (true) {
      const unit = this.text.charCodeAt(this.#at);
      if (Number.isNaN(unit)) this.#fail(`${what} opened at ${this.#place(openedAt)} is never closed`);
      if (unit === 0x22) break;
      if (unit < 0x20) {
        if (unit === 0) this.#stop("no NUL");
        this.#fail(
          `a raw line break or control character stands inside ${what} at ${
            this.#place(this.#at)
          }; escape it`,
        );
      }
      if (unit === 0x5c) {
        decoded += this.text.slice(copiedTo, this.#at) + this.#escape();
        copiedTo = this.#at;
      } else this.#at++;
    }
    decoded += this.text.slice(copiedTo, this.#at);
    this.#at++;
    if (decoded.includes("\0")) this.#note(`${what} holds a NUL character; leave it out`);
    if (!decoded.isWellFormed()) {
      this.#note(`${what} holds half of a surrogate pair; write the whole character`);
    }
    return decoded;
  }

  #escape(): string {
    const char = this.text[this.#at + 1] ?? "";
    const simple = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    const hex = this.text.slice(this.#at + 2, this.#at + 6);
    if (char !== "u" || !/^[0-9A-Fa-f]{4}$/.test(hex)) {
      this.#fail(`the backslash at ${this.#place(this.#at)} begins no escape that JSON knows; double it`);
    }
    this.#at += 6;
    return String.fromCharCode(parseInt(hex, 16));
  }

  #skipBlanks(): void {
    while (true) {
      const unit = this.text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #take(char: string): boolean {
    if (this.text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #note(says: string): void {
    if (this.problems.length >= MAX_NOTED) this.#fail("there are more problems; these are the first");
    this.problems.push({ path: [...this.#path], says });
  }

  /** Tells what stands here instead of what is `wanted`. Shows one character at most: the text may hold a credential. */
  #stop(wanted: string): never {
    const point = this.text.codePointAt(this.#at);
    const place = this.#place(this.#at);
    if (point === undefined) {
      this.#fail(
        this.text.trim() === ""
          ? "the text is empty; JSON is wanted"
          : `the text ends at ${place}, where ${wanted} is wanted`,
      );
    }
    return this.#fail(
      `found ${tellCharacter(String.fromCodePoint(point))} at ${place}, where ${wanted} is wanted`,
    );
  }

  #fail(says: string): never {
    this.problems.push({ path: [], says });
    throw new NotJson();
  }

  /** "line 3, column 5", both from 1, columns in UTF-16 units as editors count them. */
  #place(offset: number): string {
    this.#lineStarts ??= [0, ...[...this.text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    let low = 0;
    let high = this.#lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return `line ${low + 1}, column ${offset - this.#lineStarts[low]! + 1}`;
  }
}
