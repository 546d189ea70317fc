/** Arguments put into the pieces of one text, each encoded for its place. Pure. */

import { kindOf } from "../words.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import type { Piece } from "../template.ts";
import type { HoledText, Place } from "./holes.ts";
import { fit, newRoom, type Part, partOf, type Room, tooLong } from "./room.ts";

/** The arguments of a call, what turns out to be wrong with them, and the room that the request still has. */
export interface Filling {
  readonly args: JsonObject;
  readonly problems: Problem[];
  readonly room: Room;
}

/** Problems that are noted at most: a list of wrong values may stand in many places. */
const MAX_NOTED = 2_000;

export function fillingOf(args: JsonObject): Filling {
  return { args, problems: [], room: newRoom() };
}

export function note(problem: Problem, { problems }: Filling): void {
  if (problems.length < MAX_NOTED) problems.push(problem);
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

/**
 * `text` as `encode` writes it, as it stands by default. Once the part of the request has no room for it that is noted,
 * once, and there is nothing of this text and all that follow.
 */
export function put(
  text: string,
  { part, path = ARGUMENTS, filling, encode = (text) => text }: {
    part: Part;
    path?: Path;
    filling: Filling;
    encode?: (text: string) => string;
  },
): string {
  const { room } = filling;
  if (isFull(part, filling)) return "";
  const fitted = fit(text, { part, room, encode });
  if (fitted === null) {
    filling.problems.push({ path, says: `makes ${tooLong(part)}; shorter values are wanted` });
  }
  return fitted ?? "";
}

/** Whether `part` has become too long, so that filling more of it is of no use. */
export function isFull(part: Part, { room }: Filling): boolean {
  return room[part] < 0;
}

/** `value` as text: a text, a number, true or false. Anything else is noted as a problem of `path`. */
export function scalarText(
  value: JsonValue,
  { path, filling }: { path: Path; filling: Filling },
): string | null {
  if (typeof value === "string" && !value.isWellFormed()) {
    note({ path, says: "holds half of a surrogate pair; write the whole character" }, filling);
    return null;
  }
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") {
    return String(value);
  }
  note({ path, says: `found ${kindOf(value)}; a text, a number, true or false is wanted here` }, filling);
  return null;
}

interface FillOptions {
  readonly filling: Filling;
  readonly place: Place;
  /** How an argument's text is written here. */
  readonly encode: (text: string) => string;
  /** How the template's own text is written here; as it stands by default. */
  readonly encodeText?: (text: string) => string;
  /** Notes what of an argument's text has no place here as a problem of `path`. */
  readonly judge?: (text: string, path: Path) => void;
}

/**
 * The pieces in order, arguments filled in and credentials as holes; `null` when an argument is absent, so that
 * whoever holds the text leaves it out. Filled once: what an argument says is text, braces and all.
 */
export function fillPieces(pieces: readonly Piece[], options: FillOptions): HoledText | null {
  const { filling, place, encode, encodeText, judge } = options;
  const part = partOf(place);
  if (isFull(part, filling)) return [];
  const named = new Set(pieces.flatMap((piece) => piece.kind === "argument" ? [piece.name] : []));
  const texts = new Map<string, string | null>();
  for (const name of named) {
    const value = argumentOf(name, filling);
    if (value === undefined) continue;
    const path = argumentPath(name);
    const text = scalarText(value, { path, filling });
    if (text !== null) judge?.(text, path);
    texts.set(name, text);
  }
  // What is left out takes no room.
  if (texts.size < named.size) return null;
  const filled: HoledText[number][] = [];
  for (const piece of pieces) {
    if (isFull(part, filling)) break;
    if (piece.kind === "text") filled.push(put(piece.text, { part, filling, encode: encodeText }));
    else if (piece.kind === "credential") filled.push({ key: piece.key, base64: piece.base64, place });
    else {
      const text = texts.get(piece.name) ?? null;
      if (text !== null) filled.push(put(text, { part, path: argumentPath(piece.name), filling, encode }));
    }
  }
  return filled;
}
