/**
 * Reads a regular expression in the syntax of ECMA-262 with the flag `u` and writes the same set of texts in the
 * syntax of RE2. Pure. Groups lose their names and numbers: only whether a text matches is ever asked.
 */

import { ANYTHING, DOT, literal, NOTHING, SHORTHANDS, unicodeProperty } from "./character-class.ts";

/** The same expression for RE2, with what it costs. */
export interface Re2Pattern {
  readonly re2: string;
  /** Instructions it comes to at most, repetitions written out, with what a class of many ranges costs on top. */
  readonly size: number;
  /** The largest product of the numbers in nested `{…}`. */
  readonly repeats: number;
}

interface Piece extends Re2Pattern {
  /** An assertion such as `^` or `\b`, which cannot be repeated. */
  readonly assertion?: boolean;
}

/** Ranges in the table of a Unicode property, in instructions: what building such a class costs. */
const PROPERTY_SIZE = 32;

class Refused extends Error {}

/** Translates `source`; refuses in words what is not ECMA-262 and what no linear-time engine can do. */
export function readEcmaPattern(source: string): Re2Pattern | { readonly refused: string } {
  const reader = new PatternReader(source);
  try {
    return reader.readAll();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refused: error.message };
  }
}

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;
  /** Costs that repetitions do not multiply. */
  #tables = 0;

  constructor(source: string) {
    this.#characters = [...source];
  }

  readAll(): Re2Pattern {
    const all = this.#alternatives();
    if (this.#at < this.#characters.length) throw new Refused("has a `)` that nothing opens; write it `\\)`");
    return { re2: all.re2, size: all.size + this.#tables, repeats: all.repeats };
  }

  #peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? "";
  }

  #take(text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.#peek(index) !== text[index]) return false;
    }
    this.#at += text.length;
    return true;
  }

  #alternatives(): Piece {
    const branches = [this.#sequence()];
    while (this.#take("|")) branches.push(this.#sequence());
    if (branches.length === 1) return branches[0]!;
    return {
      re2: `(?:${branches.map(({ re2 }) => re2).join("|")})`,
      size: branches.reduce((sum, { size }) => sum + size + 1, 0),
      repeats: Math.max(...branches.map(({ repeats }) => repeats)),
    };
  }

  #sequence(): Piece {
    let re2 = "";
    let size = 0;
    let repeats = 1;
    for (;;) {
      const next = this.#peek();
      if (next === "" || next === "|" || next === ")") return { re2, size, repeats };
      const piece = this.#quantified(this.#atom());
      re2 += piece.re2;
      size += piece.size;
      repeats = Math.max(repeats, piece.repeats);
    }
  }

  #quantified(piece: Piece): Piece {
    const quantifier = this.#quantifier();
    if (quantifier === null) return piece;
    if (piece.assertion) throw new Refused("repeats something that has no width, such as `^*`");
    const { least, most, written } = quantifier;
    this.#take("?"); // Lazy or greedy: the same texts match.
    const times = most === Infinity ? least : most;
    return {
      re2: `(?:${piece.re2})${written}`,
      size: most === Infinity ? Math.max(least, 1) * piece.size + 2 : most * (piece.size + 1),
      repeats: written.startsWith("{") && times >= 2 ? times * piece.repeats : piece.repeats,
    };
  }

  #quantifier(): { least: number; most: number; written: string } | null {
    if (this.#take("*")) return { least: 0, most: Infinity, written: "*" };
    if (this.#take("+")) return { least: 1, most: Infinity, written: "+" };
    if (this.#take("?")) return { least: 0, most: 1, written: "?" };
    if (!this.#take("{")) return null;
    const least = this.#digits();
    const most = this.#take(",") ? (this.#peek() === "}" ? "" : this.#digits()) : least;
    if (least === "" || !this.#take("}")) {
      throw new Refused("has a `{` that is no repetition; write it `\\{`");
    }
    const [low, high] = [Number(least), most === "" ? Infinity : Number(most)];
    if (high < low) {
      throw new Refused(`has a repetition whose numbers are out of order: \`{${low},${high}}\``);
    }
    return { least: low, most: high, written: `{${low},${high === Infinity ? "" : high}}` };
  }

  #digits(): string {
    let digits = "";
    while (/^[0-9]$/.test(this.#peek())) digits += this.#characters[this.#at++];
    return digits;
  }

  #atom(): Piece {
    const character = this.#characters[this.#at++]!;
    switch (character) {
      case "^":
        return assertion("\\A");
      case "$":
        return assertion("\\z");
      case ".":
        return one(DOT);
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw new Refused(`has a \`${character}\` with nothing to repeat; write it \`\\${character}\``);
      case "{":
      case "}":
      case "]":
        throw new Refused(`has a \`${character}\` by itself; write it \`\\${character}\``);
      default:
        return one(literal(character.codePointAt(0)!));
    }
  }

  #group(): Piece {
    for (const sign of ["?=", "?!", "?<=", "?<!"]) {
      if (this.#take(sign)) {
        throw new Refused(
          `uses look-around, \`(${sign}…)\`, which no engine that reads a text once can do; say it without, ` +
            "or with `allOf` and `not` around two patterns",
        );
      }
    }
    if (this.#take("?<")) this.#groupName();
    else if (this.#peek() === "?" && !this.#take("?:")) {
      throw new Refused("has a `(?` that begins no group of ECMAScript; flags such as `(?i)` are not taken");
    }
    const inner = this.#alternatives();
    if (!this.#take(")")) throw new Refused("has a `(` that nothing closes; write it `\\(` or close it");
    return { re2: `(?:${inner.re2})`, size: inner.size + 1, repeats: inner.repeats };
  }

  #groupName(): void {
    const end = this.#characters.indexOf(">", this.#at);
    const name = end < 0 ? "" : this.#characters.slice(this.#at, end).join("");
    if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) {
      throw new Refused("has a `(?<` without a name and `>`");
    }
    this.#at = end + 1;
  }

  #escape(): Piece {
    const next = this.#peek();
    if (next === "b" || next === "B") {
      this.#at++;
      return assertion(`\\${next}`);
    }
    if (/^[1-9]$/.test(next) || next === "k") {
      throw new Refused(
        `uses a back-reference, \`\\${next}\`, which no engine that reads a text once can do; say it without`,
      );
    }
    const set = this.#setEscape();
    return one(set === null ? literal(this.#characterEscape()) : `[${set}]`);
  }

  /** `\d` and its like or `\p{…}`, after the backslash, as the content of a class; `null` for anything else. */
  #setEscape(): string | null {
    const next = this.#peek();
    const shorthand = SHORTHANDS.get(next);
    if (shorthand !== undefined) {
      this.#at++;
      return shorthand;
    }
    if (next !== "p" && next !== "P") return null;
    this.#at++;
    const end = this.#characters.indexOf("}", this.#at);
    if (!this.#take("{") || end < 0) throw new Refused(`has a \`\\${next}\` without \`{…}\``);
    const name = this.#characters.slice(this.#at, end).join("");
    this.#at = end + 1;
    const set = unicodeProperty(name, { negated: next === "P" });
    if (set === null) {
      throw new Refused(
        `has a \`\\${next}{…}\` that is not taken; it takes categories such as \`\\p{L}\` and scripts such as ` +
          "`\\p{Script=Greek}`",
      );
    }
    this.#tables += PROPERTY_SIZE;
    return set;
  }

  /** The code point of an escape that stands for one character, after the backslash. */
  #characterEscape(): number {
    const next = this.#characters[this.#at++] ?? "";
    const control = CONTROLS.get(next);
    if (control !== undefined) return control;
    switch (next) {
      case "":
        throw new Refused("ends in a backslash");
      case "0":
        if (/^[0-9]$/.test(this.#peek())) throw new Refused("has an octal escape; write it `\\u{…}`");
        return 0;
      case "c": {
        const letter = this.#characters[this.#at++] ?? "";
        if (!/^[A-Za-z]$/.test(letter)) throw new Refused("has a `\\c` without a letter");
        return letter.charCodeAt(0) % 32;
      }
      case "x":
        return this.#hex(2);
      case "u":
        return this.#unicodeEscape();
    }
    // The flag `u` lets only syntax characters be escaped; other ASCII punctuation can only mean itself.
    if (/^[!-/:-@[-`{-~ ]$/.test(next)) return next.charCodeAt(0);
    const what = /^[A-Za-z]$/.test(next)
      ? `\`\\${next}\`, which is no escape of ECMAScript`
      : "an escape of no use";
    throw new Refused(`has ${what}${ANCHORS.has(next) ? "; write `^` for the start, `$` for the end" : ""}`);
  }

  #unicodeEscape(): number {
    if (this.#take("{")) {
      let digits = "";
      while (/^[0-9A-Fa-f]$/.test(this.#peek())) digits += this.#characters[this.#at++];
      const code = parseInt(digits, 16);
      if (!(code <= 0x10ffff) || !this.#take("}")) throw new Refused("has a `\\u{…}` that is no character");
      return code;
    }
    const high = this.#hex(4);
    if (high < 0xd800 || high > 0xdbff || this.#peek() !== "\\" || this.#peek(1) !== "u") return high;
    const back = this.#at;
    this.#at += 2;
    const low = this.#peek() === "{" ? 0 : this.#hex(4);
    if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
    this.#at = back;
    return high;
  }

  #hex(length: number): number {
    const digits = this.#characters.slice(this.#at, this.#at + length).join("");
    if (digits.length !== length || !/^[0-9A-Fa-f]+$/.test(digits)) {
      throw new Refused(`has a \`\\${length === 2 ? "x" : "u"}\` without ${length} hexadecimal digits`);
    }
    this.#at += length;
    return parseInt(digits, 16);
  }

  #class(): Piece {
    const negated = this.#take("^");
    let content = "";
    while (!this.#take("]")) {
      if (this.#peek() === "") throw new Refused("has a `[` that nothing closes; write it `\\[` or close it");
      content += this.#classItem();
    }
    if (content === "") return one(negated ? ANYTHING : NOTHING);
    return one(`[${negated ? "^" : ""}${content}]`);
  }

  #classItem(): string {
    const low = this.#classAtom();
    if (this.#peek() !== "-" || this.#peek(1) === "]" || this.#peek(1) === "") {
      return typeof low === "string" ? low : literal(low);
    }
    this.#at++;
    const high = this.#classAtom();
    if (typeof low === "string" || typeof high === "string") {
      throw new Refused("has a range in `[…]` with a set such as `\\d` at one end; write the `-` as `\\-`");
    }
    if (high < low) throw new Refused("has a range in `[…]` whose ends are out of order");
    return `${literal(low)}-${literal(high)}`;
  }

  /** One character of a class as its code point, or a set of them as the content of a class. */
  #classAtom(): number | string {
    const character = this.#characters[this.#at++]!;
    if (character !== "\\") return character.codePointAt(0)!;
    if (this.#take("b")) return 8;
    return this.#setEscape() ?? this.#characterEscape();
  }
}

const CONTROLS: ReadonlyMap<string, number> = new Map([["t", 9], ["n", 10], ["v", 11], ["f", 12], ["r", 13]]);

/** Anchors of other languages. */
const ANCHORS: ReadonlySet<string> = new Set(["A", "z", "Z"]);

function one(re2: string): Piece {
  return { re2, size: 1, repeats: 1 };
}

function assertion(re2: string): Piece {
  return { re2, size: 1, repeats: 1, assertion: true };
}
