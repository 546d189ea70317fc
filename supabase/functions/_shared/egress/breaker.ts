/** Which hosts are left alone for a while because nobody could reach them. Per process; pure, the clock is passed in. */

/** How one try ended, as far as the host is concerned. What a request itself may have caused says nothing about it. */
export type Tried = "reached" | "unknown" | { readonly failed: string };

/** A host that is left alone. */
export interface LeftAlone {
  /** Whole seconds until it is tried again, at least 1. */
  readonly retryAfterSeconds: number;
  /** What was told of the last try. */
  readonly lastFailure: string;
}

export interface Breaker {
  /**
   * Null where `host` may be tried. Whoever gets that has to `report`, however the try ends.
   *
   * A host that failed 5 times in a row is left alone for 15 s; then one try is let through, and the others only when
   * that one has reached it.
   */
  ask(host: string): LeftAlone | null;
  report(host: string, tried: Tried): void;
}

const FAILURES_IN_A_ROW = 5;
const LEFT_ALONE_MS = 15_000;
/** Hosts with a failure that are remembered; the one that failed longest ago is forgotten first. */
const MAX_HOSTS = 1_000;

interface Failing {
  failures: number;
  lastFailure: string;
  /** Null until there were enough failures. */
  openUntil: number | null;
  probing: boolean;
}

/** A breaker that knows no failure yet. `now` is in milliseconds and never goes back. */
export function createBreaker({ now }: { now: () => number }): Breaker {
  const failing = new Map<string, Failing>();

  return {
    ask(host) {
      const state = failing.get(host);
      if (state === undefined || state.openUntil === null) return null;
      const leftMs = state.openUntil - now();
      if (leftMs <= 0 && !state.probing) {
        state.probing = true;
        return null;
      }
      return {
        retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
        lastFailure: state.lastFailure,
      };
    },
    report(host, tried) {
      if (tried === "reached") return void failing.delete(host);
      const state = failing.get(host) ?? { failures: 0, lastFailure: "", openUntil: null, probing: false };
      state.probing = false;
      if (tried === "unknown") return;
      state.failures += 1;
      state.lastFailure = tried.failed;
      if (state.failures >= FAILURES_IN_A_ROW) state.openUntil = now() + LEFT_ALONE_MS;
      failing.delete(host);
      failing.set(host, state);
      for (const [oldest] of failing) {
        if (failing.size <= MAX_HOSTS) break;
        failing.delete(oldest);
      }
    },
  };
}
