/** A text of which what hides or turns is written out already, with those marks set apart from the text around them. */

import { Fragment } from "react";
import { shownText } from "../../../../supabase/functions/_shared/approvals/visible.ts";
import "./marked.css";

/** No text writes one: its own brackets are marked too. */
const MARK = /(⟨U\+[0-9A-F]{4,6} [^⟨⟩]*⟩)/;

/** `text` as `shownText` or `shownLines` gives it. */
export function Marked({ text }: { text: string }) {
  return (
    <bdi className="marked">
      {text.split(MARK).map((part, index) =>
        index % 2 === 1
          ? <mark key={index} className="mark">{part}</mark>
          : <Fragment key={index}>{part}</Fragment>
      )}
    </bdi>
  );
}

/** The same of a text as somebody wrote it, on one line. */
export function MarkedText({ children }: { children: string }) {
  return <Marked text={shownText(children)} />;
}
