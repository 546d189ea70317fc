/** What is checked after an approved call: what for, until when, what was found so far, and the way to stop it. */

import { type ReactNode, useState } from "react";
import { type Approval, type FollowUp, useStopFollowUp } from "../../api/approvals.ts";
import { useWorkspace } from "../../shell/workspace-context.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ProblemNotice, type Tone } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { MarkedText } from "./marked.tsx";
import { Who } from "./who.tsx";
import "./follow-up.css";

const STATES: Readonly<Record<FollowUp["status"], { words: string; tone: Tone }>> = {
  waiting: { words: "Still waits", tone: "info" },
  done: { words: "Done", tone: "good" },
  stopped: { words: "Stopped", tone: "plain" },
  given_up: { words: "Given up", tone: "warn" },
};

export function FollowUpCard({ approval, followUp }: { approval: Approval; followUp: FollowUp }) {
  const { mayUse } = useWorkspace();
  const stop = useStopFollowUp(approval.id);
  const [isAsking, setAsking] = useState(false);
  const { status, what, until, note } = followUp;
  const { words, tone } = STATES[status];
  return (
    <section className="card stack" aria-labelledby="follow-up">
      <div className="row row-apart">
        <div className="row">
          <h2 id="follow-up">Follow-up</h2>
          <Badge tone={tone}>{words}</Badge>
        </div>
        {status === "waiting" && mayUse && (
          <Button isBusy={stop.isPending} onClick={() => setAsking(true)}>Stop</Button>
        )}
      </div>
      {what !== null && until !== null && (
        <dl className="facts">
          <dt>What</dt>
          <dd>
            <MarkedText>{what}</MarkedText>
          </dd>
          <dt>Until</dt>
          <dd>
            <MarkedText>{until}</MarkedText>
          </dd>
        </dl>
      )}
      <Timeline approval={approval} followUp={followUp} />
      {note && (
        <p className="small">
          <MarkedText>{note}</MarkedText>
        </p>
      )}
      {stop.error !== null && <ProblemNotice error={stop.error} />}
      <Confirm
        title="Stop this follow-up?"
        description="Nothing is checked any more, and nobody is told if it goes on waiting. It cannot be started again."
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        actions={
          <Button
            variant="danger"
            isBusy={stop.isPending}
            onClick={() => stop.mutate(undefined, { onSettled: () => setAsking(false) })}
          >
            Stop it
          </Button>
        }
      />
    </section>
  );
}

interface Step {
  readonly at: string | null;
  readonly what: ReactNode;
  readonly tone: Tone;
}

function Timeline({ approval, followUp }: { approval: Approval; followUp: FollowUp }) {
  return (
    <ol className="timeline">
      {stepsOf(approval, followUp).map(({ at, what, tone }, index) => (
        <li key={index} className={`timeline-step notice-${tone}`}>
          <span>{what}</span>
          {at !== null && (
            <span className="small muted">
              <Time at={at} exact />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

/** What happened, oldest first, and what comes next. */
function stepsOf({ calls, status: approvalStatus }: Approval, followUp: FollowUp): Step[] {
  const { status, checks, last_check_at, next_check_at, alarmed_at, stopped_by, ended_at } = followUp;
  const wroteAt = calls.map((call) => call.ended_at).filter((at) => at !== null).sort().at(-1) ?? null;
  const steps: Step[] = [{
    at: wroteAt,
    what: approvalStatus === "unknown"
      ? "Sent: nobody can tell whether it was done"
      : "Done in the other system",
    tone: "plain",
  }];
  const happened: Step[] = [];
  const isDoneByCheck = status === "done" && checks > 0;
  if (checks > 0 && last_check_at !== null) {
    happened.push({
      at: last_check_at,
      what: checks === 1
        ? `Checked once: ${isDoneByCheck ? "it is done" : "it still waits"}`
        : `Checked ${checks} times, the last one: ${isDoneByCheck ? "it is done" : "it still waits"}`,
      tone: isDoneByCheck ? "good" : "plain",
    });
  }
  if (alarmed_at !== null) {
    happened.push({ at: alarmed_at, what: "It had waited so long that Catch up says so", tone: "warn" });
  }
  steps.push(...happened.sort((one, other) => Date.parse(one.at!) - Date.parse(other.at!)));
  if (status === "waiting" && checks === 0) steps.push({ at: null, what: "Not checked yet", tone: "plain" });
  if (status === "waiting" && next_check_at !== null) {
    steps.push({
      at: next_check_at,
      what: (
        <>
          Next check <Time at={next_check_at} />
        </>
      ),
      tone: "info",
    });
  }
  if (status === "stopped") {
    steps.push({
      at: ended_at,
      what: stopped_by === null ? "Stopped" : (
        <>
          Stopped by <Who someone={stopped_by} />
        </>
      ),
      tone: "plain",
    });
  }
  if (status === "given_up") {
    steps.push({
      at: ended_at,
      what: "Given up: its days are over, nothing is checked any more",
      tone: "warn",
    });
  }
  if (status === "done" && !isDoneByCheck) steps.push({ at: ended_at, what: "It is done", tone: "good" });
  return steps;
}
