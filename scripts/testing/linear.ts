/** Holds work to linear time by what it takes for two sizes, in one run and without what other programs take. */

/** Linear work takes eight times as long for this many times the size, quadratic work 64 times. */
const TIMES_THE_SIZE = 8;
const AT_MOST_TIMES_AS_LONG = 24;
/** What disturbs a measurement makes it longer and never shorter, so the shortest of several rounds counts. */
const ROUNDS = 5;

/**
 * Throws where what `prepare` makes for `size` takes more than 24 times as long as what it makes for an eighth of it:
 * linear work takes 8 times as long and quadratic work 64 times. What `prepare` itself takes does not count.
 */
export function assertLinear(what: string, size: number, prepare: (size: number) => () => unknown): void {
  const small = prepare(Math.ceil(size / TIMES_THE_SIZE));
  const large = prepare(size);
  // What runs for the first time is slow by itself, which would make the larger look quick.
  small();
  let [smallMs, largeMs] = [Infinity, Infinity];
  for (let round = 1; round <= ROUNDS; round++) {
    smallMs = Math.min(smallMs, measure(small));
    largeMs = Math.min(largeMs, measure(large));
    if (largeMs <= AT_MOST_TIMES_AS_LONG * smallMs) return;
  }
  throw new Error(
    `${what}: ${largeMs.toFixed(3)} ms for ${size}, ${smallMs.toFixed(3)} ms for an eighth of it`,
  );
}

/** A system counts what a thread has had some milliseconds late, so short work is done again until it adds up. */
const MEASURED_MS = 60;

function measure(work: () => unknown): number {
  const startedAtMs = usedMs();
  for (let turn = 1;; turn++) {
    work();
    const tookMs = usedMs() - startedAtMs;
    if (tookMs >= MEASURED_MS) return tookMs / turn;
  }
}

/** What this thread has had of a processor, where the system tells; else the time. */
function usedMs(): number {
  try {
    return parseInt(Deno.readTextFileSync("/proc/thread-self/schedstat")) / 1_000_000;
  } catch {
    return performance.now();
  }
}
