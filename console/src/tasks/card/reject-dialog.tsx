/** Says no to one or several calls, with a reason that whoever asked is told. */

import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";

const MAX_REASON = 1_000;
const FORM = "reject-form";

export function RejectDialog(
  { title, isOpen = true, onReject, onClose }: {
    title: ReactNode;
    isOpen?: boolean;
    /** Gives what it was refused for where it is to be tried again from here, else null. The reason may be empty. */
    onReject: (reason: string) => Promise<unknown>;
    onClose: () => void;
  },
) {
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function reject(event: FormEvent) {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(null);
    const refused = await onReject(reason.trim()).catch((error) => error);
    setBusy(false);
    if (refused === null) onClose();
    else setError(refused);
  }

  return (
    <Dialog
      title={title}
      description="Nothing is sent. Whoever asked is told that it was rejected."
      isOpen={isOpen}
      {...(isBusy ? {} : { onClose })}
      actions={
        <>
          <Button onClick={() => isBusy || onClose()}>Cancel</Button>
          <Button type="submit" form={FORM} variant="danger" isBusy={isBusy}>Reject</Button>
        </>
      }
    >
      <form id={FORM} className="stack" onSubmit={reject}>
        <TextArea
          label="Why, if you like"
          hint="The program that asked reads this, and can ask better the next time."
          value={reason}
          maxLength={MAX_REASON}
          onChange={(event) => setReason(event.target.value)}
        />
        {error !== null && <ProblemNotice error={error} />}
      </form>
    </Dialog>
  );
}
