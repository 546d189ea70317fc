/** The second step of recording: what was replaced, side by side, and what a person wants replaced beside it. */

import { useEffect, useMemo, useRef, useState } from "react";
import { looksLikeCredential } from "../../../../supabase/functions/_shared/definition/credentials.ts";
import { isJsonObject, type JsonValue } from "../../../../supabase/functions/_shared/definition/json.ts";
import { Button } from "../../ui/button.tsx";
import { Choice, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Said } from "../../ui/said.tsx";
import { Table } from "../../ui/table.tsx";
import { shownJson } from "../view-words.ts";
import type { NewFixture } from "./add-fixture.ts";
import { kindByName } from "./personal.ts";
import { type Choices, type Field, type Replacement, replaceValues } from "./replace-values.ts";

const MOST_REPLACEMENTS = 200;
const MOST_FIELDS = 100;
const MAX_SAMPLE = 60;

export function LookStep(
  { given, onPut, onDownload }: {
    given: { readonly example: Record<string, JsonValue>; readonly response: JsonValue };
    onPut: ((fixture: NewFixture) => void) | null;
    onDownload: ((fixture: NewFixture) => void) | null;
  },
) {
  const [choices, setChoices] = useState<Choices>(new Map());
  const [label, setLabel] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { value, replacements, fields } = useMemo(() => replaceValues(given, choices), [given, choices]);
  const fixture = useMemo(() => fixtureOf(value, label), [value, label]);

  return (
    <div className="stack">
      <section className="stack-tight">
        <h3 ref={heading} tabIndex={-1} aria-live="polite">
          {replacements.length === 0
            ? "Nothing was replaced"
            : replacements.length === 1
            ? "1 value was replaced"
            : `${replacements.length} values were replaced`}
        </h3>
        <p className="small muted">
          The same value has the same stand-in everywhere. A program cannot know every name: look through it,
          and tick what else is nobody's business.
        </p>
        {replacements.length > 0 && <Replacements replacements={replacements} />}
      </section>
      <fieldset className="stack-tight">
        <legend className="record-legend">Fields that are replaced whole</legend>
        <div className="record-fields">
          {fields.slice(0, MOST_FIELDS).map((field) => (
            <FieldChoice
              key={field.field}
              field={field}
              onChange={(isReplaced) => setChoices(new Map(choices).set(field.field, isReplaced))}
            />
          ))}
        </div>
        {fields.length > MOST_FIELDS && (
          <p className="small muted">{fields.length - MOST_FIELDS} more fields stand in the fixture below.</p>
        )}
      </fieldset>
      <TextField
        label="What this fixture shows"
        hint="For who reads the file: two open invoices. May be left out."
        value={label}
        maxLength={200}
        autoComplete="off"
        onChange={(event) => setLabel(event.target.value)}
      />
      <details className="record-fixture">
        <summary>The fixture as it goes into the file</summary>
        <pre className="json" tabIndex={0} role="region" aria-label="The fixture">{shownJson(fixture)}</pre>
      </details>
      {onPut === null && (
        <Notice tone="info">
          What stands in the editor is no JSON right now. Mend that first; this stays here.
        </Notice>
      )}
      <div className="row">
        <Button variant="primary" disabled={onPut === null} onClick={() => onPut?.(fixture)}>
          Put it into the editor
        </Button>
        <Button disabled={onDownload === null} onClick={() => onDownload?.(fixture)}>
          Download the file
        </Button>
      </div>
    </div>
  );
}

function Replacements({ replacements }: { replacements: readonly Replacement[] }) {
  return (
    <>
      <Table
        caption="What was replaced"
        head={
          <tr>
            <th scope="col">It was</th>
            <th scope="col">It is now</th>
            <th scope="col">Taken for</th>
            <th scope="col">Where</th>
          </tr>
        }
      >
        {replacements.slice(0, MOST_REPLACEMENTS).map(({ was, is, kind, field }) => (
          <tr key={`${typeof was} ${was}`}>
            <td>
              {kind === "credential"
                ? <span className="muted">not shown</span>
                : <Said>{clipped(String(was))}</Said>}
            </td>
            <td className="mono">{is}</td>
            <td>{kind === "text" ? "ticked" : kind}</td>
            <td className="mono">
              <Said>{field ?? "a key"}</Said>
            </td>
          </tr>
        ))}
      </Table>
      {replacements.length > MOST_REPLACEMENTS && (
        <p className="small muted">And {replacements.length - MOST_REPLACEMENTS} more.</p>
      )}
    </>
  );
}

function FieldChoice({ field, onChange }: { field: Field; onChange: (isReplaced: boolean) => void }) {
  const name = /([^.[\]"]+)(?:\[\])*"?\]?$/.exec(field.field)?.[1] ?? "";
  const isCredential = kindByName(name) === "credential";
  return (
    <Choice
      label={
        <code>
          <Said>{field.field}</Said>
        </code>
      }
      hint={
        <>
          {!isCredential && (looksLikeCredential(String(field.sample))
            ? "Not shown: it holds a credential"
            : <Said>{clipped(String(field.sample))}</Said>)}
          {field.holdsFound && !field.isReplaced && " · in part, by its shape"}
          {isCredential && "Always replaced, by its name"}
        </>
      }
      checked={field.isReplaced}
      disabled={isCredential}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}

function fixtureOf(value: JsonValue, label: string): NewFixture {
  const { example, response } = value as { example: JsonValue; response: JsonValue };
  const named = isJsonObject(example) && Object.keys(example).length > 0 ? { example } : {};
  return { ...named, ...(label.trim() === "" ? {} : { label: label.trim() }), response };
}

function clipped(text: string): string {
  const points = [...text];
  return points.length > MAX_SAMPLE ? `${points.slice(0, MAX_SAMPLE).join("")}…` : text;
}
