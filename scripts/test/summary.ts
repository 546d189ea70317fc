/** Reads how many tests passed and failed from what `deno test` prints. Pure. */

import { stripVTControlCharacters } from "node:util";

/** How one run of `deno test` ended. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

/**
 * The tally of a run, from the last summary line it printed and whether it exited with success.
 *
 * A run that exited otherwise never has a tally without a failure: what keeps tests from being run at all, such as an
 * import that is missing, prints no summary.
 */
export function readTally(output: string, { success }: { success: boolean }): Tally {
  let tally: Tally = { passed: 0, failed: 0, ignored: 0 };
  for (const line of stripVTControlCharacters(output).split("\n")) {
    const found =
      /^(?:ok|FAILED) \| (\d+) passed(?: \(.+?\))? \| (\d+) failed(?: \(.+?\))?(?: \| (\d+) ignored)?/
        .exec(line);
    if (found === null) continue;
    tally = { passed: Number(found[1]), failed: Number(found[2]), ignored: Number(found[3] ?? 0) };
  }
  return success || tally.failed > 0 ? tally : { ...tally, failed: 1 };
}
