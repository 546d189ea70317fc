/** The difference between two files, line by line: what is the same is folded, what is not is marked. */

import { useMemo, useState } from "react";
import { differenceOf, type DiffLine, type DiffPart } from "./version-changes.ts";
import { plural } from "./tool-words.ts";

export function VersionDifference(
  { before, after, label }: { before: unknown; after: unknown; label: string },
) {
  const parts = useMemo(() => differenceOf(before, after), [before, after]);
  if (parts === null) {
    return <p className="muted">The two differ in too much to be compared line by line.</p>;
  }
  if (parts.every(({ lines }) => lines.every(({ kind }) => kind === "same"))) {
    return <p className="muted">The two files are the same.</p>;
  }
  return (
    <div className="diff" role="region" aria-label={label} tabIndex={0}>
      {parts.map((part, index) => <Part key={index} part={part} />)}
    </div>
  );
}

function Part({ part }: { part: DiffPart }) {
  const [isOpen, setOpen] = useState(false);
  if (part.kind === "folded" && !isOpen) {
    return (
      <button type="button" className="diff-fold" onClick={() => setOpen(true)}>
        Show {plural(part.lines.length, "line")} that are the same
      </button>
    );
  }
  return part.lines.map((line, index) => <Line key={index} line={line} />);
}

const MARKS = { added: "+", removed: "−", same: " " } as const;

function Line({ line: { kind, text } }: { line: DiffLine }) {
  return (
    <div className={`diff-line diff-${kind}`}>
      <span aria-hidden="true" className="diff-mark">{MARKS[kind]}</span>
      {kind !== "same" && <span className="only-heard">{kind}:</span>}
      <code>{text}</code>
    </div>
  );
}
