/** A page: its title in the window and at its head, which takes the focus when the page comes. */

import { type ReactNode, useEffect, useRef } from "react";
import "./page.css";

export function Page(
  { title, lead, actions, children }: {
    /** A text, for the window has to show it too. */
    title: string;
    lead?: ReactNode;
    actions?: ReactNode;
    children: ReactNode;
  },
) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Framed`;
  }, [title]);
  useEffect(() => {
    // Nobody who is typing is interrupted.
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body || activeElement.closest("nav")) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <div className="page">
      <div className="page-head">
        <div className="stack-tight">
          <h1 ref={heading} tabIndex={-1}>{title}</h1>
          {lead && <div className="muted">{lead}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
