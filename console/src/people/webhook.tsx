/** Where the workspace tells that something waits: its address, its signing secret, and how it fares. */

import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { type Settings, useSettingsChanges, type WebhookState } from "../api/settings.ts";
import { Problem } from "../api/problem.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Notices } from "./notices.tsx";
import { Section } from "./section.tsx";
import { ShownOnce } from "./shown-once.tsx";
import { WebhookFacts } from "./webhook-facts.tsx";

export function Webhook({ notify, state }: { notify: Settings["notify"]; state: WebhookState | null }) {
  const { id } = useWorkspace();
  const { change, rotate } = useSettingsChanges(id);
  const [secret, setSecret] = useState<string | null>(null);
  const [asked, setAsked] = useState<"rotate" | "remove" | null>(null);
  const [done, setDone] = useState<ReactNode>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const gone = useRef<HTMLElement>(null);

  const save = useAction(async (notify: NonNullable<Settings["notify"]>) => {
    setSecret(await change({ notify }));
    setDone("The webhook is saved.");
  });
  const remove = useAction(async () => {
    await change({ notify: null });
    // Its button goes with it.
    gone.current = heading.current;
    setAsked(null);
    form.current?.reset();
    setDone("The webhook is removed.");
  });
  const renew = useAction(async () => {
    const made = await rotate();
    setAsked(null);
    setSecret(made);
    setDone("The webhook has a new signing secret.");
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setDone(null);
    save.run({ url: String(form.get("url")).trim(), delay_minutes: Number(form.get("delay_minutes")) });
  }

  const wrongUrl = wrongUrlOf(save.error);

  function close() {
    setAsked(null);
    remove.reset();
    renew.reset();
  }

  return (
    <Section
      title="Webhook"
      lead="One address is told that something waits: an approval, or a write whose follow-up gave its alarm. It is told how many, and nothing that anybody wrote."
      done={done}
      heading={heading}
    >
      <form ref={form} className="card stack" onSubmit={submit}>
        {save.error !== null && wrongUrl === undefined && <ProblemNotice error={save.error} />}
        <TextField
          error={wrongUrl}
          // A new one where it was removed or set anew.
          key={`url ${notify?.url}`}
          label="Address"
          name="url"
          type="url"
          required
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          placeholder="https://hooks.example.com/framed"
          defaultValue={notify?.url ?? ""}
          hint="https, and reachable from outside. Whoever knows it can post there, so only administrators see it whole."
        />
        <TextField
          key={`delay ${notify?.delay_minutes}`}
          label="Minutes until it is told"
          name="delay_minutes"
          type="number"
          inputMode="numeric"
          required
          min={0}
          max={10080}
          step={1}
          defaultValue={notify?.delay_minutes ?? 0}
          hint="0 to 10,080, a week. What is decided before is not told of."
        />
        <div className="row">
          <Button type="submit" variant="primary" isBusy={save.isBusy}>
            {notify === null ? "Set it up" : "Save"}
          </Button>
          {notify !== null && <Button onClick={() => setAsked("rotate")}>New signing secret</Button>}
          {notify !== null && <Button variant="danger" onClick={() => setAsked("remove")}>Remove</Button>}
        </div>
      </form>
      {notify !== null && state !== null && <WebhookFacts state={state} />}
      <Notices />
      {asked === "rotate" && (
        <Confirm
          title="Make a new signing secret?"
          isOpen
          onClose={close}
          actions={
            <Button variant="danger" isBusy={renew.isBusy} onClick={() => renew.run()}>Make it</Button>
          }
        >
          <div className="stack-tight">
            {renew.error !== null && <ProblemNotice error={renew.error} />}
            <p>
              The one before counts no more. What the receiver refuses until it has the new one is sent again.
            </p>
          </div>
        </Confirm>
      )}
      {asked === "remove" && (
        <Confirm
          title="Remove the webhook?"
          isOpen
          onClose={close}
          focusAfter={gone}
          actions={
            <Button variant="danger" isBusy={remove.isBusy} onClick={() => remove.run()}>Remove</Button>
          }
        >
          <div className="stack-tight">
            {remove.error !== null && <ProblemNotice error={remove.error} />}
            <p>What it was not told of yet is dropped, and its signing secret is forgotten.</p>
          </div>
        </Confirm>
      )}
      {secret !== null && (
        <ShownOnce
          title="The signing secret of the webhook"
          name="Signing secret"
          value={secret}
          onKept={() => setSecret(null)}
          focusAfter={heading}
        >
          <p className="muted">
            The receiver checks with it that a message is from here, by any library for Standard Webhooks.
          </p>
        </ShownOnce>
      )}
    </Section>
  );
}

/** What is wrong with the address alone, to stand beside it; undefined where it is anything else. */
function wrongUrlOf(error: unknown): string | undefined {
  if (!(error instanceof Problem) || error.problems.length !== 1) return undefined;
  const [, says] = /^notify\.url: (.+)$/s.exec(error.problems[0]!) ?? [];
  return says && says.charAt(0).toUpperCase() + says.slice(1) + (/[.!?]$/.test(says) ? "" : ".");
}
