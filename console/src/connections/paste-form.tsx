/** Takes the value of a secret. What is typed lives here, goes out once, and is gone. */

import { type ClipboardEvent, type FormEvent, useEffect, useRef, useState } from "react";
import { shownHost } from "../../../supabase/functions/_shared/approvals/shown-host.ts";
import type { ToolSecret } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/button.tsx";
import { Choice, TextArea, TextField } from "../ui/field.tsx";
import { ProblemNotice } from "../ui/notice.tsx";

export function PasteForm(
  { secret, seen, onSend, onDone, onCancel }: {
    secret: ToolSecret;
    seen: number;
    onSend: (value: string) => Promise<unknown>;
    onDone: () => void;
    onCancel: () => void;
  },
) {
  const [value, setValue] = useState("");
  const [isShown, setShown] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  // A line end does not live in a field of one line.
  const hasLines = /[\r\n]/.test(value);
  const storing = useAction(async () => {
    await onSend(value);
    setValue("");
    onDone();
  });

  useEffect(() => field.current?.focus(), [hasLines]);
  // What was refused for the version they had seen is over once they have looked again.
  useEffect(() => storing.reset(), [seen]);

  function change(next: string) {
    setFault(null);
    setValue(next);
  }

  /** A field of one line would drop the line ends without a word. */
  function takeLines(event: ClipboardEvent<HTMLInputElement>) {
    const pasted = event.clipboardData.getData("text/plain").replace(/\r?\n$/, "");
    if (!/[\r\n]/.test(pasted)) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    change(value.slice(0, from) + pasted + value.slice(to));
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (value === "") return setFault("Paste the value first.");
    void storing.run();
  }

  const told = {
    ref: field,
    label: `Value of ${secret.name}`,
    value,
    error: fault,
    autoComplete: "off",
    autoCapitalize: "none",
    autoCorrect: "off",
    spellCheck: false,
    className: "mono",
  };
  const hint = `It goes to ${shownHost(secret.host)} only. Spaces in it count.`;

  return (
    <form className="stack paste-form" onSubmit={submit}>
      {hasLines
        ? (
          <TextArea
            {...told}
            rows={6}
            hint={`${hint} It has several lines, so it is shown.`}
            onChange={(event) => change(event.target.value)}
          />
        )
        : (
          <TextField
            {...told}
            hint={hint}
            type={isShown ? "text" : "password"}
            onChange={(event) => change(event.target.value)}
            onPaste={takeLines}
          />
        )}
      {!hasLines && (
        <Choice
          label="Show what I paste"
          checked={isShown}
          onChange={(event) => setShown(event.target.checked)}
        />
      )}
      {storing.error !== null && <ProblemNotice error={storing.error} />}
      <div className="row">
        <Button type="submit" variant="primary" isBusy={storing.isBusy}>
          {secret.set ? "Store in place of the old one" : "Store it"}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
