/** How text is laid out for its reader: styled or plain, broken for a terminal or in whole lines for a program. Pure. */

import type { Paint } from "./paint.ts";

/** What the reader's end can show. */
export interface Layout {
  readonly paint: Paint;
  /** Where a terminal ends; `null` leaves lines whole, as a pipe wants them. */
  readonly columns: number | null;
}

/** A terminal narrower than this beside the indent breaks lines itself. */
const MIN_ROOM = 16;

/**
 * The text with line breaks, so that no line passes the terminal's edge: at blanks, and inside what is longer than a
 * line. An address stays whole, to be followed or copied. The first line starts at column `at`, every other is indented
 * by `hang`. A character counts as one column, a style as none.
 */
export function wrap(
  text: string,
  { at, hang, columns }: { at: number; hang: number; columns: number | null },
) {
  if (columns === null) return text;
  const edge = Math.max(columns, hang + MIN_ROOM);
  const lineBreak = `\n${" ".repeat(hang)}`;
  let [wrapped, column] = ["", at];
  for (const [place, word] of text.split(" ").entries()) {
    const width = widthOf(word);
    if (place > 0 && column + 1 + width > edge && !wrapped.endsWith(lineBreak)) {
      wrapped += lineBreak;
      column = hang;
    } else if (place > 0) {
      wrapped += " ";
      column++;
    }
    if (width <= edge - column || isAddress(word)) {
      wrapped += word;
      column += width;
      continue;
    }
    for (const [piece] of word.matchAll(PIECE)) {
      if (widthOf(piece) > 0 && column >= edge) {
        wrapped += lineBreak;
        column = hang;
      }
      wrapped += piece;
      column += widthOf(piece);
    }
  }
  return wrapped;
}

/** A style's escape, or one character. */
// deno-lint-ignore no-control-regex
const PIECE = /\x1b\[\d+m|[^]/gu;

function widthOf(text: string): number {
  let width = 0;
  for (const [piece] of text.matchAll(PIECE)) width += piece.startsWith("\x1b") ? 0 : 1;
  return width;
}

function isAddress(word: string): boolean {
  return /^https?:\/\//.test(word);
}
