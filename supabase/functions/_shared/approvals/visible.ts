/**
 * Text as a person can trust it: every character that hides, turns the text around or makes blank space of its own is
 * shown as a mark with its code point. Pure. What may deceive although it shows is `look-alikes.ts`'s business.
 */

import { CHARACTER_NAMES } from "./character-names.ts";

/**
 * What does not show as itself: controls, formatting and bidirectional characters, zero-width ones, tags, variation
 * selectors, private use, unassigned, halves of pairs, fillers, and every blank but the space.
 */
const HIDDEN = /^(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u2800\u{1D159}]$/u;
/** The brackets of a mark and what looks like them: data never writes a mark. */
const BRACKETS = /^[\u2329\u232A\u27E8\u27E9\u3008\u3009]$/;
const COMBINING = /^\p{M}$/u;
const PLAIN = /^[\x20-\x7e]*$/;
const BREAKS: ReadonlySet<string> = new Set(["\n", "\r", "\u0085", "\u2028", "\u2029"]);

/** Whether `character`, one code point or half of a pair, does not show as itself. */
export function isHidden(character: string): boolean {
  return HIDDEN.test(character);
}

/**
 * `text` on one line with everything hidden shown as `⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩`. So are the brackets of a mark, so
 * that no text writes one, and a combining mark that stands on nothing of the text. Nothing is left out: different texts
 * are shown differently. Linear in it.
 */
export function shownText(text: string): string {
  return show(text, false);
}

/** {@link shownText}, and behind the mark of each line break a line break, the only control character there is in it. */
export function shownLines(text: string): string {
  return show(text, true);
}

function show(text: string, breaksLines: boolean): string {
  if (PLAIN.test(text)) return text;
  const parts: string[] = [];
  // Nothing of the text to stand on: its beginning, a blank, a mark.
  let bare = true;
  let next = 0;
  for (const character of text) {
    next += character.length;
    const marked: boolean = isHidden(character) || BRACKETS.test(character) ||
      (bare && COMBINING.test(character));
    parts.push(marked ? mark(character) : character);
    bare = marked || character === " ";
    const breaks = BREAKS.has(character) && !(character === "\r" && text[next] === "\n");
    if (breaksLines && breaks) parts.push("\n");
  }
  return parts.join("");
}

function mark(character: string): string {
  return `⟨${codePointOf(character)} ${nameOf(character)}⟩`;
}

/** `U+202E`. */
export function codePointOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

function nameOf(character: string): string {
  const point = character.codePointAt(0)!;
  const name = CHARACTER_NAMES.get(point);
  if (name !== undefined) return name;
  if (point >= 0xfe00 && point <= 0xfe0f) return `VARIATION SELECTOR-${point - 0xfe00 + 1}`;
  if (point >= 0xe0100 && point <= 0xe01ef) return `VARIATION SELECTOR-${point - 0xe0100 + 17}`;
  if (point > 0xe0020 && point < 0xe007f) return `TAG ${String.fromCharCode(point - 0xe0000)}`;
  const [, fallback = "CHARACTER"] = CLASSES.find(([pattern]) => pattern.test(character)) ?? [];
  return fallback;
}

const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/\p{Cs}/u, "UNPAIRED SURROGATE"],
  [/\p{Co}/u, "PRIVATE USE"],
  [/\p{Cn}/u, "UNASSIGNED"],
  [/\p{Cc}/u, "CONTROL CHARACTER"],
  [/\p{Cf}/u, "FORMAT CHARACTER"],
  [/\p{Z}/u, "SPACE"],
  [/\p{M}/u, "COMBINING MARK"],
  [/\p{Default_Ignorable_Code_Point}/u, "INVISIBLE CHARACTER"],
];
