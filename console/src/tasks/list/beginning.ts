/** The beginning of what would be sent, for a list: as much as is read at a glance, and how much more there is. Pure. */

import { count, grouped } from "../../../../supabase/functions/_shared/definition/words.ts";
import type { CardLine } from "../../../../supabase/functions/_shared/approvals/card.ts";

/** Lines of all calls together that a card of the list shows. */
const MOST_LINES = 12;
/** UTF-16 units of one value, and of all together. */
const MOST_OF_A_VALUE = 280;
const MOST_TEXT = 1_200;
/** Of the JSON of what a preview read. */
const MOST_OF_A_PREVIEW = 600;

/** What of a call is needed: its preview, where it has one. */
interface Previewed {
  readonly preview?: object | null;
}

export interface ShownCall<C extends Previewed> {
  readonly call: C;
  /** Its place among the calls, from 0. */
  readonly n: number;
  /** Null where its arguments are not for who looks. A value that is cut says so in its notes. */
  readonly lines: readonly CardLine[] | null;
  /** What it looks like now, where that is shown. */
  readonly preview: C["preview"] | null;
}

export interface Beginning<C extends Previewed> {
  readonly calls: readonly ShownCall<C>[];
  /** What is not shown. */
  readonly more: {
    readonly calls: number;
    readonly values: number;
    readonly characters: number;
    readonly previews: number;
  };
  /** All of it is shown. */
  readonly isWhole: boolean;
}

/** The beginning of calls, of which `lines` are all the lines of each; all of it where that is little. */
export function beginningOf<C extends Previewed>(
  calls: readonly { readonly call: C; readonly lines: readonly CardLine[] | null }[],
): Beginning<C> {
  let [linesLeft, textLeft] = [MOST_LINES, MOST_TEXT];
  const more = { calls: 0, values: 0, characters: 0, previews: 0 };
  const shown: ShownCall<C>[] = [];
  for (const [n, { call, lines }] of calls.entries()) {
    if (n > 0 && (linesLeft <= 0 || textLeft <= 0)) {
      more.calls++;
      more.values += lines?.length ?? 0;
      if (call.preview) more.previews++;
      continue;
    }
    const part: CardLine[] = [];
    for (const line of lines ?? []) {
      if (linesLeft <= 0 || textLeft <= 0) {
        more.values++;
        continue;
      }
      const text = beginOf(line.text, Math.max(Math.min(MOST_OF_A_VALUE, textLeft), 40));
      const left = line.text.length - text.length;
      part.push(left === 0 ? line : { ...line, text, notes: [...line.notes, goesOn(left)] });
      more.characters += left;
      textLeft -= text.length;
      linesLeft--;
    }
    const { preview = null } = call;
    const isLong = preview !== null && JSON.stringify(preview).length > MOST_OF_A_PREVIEW;
    if (isLong) more.previews++;
    shown.push({ call, n, lines: lines === null ? null : part, preview: isLong ? null : preview });
    // Every call is a heading of its own to read.
    linesLeft--;
  }
  return { calls: shown, more, isWhole: Object.values(more).every((left) => left === 0) };
}

function goesOn(left: number): string {
  return `this is its beginning: ${count(left, "more character")}`;
}

/** How much more there is, in words: `33 more values`. */
export function moreInWords({ calls, values, characters, previews }: Beginning<Previewed>["more"]): string {
  const parts = [
    ...(calls > 0 ? [count(calls, "more call")] : []),
    ...(values > 0 ? [count(values, "more value")] : []),
    ...(characters > 0 ? [`${grouped(characters)} more characters`] : []),
    ...(previews > 0 ? ["what it looks like now"] : []),
  ];
  return parts.join(", ");
}

/** At most `length` units of it, cut neither within a pair nor within a mark. */
function beginOf(text: string, length: number): string {
  // A few characters more are no more to read than the words that would say so.
  if (text.length <= length + 40) return text;
  let cut = text.slice(0, length);
  const open = cut.lastIndexOf("⟨");
  if (open > cut.lastIndexOf("⟩")) cut = cut.slice(0, open);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
