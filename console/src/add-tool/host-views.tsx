/** What a host will see of each fixture's call, before anybody connects. */

import { useState } from "react";
import type { HostView } from "../../../supabase/functions/_shared/framed-tool.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Tone } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import type { CheckedFile } from "./checked.ts";
import { doesWords, shownJson, viewFacts } from "./view-words.ts";

const SHOWN_AT_FIRST = 20;
const TONES: Record<HostView["does"], Tone> = { runs: "good", waits: "warn", refused: "bad" };

export function HostViews({ file }: { file: CheckedFile }) {
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  const { views } = file;
  return (
    <section className="stack" aria-label="What a host will see">
      <div className="stack-tight">
        <h2>What a host will see</h2>
        <p className="small muted">
          {views.length === 0
            ? "The file has no fixture. What its calls do is for the server to say."
            : "Of each fixture: what a call of it does, and the answer. Nothing is called for it."}
        </p>
      </div>
      <FileFacts file={file} />
      {views.slice(0, shown).map((view) => <ViewCard key={view.fixture} view={view} of={views.length} />)}
      {views.length > shown && (
        <Button onClick={() => setShown(shown + SHOWN_AT_FIRST)}>Show more of {views.length} fixtures</Button>
      )}
    </section>
  );
}

function FileFacts({ file }: { file: CheckedFile }) {
  const { kind, access, asksFirst, host, secrets, notes } = file;
  return (
    <div className="card stack-tight">
      <p className="row">
        <Icon name={kind} />
        <strong>
          <Said>{file.name}</Said>
        </strong>
        <code>{file.slug}</code>
      </p>
      <p className="small muted">
        {kind === "fixture" ? "Answers from its fixtures only" : <>Live on {host}</>}
        {" · "}
        {access === null ? "access as the server says" : access}
        {asksFirst && ", and asks a person first"}
        {secrets.length > 0 && <>{" · "}{secrets.join(", ")}, to {host} only</>}
      </p>
      {notes.map((note) => <Note key={note} text={note} />)}
    </div>
  );
}

function ViewCard({ view, of }: { view: HostView; of: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <article className="card stack-tight">
      <div className="row row-apart">
        <h3>
          Example {view.fixture + 1} of {of}
          {view.label !== null && (
            <>
              : <Said>{view.label}</Said>
            </>
          )}
        </h3>
        <Badge tone={TONES[view.does]}>{doesWords(view)}</Badge>
      </div>
      <dl className="facts small">
        {viewFacts(view).map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>
              <Said>{value}</Said>
            </dd>
          </div>
        ))}
      </dl>
      {view.notes.map((note) => <Note key={note} text={note} />)}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>The answer a host gets, HTTP {view.status}</summary>
        {isOpen && <pre className="json" tabIndex={0}>{shownJson(view.sees)}</pre>}
      </details>
    </article>
  );
}

function Note({ text }: { text: string }) {
  return (
    <p className="small view-note">
      <Icon name="info" size={15} /> <Said>{text}</Said>
    </p>
  );
}
