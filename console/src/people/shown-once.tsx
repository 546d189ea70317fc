/** Shows a credential the one time it can be seen. It is in the caller's state alone, and gone once it is kept. */

import type { ReactNode, RefObject } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea } from "../ui/field.tsx";
import { useFirstMoment } from "../ui/first-moment.ts";
import { Notice } from "../ui/notice.tsx";

/** It closes by the button alone: a key that was pressed too much would lose it. */
export function ShownOnce(
  { title, name, value, onKept, focusAfter, children }: {
    title: ReactNode;
    /** What it is: `Key`. */
    name: string;
    value: string;
    onKept: () => void;
    focusAfter?: RefObject<HTMLElement | null>;
    children: ReactNode;
  },
) {
  // On a phone its button stands where the one that asked for it did.
  const isNew = useFirstMoment(value);
  return (
    <Dialog
      title={title}
      isOpen
      {...(focusAfter === undefined ? {} : { focusAfter })}
      actions={<Button variant="primary" disabled={isNew} onClick={onKept}>I have kept it</Button>}
    >
      <div className="stack people-once">
        <Notice tone="warn" title="This is shown now and never again">
          Put it where it is used, or into a password store, before you go on. Lost, it cannot be looked up:
          there is only a new one.
        </Notice>
        <TextArea
          label={name}
          className="mono"
          rows={2}
          readOnly
          spellCheck={false}
          autoComplete="off"
          value={value}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton text={value} what={` the ${name.toLowerCase()}`} />
        {children}
      </div>
    </Dialog>
  );
}
