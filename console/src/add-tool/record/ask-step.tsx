/** The first step of recording: with which arguments the tool is read, and how much of the answer is taken. */

import { useState } from "react";
import { operationsOf } from "../../../../supabase/functions/_shared/definition/call-request.ts";
import { useApi } from "../../api/api-context.tsx";
import { type CallAnswer, type ToolCall, type ToolDetail, useToolActions } from "../../api/tools.ts";
import { useAction } from "../../api/use-action.ts";
import { ArgumentField } from "../../connections/argument-field.tsx";
import { fieldsOf } from "../../connections/argument-fields.ts";
import { useTypedArguments } from "../../connections/use-typed-arguments.ts";
import { useWorkspace } from "../../shell/workspace-context.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { clipLists } from "./add-fixture.ts";
import { readLive, type Recorded } from "./read-live.ts";

const ROWS = [5, 20, 50, 100] as const;

export function AskStep(
  { slug, detail, onRecorded }: {
    slug: string;
    detail: ToolDetail;
    onRecorded: (recorded: Recorded) => void;
  },
) {
  const { id } = useWorkspace();
  const api = useApi();
  const { call } = useToolActions(id, slug);
  const { tool } = detail;
  const fields = fieldsOf(tool.arguments);
  const operations = operationsOf(tool).flatMap(({ capability, operation }) =>
    capability === undefined || operation === undefined ? [] : [{ capability, operation }]
  );
  const [operation, setOperation] = useState(0);
  const [most, setMost] = useState(5);
  const [waits, setWaits] = useState<CallAnswer & { ran: false } | null>(null);
  const reading = useAction(async (asked: ToolCall) => {
    setWaits(null);
    const answer = await call(asked);
    if (!answer.ran) return setWaits(answer);
    onRecorded({ call: asked, result: clipLists(await readLive(api, { answer, most }), most) });
  });

  const form = useTypedArguments(
    fields,
    (args) => void reading.run({ args, ...operations[operation] }),
  );

  return (
    <form className="stack record-ask" onSubmit={form.onSubmit} noValidate>
      <p className="muted">
        The other system is asked once, as you. Before anything of the answer goes into the file, you see what
        is replaced in it.
      </p>
      {operations.length > 0 && (
        <SelectField
          label="What to read"
          value={operation}
          onChange={(event) => setOperation(Number(event.target.value))}
        >
          {operations.map(({ capability, operation }, at) => (
            <option key={`${capability} ${operation}`} value={at}>{capability}, {operation}</option>
          ))}
        </SelectField>
      )}
      {fields.map((field) => <ArgumentField key={field.name} {...form.fieldProps(field)} />)}
      <SelectField
        label="Rows to take"
        hint="Of each list in the answer. A few tell as much as many."
        value={most}
        onChange={(event) => setMost(Number(event.target.value))}
      >
        {ROWS.map((count) => <option key={count} value={count}>At most {count}</option>)}
      </SelectField>
      {reading.error !== null && <ProblemNotice error={reading.error} />}
      {waits !== null && (
        <Notice tone="info" title="This call waits for a person">
          <p>A rule of the tool asks for it, so there is no answer to record. Nothing was sent.</p>
          <p>
            <ButtonLink to={`/tasks/${waits.approval_id}`}>Open the task</ButtonLink>
          </p>
        </Notice>
      )}
      <div className="row">
        <Button type="submit" variant="primary" isBusy={reading.isBusy}>Read it now</Button>
        <span className="small muted" role="status">{reading.isBusy && "Asking the other system…"}</span>
      </div>
    </form>
  );
}
