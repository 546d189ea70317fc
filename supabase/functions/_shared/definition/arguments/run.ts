/** One check of one value: its budget of steps, and the findings that become problems. Pure. */

import type { Path, Problem } from "../problem.ts";
import { MAX_STEPS, MAX_TOLD } from "./limits.ts";

/** Where in the value evaluation stands: the key, and where it was found; `null` is the value itself. */
export interface Place {
  readonly key: string | number;
  readonly in: Place | null;
}

/** The place of member `key` of what stands at `place`. */
export function memberPlace(place: Place | null, key: string | number): Place {
  return { key, in: place };
}

/** Steps that several checks share. */
export interface StepBudget {
  left: number;
}

interface Finding {
  readonly place: Place | null;
  readonly says: string;
}

/** Collects what is wrong and counts steps; both are bounded, so any schema on any value comes to an end. */
export class Run {
  steps = 0;
  /**
   * The verdict on a value that comes later: `true` asks whether the schema may take it, `false`, within {@link turned},
   * whether it surely does. A value that is all there is judged alike by both.
   */
  doubt = true;
  /** How often a verdict hung on a value that comes later. */
  doubts = 0;
  #findings: Finding[] | null = [];

  constructor(readonly maxSteps: number = MAX_STEPS) {}

  /** Takes `steps` off the budget. `false`, from then on always, once it is used up: stop and return. */
  spend(steps: number): boolean {
    this.steps += steps;
    return this.steps <= this.maxSteps;
  }

  /** The budget is used up; what was found up to here says nothing about the value. */
  get over(): boolean {
    return this.steps > this.maxSteps;
  }

  /** Nobody listens, so the first thing wrong ends the matter. */
  get silent(): boolean {
    return this.#findings === null;
  }

  /** Notes what is wrong at `place` and returns `false`, the verdict that goes with it. */
  say(place: Place | null, says: string | (() => string)): false {
    // One more than is told, so that "and more" is known.
    if (this.#findings !== null && this.#findings.length <= MAX_TOLD && !this.over) {
      this.#findings.push({ place, says: typeof says === "string" ? says : says() });
    }
    return false;
  }

  /** The verdict of `evaluate`, whose findings are dropped. */
  quietly(evaluate: () => boolean): boolean {
    const before = this.#findings;
    this.#findings = null;
    const verdict = evaluate();
    this.#findings = before;
    return verdict;
  }

  /** The verdict of `evaluate` asked the other way: what may hold is asked whether it surely does, and back. */
  turned(evaluate: () => boolean): boolean {
    this.doubt = !this.doubt;
    const verdict = evaluate();
    this.doubt = !this.doubt;
    return verdict;
  }

  /** The verdict on what hangs on a value that comes later. */
  inDoubt(): boolean {
    this.doubts++;
    return this.doubt;
  }

  /** What `evaluate` finds, kept apart from the rest. */
  apart(evaluate: () => boolean): Finding[] {
    const before = this.#findings;
    const found: Finding[] = [];
    this.#findings = found;
    evaluate();
    this.#findings = before;
    return found;
  }

  /** The findings as problems below `base`, at most {@link MAX_TOLD}; or the one that the budget is used up. */
  problems(base: Path): Problem[] {
    if (this.over) {
      const says =
        "takes too much work to check against the schema of this tool; send less, or make it simpler";
      return [{ path: base, says }];
    }
    const findings = this.#findings ?? [];
    const told: Problem[] = findings.slice(0, MAX_TOLD).map(({ place, says }) => ({
      path: [...base, ...keysOf(place)],
      says,
    }));
    if (findings.length > MAX_TOLD) {
      told.push({ path: base, says: `has more problems than these ${MAX_TOLD}; correct them first` });
    }
    return told;
  }
}

/** The keys from the value itself down to `place`. */
export function keysOf(place: Place | null): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = place; at !== null; at = at.in) keys.unshift(at.key);
  return keys;
}

/**
 * The members of one list or object that some keyword has had a say about: what `unevaluatedProperties` and
 * `unevaluatedItems` leave alone.
 */
export class Seen {
  readonly keys = new Set<string>();
  readonly indexes = new Set<number>();

  /** Adds what another subschema has seen; the steps it costs. */
  add(other: Seen): number {
    for (const key of other.keys) this.keys.add(key);
    for (const index of other.indexes) this.indexes.add(index);
    return other.keys.size + other.indexes.size;
  }
}
