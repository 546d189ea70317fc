/** Arguments put into the pieces of one text, each encoded for its place. Pure. */

import { kindOf } from "../words.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import type { Piece } from "../template.ts";
import type { HoledText, Place } from "./holes.ts";

/** The arguments of a call, and what turns out to be wrong with them. */
export interface Filling {
  readonly args: JsonObject;
  readonly problems: Problem[];
}

/** The argument's value, `undefined` when the call does not give it. */
export function argumentOf(name: string, { args }: Filling): JsonValue | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

/** Where a problem with the arguments as a whole is. */
export const ARGUMENTS: Path = ["args"];

/** Where a problem with one argument is. */
export function argumentPath(name: string): Path {
  return [...ARGUMENTS, name];
}

/** `value` as text: a text, a number, true or false. Anything else is noted as a problem of `path`. */
export function scalarText(
  value: JsonValue,
  { path, filling }: { path: Path; filling: Filling },
): string | null {
  if (typeof value === "string" && !value.isWellFormed()) {
    filling.problems.push({ path, says: "holds half of a surrogate pair; write the whole character" });
    return null;
  }
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") {
    return String(value);
  }
  filling.problems.push({
    path,
    says: `found ${kindOf(value)}; a text, a number, true or false is wanted here`,
  });
  return null;
}

interface FillOptions {
  readonly filling: Filling;
  readonly place: Place;
  /** How an argument's text is written here. Notes a problem of `path` when it cannot be. */
  readonly encode: (text: string, path: Path) => string;
  /** How the template's own text is written here; as it stands by default. */
  readonly encodeText?: (text: string) => string;
}

/**
 * The pieces in order, arguments filled in and credentials as holes; `null` when an argument is absent, so that
 * whoever holds the text leaves it out. Filled once: what an argument says is text, braces and all.
 */
export function fillPieces(pieces: readonly Piece[], options: FillOptions): HoledText | null {
  const { filling, place, encode, encodeText = (text) => text } = options;
  const filled: HoledText[number][] = [];
  for (const piece of pieces) {
    if (piece.kind === "text") filled.push(encodeText(piece.text));
    else if (piece.kind === "credential") filled.push({ key: piece.key, base64: piece.base64, place });
    else {
      const value = argumentOf(piece.name, filling);
      if (value === undefined) return null;
      const path = argumentPath(piece.name);
      const text = scalarText(value, { path, filling });
      if (text !== null) filled.push(encode(text, path));
    }
  }
  return filled;
}
