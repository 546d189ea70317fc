/** How long ago something was, by whichever of two clocks says more. */

/** Milliseconds since it began, never less than they are. */
export type Age = () => number;

/** What tells the time: one that goes on at one pace, and one that people read, which knows of a machine that was asleep. */
export interface Clocks {
  readonly elapsedMs: () => number;
  readonly wallMs: () => number;
}

const CLOCKS: Clocks = { elapsedMs: () => performance.now(), wallMs: () => Date.now() };

/**
 * Starts now. A process that was stopped, or a machine that was asleep or moved, finds itself as old as it is; where
 * somebody sets the clock on, older. A clock that is set back makes nothing younger.
 */
export function startAge({ elapsedMs, wallMs }: Clocks = CLOCKS): Age {
  const [elapsedAt, wallAt] = [elapsedMs(), wallMs()];
  return () => Math.max(elapsedMs() - elapsedAt, wallMs() - wallAt);
}
