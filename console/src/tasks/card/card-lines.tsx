/** The arguments of a call, a line each, whole: its path, what kind of value it is, the value, and what is to be known of it. */

import type { CardLine } from "../../api/approvals.ts";
import { Icon } from "../../ui/icon.tsx";
import { Marked } from "./marked.tsx";
import "./card-lines.css";

/** What stands beside the path, so that `true` the text and true are told apart. A text says nothing. */
const KINDS: Record<CardLine["kind"], string | null> = {
  text: null,
  number: "number",
  boolean: "yes or no",
  null: "no value",
  "empty list": null,
  "empty object": null,
  later: "filled in later",
  place: "a longer path",
};

/** `limit` shows so many lines and leaves it to the caller to say how many more there are. */
export function CardLines({ lines, limit = Infinity }: { lines: readonly CardLine[]; limit?: number }) {
  if (lines.length === 0) return <p className="muted">No arguments.</p>;
  const shown = lines.length > limit ? lines.slice(0, limit) : lines;
  return (
    <dl className="lines">
      {shown.map((line, index) => <Line key={index} line={line} />)}
    </dl>
  );
}

function Line({ line: { path, text, kind, notes } }: { line: CardLine }) {
  const kindWords = KINDS[kind];
  return (
    <div className={`line line-${kind.replace(" ", "-")}`}>
      <dt>
        <code>
          <Marked text={path} />
        </code>
        {kindWords && <span className="line-kind">{kindWords}</span>}
      </dt>
      <dd>
        {text === "" ? <EmptyValue kind={kind} /> : (
          <code className="line-value">
            <Marked text={text} />
          </code>
        )}
        {kind === "place" && <p className="line-note">Below, this path is written [{path}].</p>}
        {notes.map((note, index) => (
          <p
            key={index}
            className={kind === "later" && FROM_CALL.test(note) ? "line-note" : "line-note line-warn"}
          >
            {!(kind === "later" && FROM_CALL.test(note)) && <Icon name="warn" size={14} />}
            <span>
              <Marked text={inWords(note, kind)} />
            </span>
          </p>
        ))}
      </dd>
    </div>
  );
}

function EmptyValue({ kind }: { kind: CardLine["kind"] }) {
  return <em className="muted">{kind === "text" ? "empty text" : `an ${kind}`}</em>;
}

const FROM_CALL = /^comes from call (\d+) of this chain when it has run: /;

/** People count the calls of a chain from one; a text that names one counts from 0. */
function inWords(note: string, kind: CardLine["kind"]): string {
  if (kind !== "later") return sentence(note);
  return sentence(note.replace(
    FROM_CALL,
    (_, n) => `filled in with what call ${Number(n) + 1} answers, when that has run: `,
  ));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
