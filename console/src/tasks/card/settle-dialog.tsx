/** Says what became of a call whose end nobody knew, and how one knows. */

import { type FormEvent, useState } from "react";
import { type Settlement, useSettle } from "../../api/approvals.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";

const MAX_NOTE = 1_000;

/** Open while there is an outcome. */
export function SettleDialog(
  { id, outcome, onClose }: { id: string; outcome: Settlement["outcome"] | null; onClose: () => void },
) {
  const [note, setNote] = useState("");
  const [isMissing, setMissing] = useState(false);
  const settle = useSettle(id);
  const form = "settle-form";

  function send(event: FormEvent) {
    event.preventDefault();
    if (settle.isPending || outcome === null) return;
    setMissing(note.trim() === "");
    if (note.trim() !== "") settle.mutate({ outcome, note: note.trim() }, { onSuccess: onClose });
  }

  return (
    <Dialog
      title={outcome === "applied" ? "It was done" : "It was not done"}
      description={outcome === "applied"
        ? "You looked in the other system and it is there. This cannot be taken back."
        : "You looked in the other system and it is not there. This cannot be taken back, and it is not sent again."}
      isOpen={outcome !== null}
      {...(settle.isPending ? {} : { onClose })}
      actions={
        <>
          <Button onClick={onClose} disabled={settle.isPending}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isBusy={settle.isPending}>Settle</Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={send} noValidate>
        <TextArea
          label="How you know"
          hint="Colleagues and the log see it."
          value={note}
          maxLength={MAX_NOTE}
          required
          error={isMissing && note.trim() === "" && "Say where you looked, or who told you."}
          onChange={(event) => setNote(event.target.value)}
        />
        {settle.error !== null && <ProblemNotice error={settle.error} />}
      </form>
    </Dialog>
  );
}
