/** Text for a terminal: colour when it is wanted, and nothing in it that a terminal would obey. Pure. */

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Style = keyof typeof STYLES;

/** Puts a style around a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

/** Colour is for a terminal that can show it, and for nobody who set `NO_COLOR`. */
export function wantsColour(
  { isTerminal, env }: { isTerminal: boolean; env: Readonly<Record<string, string | undefined>> },
): boolean {
  return isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
}

/** A paint that styles with the terminal's escapes, or one that leaves every text alone. */
export function makePaint(colour: boolean): Paint {
  if (!colour) return (_style, text) => text;
  return (style, text) => `\x1b[${STYLES[style][0]}m${text}\x1b[${STYLES[style][1]}m`;
}

/** Control, bidirectional and other invisible characters, and halves of a pair. */
// deno-lint-ignore no-control-regex
const UNSEEN = /[\x00-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * The text with every character that a terminal obeys or a reader does not see written out as `\u{…}`, so that a file
 * or an answer can neither move the cursor nor look like something else.
 */
export function printable(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The value as JSON, equal to it when read back, with the same characters written out. */
export function printableJson(value: unknown, { indent = 0 }: { indent?: number } = {}): string {
  return JSON.stringify(value, null, indent).split("\n").map((line) => line.replace(UNSEEN, jsonEscape)).join(
    "\n",
  );
}

function jsonEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
