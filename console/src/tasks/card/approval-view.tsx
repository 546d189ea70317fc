/** An approval whole, with what can be done about it. */

import { useEffect, useRef } from "react";
import { useSearch } from "wouter";
import { type Approval, useApproval, useDecide } from "../../api/approvals.ts";
import { isRefusedFor } from "../../api/problem.ts";
import { shownText } from "../../../../supabase/functions/_shared/approvals/visible.ts";
import { Go, useGo } from "../../shell/go.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { About } from "./about.tsx";
import { BackToTasks } from "./back-to-tasks.tsx";
import { CallCard } from "./call-card.tsx";
import { CallOutcome } from "./call-outcome.tsx";
import { DecideBar } from "./decide-bar.tsx";
import { FollowUpCard } from "./follow-up.tsx";
import { MarkedText } from "./marked.tsx";
import { PreviewView } from "./preview-view.tsx";
import { PrintHead } from "./print-head.tsx";
import { Refused } from "./refused.tsx";
import { APPROVAL_WORDS } from "./standing-words.ts";
import { Standing } from "./standing.tsx";
import { WhatChanged } from "./what-changed.tsx";

export function ApprovalView({ approval }: { approval: Approval }) {
  const { calls, rules, status, follow_up } = approval;
  const decide = useDecide();
  const standing = useRef<HTMLDivElement>(null);
  useFreshOne(approval, decide.error);
  useEffect(() => {
    // What had the focus is gone with the decision: it goes to what came of it.
    if (document.activeElement === document.body && decide.submittedAt > 0) standing.current?.focus();
  }, [status, decide.isPending]);
  const { words, tone } = APPROVAL_WORDS[status];
  return (
    <Page
      title={titleOf(approval)}
      lead={
        <div className="row">
          <BackToTasks />
          <Badge tone={tone}>{words}</Badge>
        </div>
      }
    >
      <PrintHead />
      <div ref={standing} tabIndex={-1} className="standing" aria-label="Where it stands" role="group">
        <InsteadOf approval={approval} />
        {/* A rejection that is refused says so in its dialog, as long as there is one. */}
        {decide.error !== null &&
          (decide.variables?.decision === "approve" || status !== "awaiting_approval") && (
          <Refused error={decide.error} approval={approval} />
        )}
        <Standing approval={approval} />
      </div>
      <div className="task">
        <div className="stack">
          <ol
            className="plain stack"
            aria-label={calls.length === 1 ? "The call" : "The calls, in their order"}
          >
            {calls.map((call, n) => {
              const of = calls.length === 1 ? "" : `, call ${n + 1}`;
              return (
                <li key={n} className="card">
                  <CallCard
                    call={call}
                    place={{ n, of: calls.length }}
                    rules={rules}
                    level={2}
                    isNamed={calls.length > 1}
                  >
                    {call.preview && (
                      <PreviewView preview={call.preview} of={of} isPast={status !== "awaiting_approval"} />
                    )}
                    {isSent(approval) && <CallOutcome call={call} of={of} />}
                  </CallCard>
                </li>
              );
            })}
          </ol>
          {follow_up !== null && <FollowUpCard approval={approval} followUp={follow_up} />}
        </div>
        <About approval={approval} />
      </div>
      {status === "awaiting_approval" && <DecideBar approval={approval} decide={decide} />}
    </Page>
  );
}

/** Whether something was, or may have been, begun of it. */
function isSent({ status }: Approval): boolean {
  return status === "running" || status === "applied" || status === "failed" || status === "unknown";
}

function titleOf({ calls }: Approval): string {
  const first = shownText(calls[0]?.tool_name ?? "");
  if (calls.length < 2) return first;
  return calls.length === 2 ? `${first} and 1 more call` : `${first} and ${calls.length - 1} more calls`;
}

/** Goes on to the fresh one when a decision was refused for it. */
function useFreshOne({ id, superseded_by }: Approval, error: Error | null): void {
  const go = useGo();
  const isDue = superseded_by !== null && isRefusedFor(error, "approval_changed");
  useEffect(() => {
    if (isDue) go(`/tasks/${superseded_by}?instead_of=${id}`, { replace: true });
  }, [isDue]);
}

/** Says what this one took the place of, to whoever comes from there. */
function InsteadOf({ approval }: { approval: Approval }) {
  const asked = new URLSearchParams(useSearch()).get("instead_of");
  const { data: earlier } = useApproval(asked !== null && /^[0-9a-f-]{36}$/.test(asked) ? asked : null);
  if (earlier === undefined || earlier.superseded_by !== approval.id) return null;
  return (
    <Notice tone="warn" title="Nothing was sent: what you looked at has changed. This is how it stands now.">
      {earlier.superseded_because && (
        <p>
          <MarkedText>{earlier.superseded_because}</MarkedText>
        </p>
      )}
      <WhatChanged earlier={earlier} fresh={approval} />
      <p>
        Look at all of it once more, then decide. <Go to={`/tasks/${earlier.id}`}>What it was before</Go>
      </p>
    </Notice>
  );
}
