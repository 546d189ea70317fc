/**
 * How long a filled request may become, counted while it is filled: an argument may stand in it any number of times, so
 * neither the file's size nor the arguments' bounds it. Pure.
 */

import { count } from "../words.ts";
import type { Place } from "./holes.ts";

/** What of a request has a length of its own. */
export type Part = "address" | "headers" | "body";

/** Characters as they are sent. Of address and headers, what servers take at most. */
const MOST: Readonly<Record<Part, number>> = {
  address: 8 * 1024,
  headers: 32 * 1024,
  body: 1024 * 1024,
};

const WORDS: Readonly<Record<Part, string>> = {
  address: "address of the request",
  headers: "headers of the request together",
  body: "body of the request",
};

/** Characters that each part may still take; below 0 once it has become too long. */
export type Room = Record<Part, number>;

/** The room of a request of which nothing is filled yet. */
export function newRoom(): Room {
  return { ...MOST };
}

/** The part of a request that a place belongs to. */
export function partOf(place: Place): Part {
  switch (place) {
    case "path":
    case "query":
      return "address";
    case "header":
      return "headers";
    case "json":
    case "form":
      return "body";
    default:
      return place satisfies never;
  }
}

/**
 * `text` as `encode` writes it, counted; `null` when `part` has no room for it, now and from then on. What cannot fit is
 * not encoded: no encoding makes a text shorter.
 */
export function fit(text: string, { part, room, encode }: FitOptions): string | null {
  if (room[part] < 0) return null;
  if (text.length > room[part]) {
    room[part] = -1;
    return null;
  }
  const encoded = encode(text);
  room[part] -= encoded.length;
  return room[part] < 0 ? null : encoded;
}

interface FitOptions {
  readonly part: Part;
  readonly room: Room;
  readonly encode: (text: string) => string;
}

/** Characters that have been counted so far. */
export function lengthIn(room: Room): number {
  return (Object.keys(MOST) as Part[]).reduce((sum, part) => sum + MOST[part] - Math.max(0, room[part]), 0);
}

/** The parts that have become too long. */
export function overfull(room: Room): Part[] {
  return (Object.keys(MOST) as Part[]).filter((part) => room[part] < 0);
}

/** "the body of the request longer than 1,048,576 characters" */
export function tooLong(part: Part): string {
  return `the ${WORDS[part]} longer than ${count(MOST[part], "character")}`;
}
