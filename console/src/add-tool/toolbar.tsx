/** What brings a text into the editor and takes it out again. */

import { type ChangeEvent, useDeferredValue, useId, useMemo } from "react";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { saveFile } from "../ui/save-file.ts";
import { laidOut, layOut } from "./lay-out.ts";
import { TEMPLATES } from "./templates.ts";

const FILE_NAME = "framed-tool.json";

export function Toolbar(
  { text, isNew, hasProblems, onFile, onText, onRecord }: {
    text: string;
    isNew: boolean;
    hasProblems: boolean;
    onFile: (file: File) => void;
    onText: (text: string) => void;
    /** Null where no tool stands that could be read. */
    onRecord: (() => void) | null;
  },
) {
  const id = useId();
  // Of a large file this takes longer than a key press may.
  const behind = useDeferredValue(text);
  const laid = useMemo(() => laidOut(behind), [behind]);
  function choose(event: ChangeEvent<HTMLInputElement>) {
    const [chosen] = event.currentTarget.files ?? [];
    if (chosen !== undefined) onFile(chosen);
    // The same file chosen again is a choice too.
    event.currentTarget.value = "";
  }
  return (
    <div className="stack-tight">
      <div className="row">
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          className="only-heard file-input"
          onChange={choose}
        />
        <label htmlFor={id} className="button button-secondary">
          <Icon name="plus" /> Choose a file
        </label>
        {onRecord !== null && <Button variant="quiet" onClick={onRecord}>Record a fixture</Button>}
        {laid !== null && laid !== behind && (
          <Button variant="quiet" onClick={() => onText(laid)}>Lay out</Button>
        )}
        {text.trim() !== "" && !hasProblems && (
          <Button
            variant="quiet"
            onClick={() => saveText(text)}
          >
            <Icon name="download" /> Download
          </Button>
        )}
      </div>
      {isNew && (
        <div className="row templates" role="group" aria-label="Begin with an example">
          <span className="small muted">Or begin with</span>
          {TEMPLATES.map(({ name, does, file }) => (
            <Button
              key={name}
              variant="quiet"
              title={does}
              onClick={() => onText(layOut(file))}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Gives the person the text as a file. */
export function saveText(text: string): void {
  saveFile(new Blob([text], { type: "application/json" }), FILE_NAME);
}
