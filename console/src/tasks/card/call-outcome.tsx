/** What became of one call: whether it was taken, why not, what went out where that differs, and what came back. */

import type { Call } from "../../api/approvals.ts";
import { cardOf } from "../../../../supabase/functions/_shared/approvals/card.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatInstant } from "../../ui/instant.ts";
import { Time } from "../../ui/time.tsx";
import { Answer } from "./answer.tsx";
import { CardLines } from "./card-lines.tsx";
import { LongAnswer } from "./long-answer.tsx";
import { MarkedText } from "./marked.tsx";
import { CALL_WORDS } from "./standing-words.ts";

/** `of` says of which call, where there are several. */
export function CallOutcome({ call, of = "" }: { call: Call; of?: string }) {
  const { status, reason, detail, began_at, ended_at, sent_args, args, answers_with, note } = call;
  const { words, tone } = CALL_WORDS[status];
  const isDifferent = sent_args !== undefined && JSON.stringify(sent_args) !== JSON.stringify(args);
  return (
    <div className="stack-tight" role="group" aria-label="What became of it">
      <div className="row">
        <h3>What became of it</h3>
        <Badge tone={tone}>{words}</Badge>
        {began_at !== null && (
          <span className="small muted">
            {status === "running" ? "Begun" : "Sent"} <Time at={began_at} exact />
            {ended_at !== null && formatInstant(ended_at) !== formatInstant(began_at) && (
              <>
                , ended <Time at={ended_at} exact />
              </>
            )}
          </span>
        )}
      </div>
      {(detail || reason) && (
        <p>
          {detail && <MarkedText>{detail}</MarkedText>}{" "}
          {reason && <code className="muted small">{reason}</code>}
        </p>
      )}
      {isDifferent && (
        <div className="stack-tight">
          <p className="label">What went out, with the values of earlier calls filled in</p>
          <CardLines lines={cardOf(sent_args)} />
        </div>
      )}
      {call.result !== undefined && (
        <div className="stack-tight">
          <div className="row">
            <p className="label">What it answered</p>
            {answers_with && answers_with !== "live system" && (
              <span className="small muted">{answers_with}</span>
            )}
          </div>
          {note && (
            <p className="small muted">
              <MarkedText>{note}</MarkedText>
            </p>
          )}
          {call.truncated
            ? (
              <LongAnswer
                beginning={call.result}
                handle={call.result_handle}
                caption={`What it answered${of}`}
              />
            )
            : <Answer value={call.result} caption={`What it answered${of}`} />}
        </div>
      )}
      {call.result === undefined && status === "applied" && call.access === "sensitive" && (
        <p className="small muted">
          What a sensitive call answered is shown for a day, to whoever asked and to administrators.
        </p>
      )}
    </div>
  );
}
