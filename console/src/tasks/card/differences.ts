/** What an approval and the fresh one in its place show differently. Pure. */

import { cardOf } from "../../../../supabase/functions/_shared/approvals/card.ts";
import { shownText } from "../../../../supabase/functions/_shared/approvals/visible.ts";
import type { Approval, Call } from "../../api/approvals.ts";
import { linesOf } from "./lines-of.ts";

export interface Difference {
  /** Which part, in words or as a path. */
  readonly what: string;
  /** Null where there was none, or is none any more. */
  readonly was: string | null;
  readonly is: string | null;
}

/** In the order they are shown: of each call first where it goes, then its arguments, then what its preview read. */
export function differencesOf(earlier: Approval, fresh: Approval): Difference[] {
  const found: Difference[] = [];
  const count = Math.max(earlier.calls.length, fresh.calls.length);
  for (let n = 0; n < count; n++) {
    const [was, is] = [partsOf(earlier.calls[n]), partsOf(fresh.calls[n])];
    for (const what of new Set([...was.keys(), ...is.keys()])) {
      const before = was.get(what) ?? null;
      const now = is.get(what) ?? null;
      if (before === now) continue;
      found.push({ what: count === 1 ? what : `Call ${n + 1}, ${what}`, was: before, is: now });
    }
  }
  if (earlier.needs !== fresh.needs) found.push({ what: "Decided by", was: earlier.needs, is: fresh.needs });
  return found;
}

function partsOf(call: Call | undefined): Map<string, string> {
  const parts = new Map<string, string>();
  if (call === undefined) return parts;
  const { tool_name, access, method, host, preview } = call;
  // No path of an argument holds a blank outside quotes, so none is taken for these.
  const about = { "its name": tool_name, "its access": access, "its method": method, "its host": host };
  for (const [what, value] of Object.entries(about)) if (value) parts.set(what, shownText(value));
  for (const { path, text, kind } of linesOf(call) ?? []) parts.set(path, text === "" ? `(${kind})` : text);
  if (!preview) return parts;
  if (!preview.ok || preview.result === undefined) parts.set("what it looks like", "(it could not be read)");
  else {
    for (const { path, text, kind } of cardOf({ now: preview.result })) {
      parts.set(`what it looks like: ${path.replace(/^now\.?/, "")}`, text === "" ? `(${kind})` : text);
    }
  }
  return parts;
}
