/** Says no, with a reason that whoever asked is told. */

import { type FormEvent, useState } from "react";
import type { Approval } from "../../api/approvals.ts";
import type { useDecide } from "../../api/approvals.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";

const MAX_REASON = 1_000;

export function RejectDialog(
  { isOpen, onClose, approval: { id, digest, calls }, decide }: {
    isOpen: boolean;
    onClose: () => void;
    approval: Approval;
    decide: ReturnType<typeof useDecide>;
  },
) {
  const [reason, setReason] = useState("");
  const isBusy = decide.isPending;
  const error = decide.variables?.decision === "reject" ? decide.error : null;
  const form = "reject-form";

  function reject(event: FormEvent) {
    event.preventDefault();
    if (isBusy) return;
    const told = reason.trim();
    decide.mutate({ id, decision: "reject", digest, ...(told === "" ? {} : { reason: told }) }, {
      onSuccess: onClose,
    });
  }

  return (
    <Dialog
      title={calls.length === 1 ? "Reject this call" : `Reject these ${calls.length} calls`}
      description="Nothing is sent. Whoever asked is told, with your reason."
      isOpen={isOpen}
      {...(isBusy ? {} : { onClose })}
      actions={
        <>
          <Button onClick={onClose} disabled={isBusy}>Cancel</Button>
          <Button type="submit" form={form} variant="danger" isBusy={isBusy}>Reject</Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={reject}>
        <TextArea
          label="Why (you may leave this out)"
          value={reason}
          maxLength={MAX_REASON}
          onChange={(event) => setReason(event.target.value)}
        />
        {error !== null && <ProblemNotice error={error} />}
      </form>
    </Dialog>
  );
}
