/** What the other system does with a write. Pure. */

import type { Random } from "./random.ts";

/** What is done with a request, once all of it is there. */
export interface Behaviour {
  /** Before anything else happens, in milliseconds. */
  readonly waitMs: number;
  /** The status of a whole answer; or how the connection ends without one. */
  readonly then: number | "cut_before_head" | "cut_after_head" | "cut_in_body" | "never";
}

/** Mostly what it should. */
export function drawBehaviour(random: Random): Behaviour {
  const waitMs = random.happens(0.5)
    ? 0
    : random.happens(0.98)
    ? random.whole(1, 150)
    : random.whole(1_000, 4_000);
  const luck = random.next();
  if (luck < 0.72) return { waitMs, then: random.pick([200, 201, 204]) };
  if (luck < 0.79) return { waitMs, then: random.pick([302, 400, 409, 422, 429]) };
  if (luck < 0.86) return { waitMs, then: random.pick([408, 500, 502, 503]) };
  if (luck < 0.99) {
    return { waitMs, then: random.pick(["cut_before_head", "cut_after_head", "cut_in_body"]) };
  }
  return { waitMs, then: "never" };
}
