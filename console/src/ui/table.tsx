/** A table that scrolls by itself where the page is narrower, also by keyboard. */

import type { ReactNode } from "react";
import "./table.css";

export function Table(
  { caption, head, children }: { caption: string; head: ReactNode; children: ReactNode },
) {
  return (
    // Whoever has no mouse scrolls it with the arrows, once it has the focus.
    <div className="table-scroll" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="only-heard">{caption}</caption>
        <thead>{head}</thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
