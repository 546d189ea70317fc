/** Checks the chain of the rows that the page holds, here, without taking anybody's word. Pure. */

import { hashRow } from "../../../supabase/functions/_shared/log/chain/link.ts";
import type { LogRow } from "../api/log.ts";

/** What was found. */
export interface ChainCheck {
  /** Rows whose hash is that of what they say. */
  readonly sealed: number;
  /** The newest ones, which the next tick seals. */
  readonly unsealed: number;
  /** The id of the first row, from the oldest, that is not what was sealed, or does not follow the one before it. */
  readonly broken: string | null;
}

/**
 * Newest first, as the log answers them. `isWhole` says that no row is left out between two of them: then each has to
 * follow the one below it, else each is only looked at by itself.
 */
export function checkChain(rows: readonly LogRow[], { isWhole }: { isWhole: boolean }): ChainCheck {
  let sealed = 0;
  let unsealed = 0;
  let previousHash: string | null = null;
  for (const row of rows.toReversed()) {
    const { chain } = row;
    if (chain === null || chain === undefined) {
      unsealed++;
      continue;
    }
    const follows = !isWhole ||
      (unsealed === 0 && (previousHash ?? chain.previous_hash) === chain.previous_hash);
    if (!follows || hashRow(chain.previous_hash, row) !== chain.hash) {
      return { sealed, unsealed, broken: row.id };
    }
    previousHash = chain.hash;
    sealed++;
  }
  return { sealed, unsealed, broken: null };
}
