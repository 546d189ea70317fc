/**
 * A `pattern` of a schema: checked, bounded in size, and run on a linear-time engine only. Pure.
 * The syntax is `pattern-reader.ts`.
 */

import { RE2JS } from "re2js";
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE } from "./limits.ts";
import { readEcmaPattern } from "./pattern-reader.ts";
import { count } from "../words.ts";

/** Instructions of a pattern times characters of a text that cost as much as one step of a check. */
const WORK_PER_STEP = 32;

/** One regular expression that passed its check. */
export class Pattern {
  #engine: RE2JS;

  /** `size` is what it comes to in instructions of the engine, repetitions written out. */
  constructor(readonly source: string, readonly size: number, engine: RE2JS) {
    this.#engine = engine;
  }

  /** Whether `text` holds a match anywhere, as `RegExp.prototype.test` with the flag `u` would say. */
  matches(text: string): boolean {
    return this.#engine.test(text);
  }

  /** What {@link matches} may cost on `text`, in steps. */
  stepsFor(text: string): number {
    return Math.ceil((this.size * (text.length + 1)) / WORK_PER_STEP);
  }
}

/** A pattern of which is known what it comes to, and which no engine has seen. */
export interface MeasuredPattern {
  readonly source: string;
  readonly re2: string;
  readonly size: number;
}

/**
 * What `source` comes to, in ECMA-262 syntax (flag `u`), or in words why it is not taken: longer than
 * {@link MAX_PATTERN_LENGTH} characters, not a regular expression, what no linear-time engine does (look-around,
 * back-references), or repetitions that come to more than {@link MAX_PATTERN_SIZE} instructions. Cheap: no engine sees it.
 */
export function measurePattern(source: string): MeasuredPattern | { readonly refused: string } {
  if (source.length > MAX_PATTERN_LENGTH) {
    return {
      refused: `is ${
        count(source.length, "character")
      } long; a regular expression has at most ${MAX_PATTERN_LENGTH}`,
    };
  }
  const read = readEcmaPattern(source);
  if ("refused" in read) return read;
  if (read.repeats > MAX_REPEATS) {
    return {
      refused: `repeats a part more than ${count(MAX_REPEATS, "time")} in all; say \`maxLength\` instead`,
    };
  }
  if (read.size > MAX_PATTERN_SIZE) {
    return {
      refused:
        "comes to a too large program once its repetitions are written out; lower the numbers in `{…}`",
    };
  }
  return { source, re2: read.re2, size: read.size };
}

/** The pattern, or in words why the engine does not take it. Costly: milliseconds for one of many instructions. */
export function compilePattern(
  { source, re2, size }: MeasuredPattern,
): Pattern | { readonly refused: string } {
  try {
    return new Pattern(source, size, RE2JS.compile(re2));
  } catch {
    // What is left after the reader: a script the engine's Unicode tables lack.
    return { refused: "is not taken by the linear-time engine it runs on; use a simpler expression" };
  }
}

/** The engine's own limit on nested repetitions, multiplied. */
const MAX_REPEATS = 1_000;
