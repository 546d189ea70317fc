/**
 * `deno task kill-test [--rounds N] [--seconds S] [--seed X]`: approved writes are sent at most once, whatever dies. Prints
 * what it did and what it came to; exits 1 where anything does not hold.
 */

import { parseArgs } from "node:util";
import { play } from "./play.ts";
import { formatPlayed } from "./report.ts";

const USAGE = `deno task kill-test [--rounds N] [--seconds S] [--seed X]

Kills what serves and what stores while people approve writes, and looks whether each was sent at most once.

  --rounds N   ends after so many rounds; as many as there is time for unless said
  --seconds S  ends after so many seconds; 900 unless said
  --seed X     plays the same again, as far as the machine lets it; another each time unless said
`;

const DEFAULT_SECONDS = 900;
const LONGEST_NAP_MS = 70_000;
/** Rounds between two words of progress. */
const TOLD_EVERY = 25;

async function main(args: readonly string[]): Promise<number> {
  const given = readOptions(args);
  if (given === null) {
    console.error(USAGE);
    return 2;
  }
  const startedMs = performance.now();
  const played = await play({
    ...given,
    longestNapMs: LONGEST_NAP_MS,
    onRound({ rounds, received, violations }) {
      if (rounds % TOLD_EVERY !== 0) return;
      console.error(`${rounds} rounds, ${received} requests received, ${violations.length} violations`);
    },
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  console.log(formatPlayed(played, { seconds, seed: given.seed }));
  return played.violations.length === 0 ? 0 : 1;
}

function readOptions(args: readonly string[]): { rounds: number; seconds: number; seed: string } | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { rounds: { type: "string" }, seconds: { type: "string" }, seed: { type: "string" } },
    });
    const rounds = Number(values.rounds ?? Infinity);
    const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
    if (!(rounds >= 1) || !(seconds >= 1)) return null;
    return { rounds, seconds, seed: values.seed ?? crypto.randomUUID() };
  } catch {
    return null;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
