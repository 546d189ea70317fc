/** A text that somebody else wrote: shown as text, with what hides or turns in it made visible, apart from our words. */

import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";

export function Said({ children }: { children: string }) {
  return <bdi>{shownText(children)}</bdi>;
}
