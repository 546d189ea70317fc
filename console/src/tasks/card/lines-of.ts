/** What a person is shown of a call's arguments. Pure. */

import { cardOf } from "../../../../supabase/functions/_shared/approvals/card.ts";
import type { Call, CardLine } from "../../api/approvals.ts";

/** The lines of a call: those of the answer, else computed the same way. Null where one may not see the arguments. */
export function linesOf({ card, args, from_calls }: Call): readonly CardLine[] | null {
  if (card !== undefined) return card.lines;
  return args === null ? null : cardOf(args, from_calls ?? []);
}
