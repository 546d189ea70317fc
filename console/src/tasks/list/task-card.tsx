/** One approval in the list: what would be sent, who asks, and the two answers to it. */

import { memo, type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { Approval } from "../../api/approvals.ts";
import { Go } from "../../shell/go.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useFirstMoment } from "../../ui/first-moment.ts";
import { Icon } from "../../ui/icon.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { AccessBadges } from "../card/call-card.tsx";
import { MarkedText } from "../card/marked.tsx";
import { Who } from "../card/who.tsx";
import { moreInWords } from "./beginning.ts";
import { Calls, readCalls } from "./call-beginning.tsx";
import { isDecidable, mayReject, whyNot } from "../card/deciding.ts";
import { Standing } from "./standing.tsx";
import type { CardState } from "./use-decisions.ts";
import "./task-card.css";

export interface TaskCardProps {
  approval: Approval;
  state: CardState;
  /** It does not belong into this view any more, and goes. */
  hasLeft: boolean;
  isSelected: boolean;
  /** All of it was looked at. */
  wasOpened: boolean;
  /** All of it is shown. */
  isOpen: boolean;
  on: CardActions;
}

/** What a card asks of its list. */
export interface CardActions {
  readonly select: (id: string, isSelected: boolean) => void;
  readonly open: (approval: Approval, isOpen: boolean) => void;
  readonly approve: (approval: Approval) => void;
  readonly reject: (approval: Approval) => void;
  readonly dismiss: (id: string) => void;
}

const NEAR_MS = 24 * 60 * 60 * 1000;

export const TaskCard = memo(function TaskCard(props: TaskCardProps) {
  const { approval, state, hasLeft, isSelected, isOpen, on } = props;
  const { id, calls, requested_by, requested_at } = approval;
  const { beginning } = readCalls(approval);
  const card = useRef<HTMLDivElement>(null);
  useFocusAfter(card, state.sending !== undefined);
  const waits = approval.status === "awaiting_approval";
  const [first] = calls;
  if (first === undefined) return null;
  const nameId = `task-${id}`;
  return (
    <div ref={card} className="card task-card" data-has-left={hasLeft || undefined}>
      <div className="task-head">
        {isDecidable(approval) && (
          <label className="task-select">
            <input
              type="checkbox"
              checked={isSelected}
              onChange={(event) => on.select(id, event.target.checked)}
            />
            <span className="only-heard">
              Select <MarkedText>{first.tool_name}</MarkedText>
            </span>
          </label>
        )}
        <div className="task-title">
          <h2 id={nameId}>
            <Go to={`/tasks/${id}`}>
              <MarkedText>{first.tool_name}</MarkedText>
              {calls.length > 1 && ` and ${calls.length - 1} more`}
            </Go>
          </h2>
          {calls.length === 1
            ? <AccessBadges call={first} />
            : <Badge tone="info">{calls.length} calls, in this order</Badge>}
          {waits && approval.needs === "admin" && <Badge tone="warn">For an administrator</Badge>}
        </div>
        <p className="task-asked small muted">
          Asked by <Who someone={requested_by} /> <Time at={requested_at} />
        </p>
      </div>
      {state.changedBecause !== undefined && waits && (
        <Notice tone="warn" title="This changed since you looked: nothing was sent">
          <p>
            <MarkedText>{state.changedBecause}</MarkedText>
          </p>
          <p>Look at it again. This is how it stands now.</p>
        </Notice>
      )}
      <Calls approval={approval} isWhole={isOpen || beginning.isWhole} level={3} />
      {!beginning.isWhole && (
        <p className="task-more">
          <Button aria-expanded={isOpen} onClick={() => on.open(approval, !isOpen)}>
            {isOpen ? "Show only the beginning" : `Show all: ${moreInWords(beginning.more)}`}
          </Button>
        </p>
      )}
      {waits
        ? (
          <>
            <Conditions approval={approval} />
            <Answers {...props} />
          </>
        )
        : <After {...props} />}
    </div>
  );
});

/** What has to be known before it is decided. */
export function Conditions({ approval: { rules, waits_for, calls, expires_at } }: { approval: Approval }) {
  const isNear = Date.parse(expires_at) - Date.now() < NEAR_MS;
  if (rules.length === 0 && waits_for.length === 0 && !isNear) return null;
  return (
    <ul className="plain task-conditions">
      {rules.map(({ say }, index) => (
        <Condition key={index}>
          Needs an administrator: <MarkedText>{say}</MarkedText>
        </Condition>
      ))}
      {waits_for.length > 0 && (
        <Condition>
          Cannot be approved before an administrator pasted {waits_for.map((name, index) => (
            <span key={name}>
              {index > 0 && ", "}
              <code>{name}</code>
            </span>
          ))} under {[...new Set(calls.map(({ tool }) => tool))].map((tool, index) => (
            <span key={tool}>
              {index > 0 && ", "}
              <Go to={`/connections/${encodeURIComponent(tool)}`}>
                <MarkedText>{tool}</MarkedText>
              </Go>
            </span>
          ))}
        </Condition>
      )}
      {isNear && (
        <Condition>
          Expires <Time at={expires_at} />
        </Condition>
      )}
    </ul>
  );
}

function Condition({ children }: { children: ReactNode }) {
  return (
    <li>
      <Icon name="warn" size={16} />
      <span>{children}</span>
    </li>
  );
}

function Answers({ approval, state, wasOpened, on }: TaskCardProps) {
  const reason = whyNot(approval);
  const isNew = useFirstMoment(approval.digest, state.changedBecause !== undefined);
  if (!mayReject(approval)) return <p className="muted">{reason}</p>;
  const isWhole = readCalls(approval).beginning.isWhole || wasOpened;
  const isBusy = state.sending !== undefined;
  return (
    <>
      {state.problem !== undefined && <ProblemNotice error={state.problem} />}
      {reason !== null && <p className="muted">{reason}</p>}
      {isWhole
        ? (
          <div className="row">
            {reason === null && (
              <Button
                variant="primary"
                isBusy={state.sending === "approve"}
                disabled={approval.waits_for.length > 0 || isNew}
                onClick={() => isBusy || on.approve(approval)}
              >
                {state.sending === "approve" ? "Sending" : "Approve"}
              </Button>
            )}
            <Button
              isBusy={state.sending === "reject"}
              onClick={() => isBusy || on.reject(approval)}
            >
              Reject
            </Button>
          </div>
        )
        : <p className="muted">You decide once all of it was shown.</p>}
    </>
  );
}

function After({ approval, state, hasLeft, on }: TaskCardProps) {
  const wasLate = state.problem !== undefined;
  return (
    <>
      <div role={state.isMine || wasLate ? "status" : undefined}>
        {wasLate && <p className="task-late">Your decision was not taken: this had ended before.</p>}
        <Standing approval={approval} isMine={state.isMine ?? false} />
      </div>
      {hasLeft && staysUntilSeen(approval, state) && (
        <p>
          <Button onClick={() => on.dismiss(approval.id)}>Take it off this list</Button>
        </p>
      )}
    </>
  );
}

/** Whether what became of it has to be read before it goes. */
export function staysUntilSeen({ status }: Approval, { isMine, problem }: CardState): boolean {
  return problem !== undefined || (isMine === true && status !== "applied" && status !== "rejected");
}

/** Once what was pressed in the card has ended and is gone, the card itself has the focus. */
function useFocusAfter(card: RefObject<HTMLElement | null>, isBusy: boolean): void {
  const wasBusy = useRef(isBusy);
  useEffect(() => {
    if (wasBusy.current && !isBusy) {
      const { activeElement } = document;
      const isLost = activeElement === null || activeElement === document.body;
      if (isLost) card.current?.closest<HTMLElement>("article")?.focus({ preventScroll: true });
    }
    wasBusy.current = isBusy;
  }, [card, isBusy]);
}
