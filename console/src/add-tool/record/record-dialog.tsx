/** Records a fixture: reads the tool once, takes people and credentials out of the answer, and hands it to the file. */

import { useState } from "react";
import type { JsonObject, JsonValue } from "../../../../supabase/functions/_shared/definition/json.ts";
import type { ToolDetail } from "../../api/tools.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Said } from "../../ui/said.tsx";
import type { NewFixture } from "./add-fixture.ts";
import { AskStep } from "./ask-step.tsx";
import { LookStep } from "./look-step.tsx";
import { type Recorded, whyNotRecorded } from "./read-live.ts";
import "./record.css";

export interface RecordDialogProps {
  isOpen: boolean;
  onClose: () => void;
  slug: string;
  detail: ToolDetail;
  /** Puts the fixture into the editor; null where what stands there is no file. */
  onPut: ((fixture: NewFixture) => void) | null;
  /** Gives the file with the fixture to the person; null likewise. */
  onDownload: ((fixture: NewFixture) => void) | null;
}

/** What was read stands in this component alone, and goes with it. */
export function RecordDialog({ isOpen, onClose, ...props }: RecordDialogProps) {
  return (
    <Dialog
      title="Record a fixture"
      description={
        <>
          From one live read of <Said>{props.detail.tool.name}</Said>
        </>
      }
      isOpen={isOpen}
      onClose={onClose}
      size="wide"
    >
      {isOpen && <Steps {...props} />}
    </Dialog>
  );
}

function Steps({ slug, detail, onPut, onDownload }: Omit<RecordDialogProps, "isOpen" | "onClose">) {
  const [recorded, setRecorded] = useState<Recorded | null>(null);
  const why = whyNotRecorded(detail);
  if (why !== null) return <Notice tone="info" title="It cannot be recorded">{why}</Notice>;
  if (recorded === null) return <AskStep slug={slug} detail={detail} onRecorded={setRecorded} />;
  return (
    <div className="stack">
      <LookStep given={fixtureOf(recorded)} onPut={onPut} onDownload={onDownload} />
      <p>
        <Button variant="quiet" onClick={() => setRecorded(null)}>Read something else</Button>
      </p>
    </div>
  );
}

function fixtureOf({ call, result }: Recorded): { example: JsonObject; response: JsonValue } {
  const { args, capability, operation } = call;
  const named: JsonObject = capability === undefined || operation === undefined
    ? {}
    : { capability, operation };
  return { example: { ...named, ...args }, response: result };
}
