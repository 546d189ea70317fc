/** Several decisions at once: exactly those that were selected, each with what it would send, then what became of each. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { Approval, Decided } from "../../api/approvals.ts";
import type { Problem } from "../../api/problem.ts";
import { Go } from "../../shell/go.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { AccessBadges } from "../card/call-card.tsx";
import { MarkedText } from "../card/marked.tsx";
import { Who } from "../card/who.tsx";
import { formatInstant } from "../../ui/instant.ts";
import { Time } from "../../ui/time.tsx";
import { moreInWords } from "./beginning.ts";
import { Calls, readCalls } from "./call-beginning.tsx";
import { Standing } from "./standing.tsx";
import { Conditions } from "./task-card.tsx";
import "./several-dialog.css";

interface SeveralDialogProps {
  decision: "approve" | "reject";
  approvals: readonly Approval[];
  wasOpened: (approval: Approval) => boolean;
  onOpened: (approval: Approval) => void;
  onDecide: (
    approvals: readonly Approval[],
    decision: "approve" | "reject",
    options: { reason?: string },
  ) => Promise<Decided[]>;
  /** After they were decided. */
  onClose: () => void;
  onCancel: () => void;
}

export function SeveralDialog(props: SeveralDialogProps) {
  const { decision, approvals, wasOpened, onOpened, onDecide, onClose, onCancel } = props;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [results, setResults] = useState<ReadonlyMap<string, Decided> | null>(null);

  const those = approvals.filter(({ id }) => !left.has(id));
  const unseen = those.filter((one) => !readCalls(one).beginning.isWhole && !wasOpened(one));
  // Nothing is approved that was never in sight: what was selected all at once need not have been.
  const below = decision === "approve" ? those.filter(({ id }) => !seen.has(id)) : [];
  const verb = decision === "approve" ? "Approve" : "Reject";

  async function decide() {
    setBusy(true);
    setError(null);
    try {
      const decided = await onDecide(those, decision, decision === "reject" ? { reason: reason.trim() } : {});
      setResults(new Map(decided.map((one) => [one.id, one])));
    } catch (error) {
      setError(error);
    }
    setBusy(false);
  }

  if (results !== null) {
    const taken = [...results.values()].filter(({ problem }) => problem === null).length;
    return (
      <Dialog
        title={taken === results.size
          ? `All ${taken} were ${decision === "approve" ? "approved" : "rejected"}`
          : `${taken} of ${results.size} were ${decision === "approve" ? "approved" : "rejected"}`}
        size="wide"
        isOpen
        onClose={onClose}
        actions={<Button variant="primary" onClick={onClose}>Done</Button>}
      >
        <Rows
          approvals={those}
          render={(approval) => <Result approval={approval} decided={results.get(approval.id)} />}
        />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`${verb} ${those.length === 1 ? "this one" : `these ${those.length}`}?`}
      description={decision === "approve"
        ? "Each is sent once, exactly as it stands here."
        : "Nothing is sent. Whoever asked is told."}
      size="wide"
      isOpen
      {...(isBusy ? {} : { onClose: onCancel })}
      actions={
        <>
          {below.length > 0 && (
            <p className="muted several-below" aria-live="polite">
              {below.length === 1 ? "One more stands" : `${below.length} more stand`}{" "}
              below: go through all of them first.
            </p>
          )}
          <Button onClick={() => isBusy || onCancel()}>Cancel</Button>
          <Button
            variant={decision === "approve" ? "primary" : "danger"}
            isBusy={isBusy}
            disabled={those.length === 0 || unseen.length > 0 || below.length > 0}
            onClick={decide}
          >
            {isBusy
              ? `${decision === "approve" ? "Sending" : "Rejecting"} ${those.length}`
              : `${verb} ${those.length}`}
          </Button>
        </>
      }
    >
      <div className="stack">
        {unseen.length > 0 && (
          <Notice
            tone="warn"
            title={`${unseen.length} of them ${unseen.length === 1 ? "is" : "are"} longer than what is shown`}
          >
            <p>Show all of each, or take it out. Then you can decide.</p>
          </Notice>
        )}
        <Rows
          approvals={those}
          onSeen={(ids) =>
            setSeen((before) => ids.every((id) => before.has(id)) ? before : new Set([...before, ...ids]))}
          render={(approval) => (
            <Chosen
              approval={approval}
              isOpen={open.has(approval.id)}
              onOpen={() => {
                setOpen((before) => new Set(before).add(approval.id));
                onOpened(approval);
              }}
              onLeaveOut={() => setLeft((before) => new Set(before).add(approval.id))}
            />
          )}
        />
        {decision === "reject" && (
          <TextArea
            label="Why, if you like"
            hint="The programs that asked read this."
            rows={2}
            value={reason}
            maxLength={1_000}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        {error !== null && <ProblemNotice error={error} />}
      </div>
    </Dialog>
  );
}

/** Only the rows that are in sight stand in the page. */
function Rows(
  { approvals, onSeen, render }: {
    approvals: readonly Approval[];
    /** Says which ones are in sight, if only in part. */
    onSeen?: (ids: readonly string[]) => void;
    render: (one: Approval) => React.ReactNode;
  },
) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: approvals.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 200,
    getItemKey: (at) => approvals[at]!.id,
    overscan: 2,
    useFlushSync: false,
  });
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: -1 };
  useEffect(() => {
    onSeen?.(approvals.slice(startIndex, endIndex + 1).map(({ id }) => id));
  }, [approvals, startIndex, endIndex]);
  return (
    // Whoever has no mouse scrolls it with the arrows, once it has the focus.
    <div ref={scroller} className="several" role="region" aria-label="What is decided" tabIndex={0}>
      <ul className="plain several-rows" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ key, index, start }) => {
          const approval = approvals[index];
          return approval && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={approvals.length}
              style={{ transform: `translateY(${start}px)` }}
            >
              {render(approval)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Name({ approval: { calls } }: { approval: Approval }) {
  return (
    <h3>
      <MarkedText>{calls[0]?.tool_name ?? ""}</MarkedText>
      {calls.length > 1 && ` and ${calls.length - 1} more`}
    </h3>
  );
}

function Chosen(
  { approval, isOpen, onOpen, onLeaveOut }: {
    approval: Approval;
    isOpen: boolean;
    onOpen: () => void;
    onLeaveOut: () => void;
  },
) {
  const { beginning } = readCalls(approval);
  const [first] = approval.calls;
  return (
    <div className="several-row">
      <div className="row row-apart">
        <div className="row">
          <Name approval={approval} />
          {/* Of a chain each call has its own. */}
          {approval.calls.length === 1 && first && <AccessBadges call={first} />}
        </div>
        <Button variant="quiet" onClick={onLeaveOut}>Take it out</Button>
      </div>
      <p className="small muted">
        Asked by <Who someone={approval.requested_by} /> <Time at={approval.requested_at} />
      </p>
      <Calls approval={approval} isWhole={isOpen || beginning.isWhole} level={4} />
      {!isOpen && !beginning.isWhole && (
        <p>
          <Button onClick={onOpen}>Show all: {moreInWords(beginning.more)}</Button>
        </p>
      )}
      <Conditions approval={approval} />
    </div>
  );
}

function Result({ approval, decided }: { approval: Approval; decided: Decided | undefined }) {
  return (
    <div className="several-row">
      <Name approval={approval} />
      <p className="small muted">
        <First approval={approval} />
      </p>
      {decided === undefined
        ? <p>Nothing is known of it. Look at the list.</p>
        : decided.problem === null
        ? <Standing approval={decided.approval} isMine />
        : <Refused id={approval.id} problem={decided.problem} />}
    </div>
  );
}

/** Its first argument, by which one knows it again. */
function First({ approval }: { approval: Approval }) {
  const line = readCalls(approval).beginning.calls[0]?.lines?.[0];
  if (line === undefined) return <>No arguments</>;
  return (
    <>
      <MarkedText>{line.path}</MarkedText> <MarkedText>{line.text.slice(0, 80)}</MarkedText>
    </>
  );
}

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g;
const FRESH = /A fresh approval takes its place: ([0-9a-f-]{36})/;

function Refused({ id, problem }: { id: string; problem: Problem }) {
  const [, fresh] = FRESH.exec(problem.detail ?? "") ?? [];
  const detail = problem.detail?.replace(FRESH, "A fresh approval takes its place.").replace(
    INSTANT,
    formatInstant,
  );
  return (
    <div className="stack-tight">
      <p className="row">
        <Badge tone="warn">Not decided</Badge>
        <strong>{problem.title}</strong>
      </p>
      {detail && (
        <p>
          <MarkedText>{detail}</MarkedText>
        </p>
      )}
      <p>
        <Go to={`/tasks/${fresh ?? id}`}>{fresh === undefined ? "Look at it" : "Look at the fresh one"}</Go>
      </p>
    </div>
  );
}
