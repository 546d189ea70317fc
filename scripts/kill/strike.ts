/** Where something is made to die, and what. Pure. */

import type { Random } from "./random.ts";

/** What dies: the process that is at that place, the database, one of its backends, or only the connection between them. */
export type Victim = "process" | "database" | "backend" | "connection";

/** A statement is not with the server yet, with it, or answered and not read; a request is at the other system. */
export type Place =
  | `${"begin_approval" | "end_call" | "claim_abandoned"} ${"before" | "sent" | "answered"}`
  | `the send ${"connected" | "received" | "answered"}`
  | "any time";

export interface Strike {
  readonly victim: Victim;
  readonly place: Place;
  /** Of the database: an immediate stop, or none at all. */
  readonly signal: "SIGQUIT" | "SIGKILL";
  /** For any time: so many milliseconds after the decisions began. */
  readonly afterMs: number;
}

/** Every place there is. */
export const PLACES: readonly Place[] = [
  "begin_approval before",
  "begin_approval sent",
  "begin_approval answered",
  "the send connected",
  "the send received",
  "the send answered",
  "end_call before",
  "end_call sent",
  "end_call answered",
  "claim_abandoned before",
  "claim_abandoned sent",
  "claim_abandoned answered",
  "any time",
];

/** Of what dies, by how often. */
const VICTIMS: readonly Victim[] = [
  ...Array<Victim>(6).fill("process"),
  ...Array<Victim>(2).fill("database"),
  "backend",
  "connection",
];

/** The strike of one round. Each place has its turn; half of all rounds are at any time. */
export function drawStrike(random: Random, round: number): Strike {
  const place = random.happens(0.35) ? "any time" : PLACES[round % PLACES.length]!;
  const victim = random.pick(VICTIMS);
  return {
    place,
    // Only a statement can lose its connection at a place.
    victim: victim === "connection" && readStatementPlace(place) === null ? "process" : victim,
    signal: random.pick(["SIGQUIT", "SIGKILL"]),
    afterMs: random.whole(0, 250),
  };
}

/** The statement of a place and how far it is; null for a place that is none of the database's. */
export function readStatementPlace(
  place: Place,
): { statement: RegExp; when: "before" | "sent" | "answered" } | null {
  const [, name, when] = /^(\w+_\w+) (before|sent|answered)$/.exec(place) ?? [];
  if (name === undefined) return null;
  return { statement: new RegExp(`framed\\.${name}\\(`), when: when as "before" | "sent" | "answered" };
}
