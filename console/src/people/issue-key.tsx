/** Issues a key, and shows it the one time it can be seen. */

import { type FormEvent, type RefObject, useId, useState } from "react";
import { usePeopleChanges } from "../api/people.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { formatInstant } from "../ui/instant.ts";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { dayOf, endOfDay, inDays } from "./expiry.ts";
import { ShownOnce } from "./shown-once.tsx";

const TERMS = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "A year"],
  ["date", "Until a day you choose"],
  ["never", "It does not expire"],
] as const;
type Term = (typeof TERMS)[number][0];

interface Issued {
  readonly name: string;
  readonly key: string;
  readonly expiresAt: string | null;
}

export function IssueKey(
  { onClose, onIssued, focusAfter }: {
    onClose: () => void;
    /** When it was shown and kept. */
    onIssued: (name: string) => void;
    focusAfter: RefObject<HTMLElement | null>;
  },
) {
  const { id } = useWorkspace();
  const { issueKey } = usePeopleChanges(id);
  const [term, setTerm] = useState<Term>("90");
  const [wrongDay, setWrongDay] = useState<string | null>(null);
  const [issued, setIssued] = useState<Issued | null>(null);
  const formId = useId();
  const issue = useAction(async ({ name, expiresAt }: { name: string; expiresAt: string | null }) => {
    setIssued({ name, expiresAt, key: await issueKey({ name, expiresAt }) });
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const expiresAt = expiryOf(term, String(form.get("day") ?? ""));
    if (expiresAt === "passed") return setWrongDay("A day from today on is wanted.");
    setWrongDay(null);
    issue.run({ name: String(form.get("name")).trim(), expiresAt });
  }

  if (issued !== null) {
    return (
      <ShownOnce
        title={
          <>
            The key <Said>{issued.name}</Said>
          </>
        }
        name="Key"
        value={issued.key}
        onKept={() => {
          setIssued(null);
          onIssued(issued.name);
        }}
        focusAfter={focusAfter}
      >
        <p className="muted">
          A program sends it as the header{" "}
          <code>X-Framed-Api-Key</code>. It acts as you, on this workspace alone, {issued.expiresAt === null
            ? "until it is revoked."
            : `until ${formatInstant(issued.expiresAt)} at the latest.`}
        </p>
      </ShownOnce>
    );
  }
  return (
    <Dialog
      title="Issue a key"
      description="Whoever has it calls and adds tools and asks for changes as you, on this workspace. It approves nothing, pastes no secret and issues no key."
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" isBusy={issue.isBusy}>Issue</Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        {issue.error !== null && <ProblemNotice error={issue.error} />}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={80}
          autoComplete="off"
          hint="Which program has it, and where: it is how you know it again."
        />
        <SelectField
          label="How long it is good"
          value={term}
          onChange={(event) => setTerm(event.target.value as Term)}
          hint={term === "never"
            ? "Then nothing but you ends it: revoke it when it is not needed."
            : undefined}
        >
          {TERMS.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
        </SelectField>
        {term === "date" && (
          <TextField
            label="Until the end of"
            name="day"
            type="date"
            required
            min={dayOf(new Date())}
            error={wrongDay}
          />
        )}
      </form>
    </Dialog>
  );
}

function expiryOf(term: Term, day: string): string | null | "passed" {
  const now = new Date();
  switch (term) {
    case "never":
      return null;
    case "date": {
      const end = endOfDay(day);
      return end !== null && end > now ? end.toISOString() : "passed";
    }
    default:
      return inDays(Number(term), now).toISOString();
  }
}
