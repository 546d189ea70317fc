/** Checks an export of the log by itself, line by line. Pure. */

import { hashRow } from "../../supabase/functions/_shared/log/chain/link.ts";
import type { LoggedEvent } from "../../supabase/functions/_shared/log/event.ts";

/** What a file came to. */
export type ExportVerdict =
  | {
    readonly holds: true;
    readonly events: number;
    /** Events with no place in a chain: not sealed yet, or exported by who may not see arguments. */
    readonly unsealed: number;
    /** How often events between two lines are left out, and the first such pair. */
    readonly gaps: number;
    readonly firstGap: { readonly newer: string; readonly older: string } | null;
  }
  | { readonly holds: false; readonly line: number; readonly says: string };

/**
 * Checks lines of `GET /log/export`, newest first: each is what its hash says, all are of one workspace and in order, and
 * where nothing is left out each follows the one below it. Takes memory for one line.
 */
export async function checkExport(lines: AsyncIterable<string>): Promise<ExportVerdict> {
  const found = {
    events: 0,
    unsealed: 0,
    gaps: 0,
    firstGap: null as { newer: string; older: string } | null,
  };
  let above: LoggedEvent | null = null;
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text === "") continue;
    const event = readEvent(text);
    if (event === null) return { holds: false, line, says: "it is no event of an export" };
    if (above !== null && event.workspace_id !== above.workspace_id) {
      return { holds: false, line, says: `event ${event.id} is of another workspace than the one above it` };
    }
    if (above !== null && BigInt(event.id) >= BigInt(above.id)) {
      return { holds: false, line, says: `event ${event.id} does not stand in order` };
    }
    found.events++;
    if (event.chain == null) found.unsealed++;
    else if (hashRow(event.chain.previous_hash, event) !== event.chain.hash) {
      return { holds: false, line, says: `event ${event.id} is not what was sealed: it was changed` };
    }
    if (above?.chain != null && above.chain.previous_hash !== event.chain?.hash) {
      found.gaps++;
      found.firstGap ??= { newer: above.id, older: event.id };
    }
    above = event;
  }
  return { holds: true, ...found };
}

function readEvent(text: string): LoggedEvent | null {
  try {
    const event = JSON.parse(text);
    return /^[0-9]{1,18}$/.test(event.id) && typeof event.workspace_id === "string" ? event : null;
  } catch {
    return null;
  }
}
