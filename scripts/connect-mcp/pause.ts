/** The wait between two looks at what another process does. */

const LOOK_MS = 200;

/** Waits a moment; rejects with the signal's reason. */
export function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, LOOK_MS);
    signal.addEventListener("abort", stop, { once: true });
  });
}
