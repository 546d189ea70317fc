/** One clock for all the steps of a request, joined with the caller's own signal. */

/** A clock that runs. */
export interface Deadline {
  /** Aborts when the time is over or the caller's signal does. */
  readonly signal: AbortSignal;
  /** Whether it was the time that ran out. */
  hasPassed(): boolean;
  /** Stops the clock. */
  end(): void;
}

/** Starts the clock. Whoever started it has to end it. */
export function startDeadline({ timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal }): Deadline {
  const controller = new AbortController();
  let passed = false;
  const timer = setTimeout(() => {
    passed = true;
    controller.abort(new Error("deadline"));
  }, timeoutMs);
  const onAbort = () => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort);
  return {
    signal: controller.signal,
    hasPassed: () => passed,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

/** What `work` gives, or the signal's reason as soon as it aborts; the work itself (a DNS question) cannot be stopped. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
