/** Asks why before one or several are rejected. What is written is read by whoever asked. */

import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { MarkedText } from "../card/marked.tsx";

const MOST = 1_000;

/** `onReject` gives the refusal where it is to be tried again, else null. */
export function RejectDialog(
  { name, onReject, onClose }: {
    name: string;
    onReject: (reason: string) => Promise<unknown>;
    onClose: () => void;
  },
) {
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function reject() {
    setBusy(true);
    setError(null);
    const refused = await onReject(reason.trim()).catch((error) => error);
    setBusy(false);
    if (refused === null) onClose();
    else setError(refused);
  }

  return (
    <Dialog
      title={
        <>
          Reject “<MarkedText>{name}</MarkedText>”?
        </>
      }
      description="Nothing is sent. Whoever asked is told that it was rejected."
      isOpen
      {...(isBusy ? {} : { onClose })}
      actions={
        <>
          <Button onClick={() => isBusy || onClose()}>Cancel</Button>
          <Button variant="danger" isBusy={isBusy} onClick={reject}>Reject</Button>
        </>
      }
    >
      <div className="stack">
        <TextArea
          label="Why, if you like"
          hint="The program that asked reads this, and can ask better the next time."
          value={reason}
          maxLength={MOST}
          onChange={(event) => setReason(event.target.value)}
        />
        {error !== null && <ProblemNotice error={error} />}
      </div>
    </Dialog>
  );
}
