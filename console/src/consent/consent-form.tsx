/** Who asks, what it may and may not, on which workspace: and the two answers. All a program says is shown as text. */

import { type FormEvent, useState } from "react";
import { type Consent, type ConsentDecision, useDecideConsent } from "../api/consent.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/field.tsx";
import { useFirstMoment } from "../ui/first-moment.ts";
import { Notice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { ConsentProblem } from "./consent-problem.tsx";

const DESTINATIONS: Record<Consent["redirect"]["kind"], string> = {
  https: "a website",
  loopback: "a program on this device",
  app: "an app on this device",
};

export function ConsentForm(
  { requestId, consent, onDecided }: {
    requestId: string;
    consent: Consent;
    onDecided: (redirectTo: string) => void;
  },
) {
  const { client, redirect, workspaces, may, may_not } = consent;
  const [chosen, setChosen] = useState(workspaces.length === 1 ? workspaces[0]!.id : null);
  const [lacksChoice, setLacksChoice] = useState(false);
  const [pressed, setPressed] = useState<ConsentDecision["decision"] | null>(null);
  const decide = useDecideConsent(requestId);
  // It comes by itself, where a moment ago there was the button to sign in.
  const isNew = useFirstMoment(requestId);
  const decision = useAction(async (decision: ConsentDecision) => onDecided(await decide(decision)));

  function send(decided: ConsentDecision) {
    if (decision.isBusy) return;
    setPressed(decided.decision);
    decision.run(decided);
  }

  function letIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (chosen === null) return setLacksChoice(true);
    send({ decision: "allow", workspace_id: chosen });
  }

  return (
    <form className="stack" aria-label="What it asks for" noValidate onSubmit={letIn}>
      <p className="consent-asks">
        <strong>
          <Said>{client.name}</Said>
        </strong>{" "}
        wants to work with your tools, as you.
      </p>
      <dl className="facts consent-facts">
        <dt>Your answer goes to</dt>
        <dd>
          <strong>
            <Said>{redirect.shown}</Said>
          </strong>, {DESTINATIONS[redirect.kind]}
        </dd>
        <dt>Who says so</dt>
        <dd>
          {client.described_by === null
            ? "Only the program itself. Any program can give itself this name: go by where your answer goes."
            : (
              <>
                <Said>{client.described_by}</Said>, on its website
              </>
            )}
        </dd>
      </dl>
      {workspaces.length === 0
        ? <Notice tone="warn">You are on no workspace, so there is nothing to let it in to.</Notice>
        : (
          <fieldset className="stack-tight consent-workspaces" aria-describedby="consent-lacks">
            <legend>On which workspace?</legend>
            {workspaces.map(({ id, name }) => (
              <Choice
                key={id}
                type="radio"
                name="workspace"
                label={<Said>{name}</Said>}
                checked={chosen === id}
                onChange={() => {
                  setChosen(id);
                  setLacksChoice(false);
                }}
              />
            ))}
            <p id="consent-lacks" className="field-error" role="alert">
              {lacksChoice && "Choose the workspace that it may work on."}
            </p>
          </fieldset>
        )}
      <div className="consent-rights">
        <div className="stack-tight">
          <h2>It may</h2>
          <ul>{may.map((text) => <li key={text}>{text}</li>)}</ul>
        </div>
        <div className="stack-tight">
          <h2>It may not</h2>
          <ul>{may_not.map((text) => <li key={text}>{text}</li>)}</ul>
        </div>
      </div>
      {decision.error !== null && <ConsentProblem error={decision.error} />}
      <div className="row row-end consent-buttons">
        <Button isBusy={decision.isBusy && pressed === "deny"} onClick={() => send({ decision: "deny" })}>
          Turn it away
        </Button>
        {workspaces.length > 0 && (
          <Button
            type="submit"
            variant="primary"
            disabled={isNew}
            isBusy={decision.isBusy && pressed === "allow"}
          >
            Let it in
          </Button>
        )}
      </div>
    </form>
  );
}
