/** Asks a tool now: a field for each argument, and the answer, the refusal, or the task that it became. */

import { useId, useState } from "react";
import { operationsOf } from "../../../supabase/functions/_shared/definition/call-request.ts";
import type { FramedTool } from "../../../supabase/functions/_shared/definition/format.ts";
import type { JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { pathOf } from "../api/client.ts";
import { isRefusedFor, type Problem } from "../api/problem.ts";
import { type CallAnswer, type ToolCall, useToolActions } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Go } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { SelectField } from "../ui/field.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { AnswerView, rowsFormatOf } from "./answer-view.tsx";
import { ArgumentField } from "./argument-field.tsx";
import { fieldsOf } from "./argument-fields.ts";
import type { SectionProps } from "./connection-page.tsx";
import { isObject } from "./file-words.ts";
import { StoredAnswer } from "./stored-answer.tsx";
import { useTypedArguments } from "./use-typed-arguments.ts";

export function AskForm({ slug, detail }: SectionProps) {
  const { id } = useWorkspace();
  const actions = useToolActions(id, slug);
  const heading = useId();
  const { tool } = detail;
  const fields = fieldsOf(tool.arguments);
  const operations = operationsToAsk(tool);
  const [operation, setOperation] = useState(0);
  const [answered, setAnswered] = useState<{ call: ToolCall; answer: CallAnswer } | null>(null);
  const asking = useAction(async (call: ToolCall) => {
    setAnswered(null);
    setAnswered({ call, answer: await actions.call(call) });
  });
  const runs = detail.runs === "on_call";

  const form = useTypedArguments(
    fields,
    (args) => void asking.run({ args, ...operations[operation]?.call }),
  );

  return (
    <section className="card stack" aria-labelledby={heading}>
      <div className="stack-tight">
        <h2 id={heading}>{runs ? "Read now" : "Propose a call"}</h2>
        <p className="muted">
          {runs
            ? tool.kind === "fixture"
              ? "It answers from the examples in its file; no other system is asked."
              : "It runs at once, as yours, and the rows are kept here."
            : "Nothing is sent yet: what you ask for waits for a person, as a task."}
        </p>
      </div>
      <form className="stack" onSubmit={form.onSubmit} noValidate>
        {operations.length > 1 && (
          <SelectField
            label="What to read"
            value={operation}
            onChange={(event) => setOperation(Number(event.target.value))}
          >
            {operations.map(({ words }, index) => <option key={words} value={index}>{words}</option>)}
          </SelectField>
        )}
        {fields.length > 0 && (
          <div className="ask-fields">
            {fields.map((field) => <ArgumentField key={field.name} {...form.fieldProps(field)} />)}
          </div>
        )}
        <div className="row">
          <Button type="submit" variant="primary" isBusy={asking.isBusy}>
            {runs ? "Read now" : "Propose it"}
          </Button>
          <span className="muted small" role="status">
            {asking.isBusy && (runs ? "Asking the other system…" : "Proposing…")}
          </span>
        </div>
      </form>
      {asking.error !== null && <ProblemNotice error={asking.error} />}
      {isTurnedAway(asking.error) && detail.secrets.length > 0 && (
        <p>
          The other system did not let the call in. If the value it was sent is not the right one, an
          administrator replaces it under{" "}
          <Go to={`${pathOf`/connections/${slug}`}?part=secrets`}>Secrets</Go>.
        </p>
      )}
      {answered !== null && <Answer tool={tool} {...answered} />}
    </section>
  );
}

function Answer({ tool, call, answer }: { tool: FramedTool; call: ToolCall; answer: CallAnswer }) {
  if (!answer.ran) {
    return (
      <Notice tone="info" title={answer.repeated ? "This very call waits already" : "It waits for a person"}>
        <p>Nothing has been sent. It is sent once somebody approves it.</p>
        {answer.waits_for !== undefined && (
          <p>Before that a value has to be pasted: {answer.waits_for.join(", ")}.</p>
        )}
        <p>
          <ButtonLink to={pathOf`/tasks/${answer.approval_id}`}>Open the task</ButtonLink>
        </p>
      </Notice>
    );
  }
  const format = rowsFormatOf(tool, call);
  return (
    <div className="stack-tight">
      <div role="status">
        <p>
          <strong>
            {answer.answers_with === "configured example" ? "Its file answered" : "The other system answered"}
          </strong>
          {answer.kept.kept && <span className="muted">, and the rows are kept below</span>}
        </p>
      </div>
      {answer.note !== undefined && (
        <p className="small muted">
          <Said>{answer.note}</Said>
        </p>
      )}
      {answer.truncated && answer.result_handle !== undefined
        ? (
          <StoredAnswer
            caption="Rows of the answer"
            handle={answer.result_handle}
            tool={tool}
            call={call}
            rows={rowsOfLong(answer.result)}
          />
        )
        : <AnswerView caption="Rows of the answer" value={answer.result} format={format} />}
      {answer.next !== undefined && answer.next !== null && (
        <p className="small muted">
          There is more in the other system: ask with{" "}
          <code>
            <Said>{JSON.stringify(answer.next)}</Said>
          </code>.
        </p>
      )}
    </div>
  );
}

interface OperationToAsk {
  readonly words: string;
  readonly call: Pick<ToolCall, "capability" | "operation">;
}

function operationsToAsk(tool: FramedTool): OperationToAsk[] {
  return operationsOf(tool).flatMap(({ capability, operation }) =>
    capability === undefined || operation === undefined
      ? []
      : [{ words: `${capability}, ${operation}`, call: { capability, operation } }]
  );
}

/** How many rows a long answer has, whose beginning alone went out; null of one without rows. */
function rowsOfLong(result: JsonValue): number | null {
  return isObject(result) && Array.isArray(result.rows) ? Number(result.total) : null;
}

/** Whether the other system knew who asks too little to let them in. */
function isTurnedAway(error: unknown): boolean {
  return isRefusedFor(error, "upstream_failed") && /\b40[13]\b/.test((error as Problem).detail ?? "");
}
