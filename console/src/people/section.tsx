/** One part of the page: what it is about, what can be done, and what was done last. */

import { type ReactNode, type RefObject, useId } from "react";
import { Notice } from "../ui/notice.tsx";

export function Section(
  { title, isNamedByTab = false, lead, action, done, heading, children }: {
    title: string;
    /** Its tab says what it is, and there is no other part: the title is for who listens. */
    isNamedByTab?: boolean;
    lead?: ReactNode;
    action?: ReactNode;
    /** What was done last, in words; null where nothing was. */
    done?: ReactNode;
    /** Takes the focus when what had it is gone. */
    heading: RefObject<HTMLHeadingElement | null>;
    children: ReactNode;
  },
) {
  const id = useId();
  return (
    <section className="stack" aria-labelledby={id}>
      <div className="people-head">
        <div className="stack-tight">
          <h2 id={id} ref={heading} tabIndex={-1} className={isNamedByTab ? "only-heard" : undefined}>
            {title}
          </h2>
          {lead && <p className="muted people-lead">{lead}</p>}
        </div>
        {action}
      </div>
      {done && <Notice tone="good">{done}</Notice>}
      {children}
    </section>
  );
}
