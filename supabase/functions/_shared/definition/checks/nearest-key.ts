/** Which known key a wrong one was most likely meant to be: always one of them, where `nearest` knows of slips only. Pure. */

import { editDistance } from "../words.ts";

/** Of a wrong key, in UTF-16 units, that are compared: no key of a file is longer. */
const MAX_KEY = 40;

/** The one of `known` that takes the fewest changes to become `key`, the first of equals. */
export function nearestKey(key: string, known: readonly string[]): string {
  const wrong = key.slice(0, MAX_KEY).toLowerCase();
  let best = known[0] ?? "none";
  let least = Infinity;
  for (const candidate of known) {
    const distance = editDistance(wrong, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}
