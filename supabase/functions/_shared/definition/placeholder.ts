/** The `{{…}}` in the texts and keys of a JSON value: where they stand. Pure. What fills them is `fill.ts`'s business. */

import { isJsonObject, type JsonValue } from "./json.ts";
import type { Path } from "./problem.ts";

/** One `{{…}}` as it stands in a value. */
export interface Placeholder {
  /** From the value's root: the text it stands in, or the member whose key it stands in. */
  readonly at: Path;
  /** What stands between the braces; `null` where they are never closed. */
  readonly inside: string | null;
  /** The text is this placeholder and nothing else. */
  readonly whole: boolean;
  /** It stands in a key, where nothing is ever filled. */
  readonly inKey: boolean;
}

/** Every `{{…}}` of `value`, in its texts and its keys, in order. Linear in it. */
export function findPlaceholders(value: JsonValue): Placeholder[] {
  const found: Placeholder[] = [];
  collect(value, [], found);
  return found;
}

function collect(value: JsonValue, at: Path, found: Placeholder[]): void {
  if (typeof value === "string") return collectText(value, { at, inKey: false }, found);
  if (Array.isArray(value)) return value.forEach((item, index) => collect(item, [...at, index], found));
  if (!isJsonObject(value)) return;
  for (const [key, member] of Object.entries(value)) {
    const below = [...at, key];
    collectText(key, { at: below, inKey: true }, found);
    collect(member, below, found);
  }
}

function collectText(text: string, where: Pick<Placeholder, "at" | "inKey">, found: Placeholder[]): void {
  if (!text.includes("{{")) return;
  const pieces = piecesOf(text);
  for (const piece of pieces) {
    if (typeof piece === "object") found.push({ ...where, inside: piece.inside, whole: pieces.length === 1 });
  }
}

/** A stretch of plain text, or what stands between `{{` and the next `}}`: `null` where none follows. */
export type Piece = string | { readonly inside: string | null };

/** The pieces of `text` in order, without empty texts. Linear in it. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", from)) {
    const close = text.indexOf("}}", open + 2);
    if (open > from) pieces.push(text.slice(from, open));
    pieces.push({ inside: close === -1 ? null : text.slice(open + 2, close) });
    if (close === -1) return pieces;
    from = close + 2;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
