/** The keywords about texts and numbers. Pure. */

import { looksLikeCredential } from "../credentials.ts";
import { isMultipleOf } from "./decimal.ts";
import { findFormat } from "./format.ts";
import { type KeywordRules, numberOf, type Subject } from "./rule.ts";
import { count, tell, wantedCount } from "../words.ts";

export const TEXT_RULES: KeywordRules<string> = [
  [["minLength", "maxLength", "pattern", "format"], checkText],
];

export const NUMBER_RULES: KeywordRules<number> = [
  [["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], checkRange],
  [["multipleOf"], checkMultiple],
];

/** How many characters of a text one step pays for, where each is looked at once. */
const CHARACTERS_PER_STEP = 16;

/** Length first: a text that is too long is not worth running a pattern on. */
function checkText(text: string, subject: Subject): boolean {
  const { node, run } = subject;
  if (!run.spend(Math.ceil(text.length / CHARACTERS_PER_STEP))) return false;
  if (!checkLength(text, subject)) return false;
  return [
    !Object.hasOwn(node.schema, "pattern") || checkPattern(text, subject),
    !Object.hasOwn(node.schema, "format") || checkFormat(text, subject),
  ].every(Boolean);
}

function checkLength(text: string, subject: Subject): boolean {
  const { place, run } = subject;
  const least = numberOf(subject, "minLength", 0);
  const most = numberOf(subject, "maxLength", Infinity);
  // Code points are never more than units and at least half as many: most texts need no count.
  if (text.length <= most && text.length >= 2 * least) return true;
  const length = codePoints(text);
  if (length < least) {
    const wanted = least === 1 && length === 0
      ? "text that is not empty is wanted"
      : wantedCount("at least", least, "character");
    return run.say(place, () => `found ${count(length, "character")}; ${wanted}`);
  }
  if (length > most) {
    return run.say(
      place,
      () => `found ${count(length, "character")}; ${wantedCount("at most", most, "character")}`,
    );
  }
  return true;
}

function codePoints(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function checkPattern(text: string, { node, place, run }: Subject): boolean {
  const pattern = node.patterns.get(node.schema.pattern as string)!;
  if (!run.spend(pattern.stepsFor(text))) return false;
  if (pattern.matches(text)) return true;
  const wanted = pattern.source.length <= 80 && !looksLikeCredential(pattern.source)
    ? `text that matches ${pattern.source}`
    : "text of another form (its pattern)";
  return run.say(place, () => `found ${tell(text)}; ${wanted} is wanted`);
}

function checkFormat(text: string, { node, place, run }: Subject): boolean {
  const format = findFormat(node.schema.format as string);
  if (format === undefined || format.accepts(text)) return true;
  return run.say(place, () => `found ${tell(text)}; ${format.words} is wanted`);
}

function checkRange(value: number, subject: Subject): boolean {
  for (const [keyword, words, holds] of LIMITS) {
    const limit = numberOf(subject, keyword, NaN);
    // Without the keyword there is no number to compare with.
    if (Number.isNaN(limit) || holds(value, limit)) continue;
    return subject.run.say(subject.place, () => `found ${value}; a number ${words} ${limit} is wanted`);
  }
  return true;
}

const LIMITS: readonly (readonly [string, string, (value: number, limit: number) => boolean])[] = [
  ["minimum", "of at least", (value, limit) => value >= limit],
  ["maximum", "of at most", (value, limit) => value <= limit],
  ["exclusiveMinimum", "above", (value, limit) => value > limit],
  ["exclusiveMaximum", "below", (value, limit) => value < limit],
];

/** What a division of the longest decimals costs, in steps. */
const DIVISION_STEPS = 10;

function checkMultiple(value: number, subject: Subject): boolean {
  const { place, run } = subject;
  if (!run.spend(DIVISION_STEPS)) return false;
  const divisor = numberOf(subject, "multipleOf", 1);
  return isMultipleOf(value, divisor) ||
    run.say(place, () => `found ${value}; a multiple of ${divisor} is wanted`);
}
