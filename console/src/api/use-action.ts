/**
 * Something that is asked for by pressing a button, once. Unlike a mutation of the query client it keeps nothing of what
 * was sent, so that it can carry what has to stay nowhere.
 */

import { useCallback, useEffect, useRef, useState } from "react";

export interface Action<T> {
  /** Runs the work unless it is under way. Answers whether it went through; what was refused is in `error`. */
  run(input: T): Promise<boolean>;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Forgets the last refusal. */
  reset(): void;
}

export function useAction<T = void>(work: (input: T) => Promise<unknown>): Action<T> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isRunning = useRef(false);
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  const run = useCallback(async (input: T) => {
    // Two presses can come before the first is drawn.
    if (isRunning.current) return false;
    isRunning.current = true;
    setBusy(true);
    setError(null);
    try {
      await latest.current(input);
      return true;
    } catch (refused) {
      setError(refused);
      return false;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  }, []);
  const reset = useCallback(() => setError(null), []);
  return { run, isBusy, error, reset };
}
