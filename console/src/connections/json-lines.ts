/** A value as pretty JSON, line by line, what hides in it made visible. Pure. */

import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";

export function linesOf(value: unknown): string[] {
  return JSON.stringify(value, null, 2).split("\n").map(shownText);
}
