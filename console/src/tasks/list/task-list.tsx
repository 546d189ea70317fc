/** The approvals of one view as cards, live: looked at, selected, decided one by one or several at once. */

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { type Approval, MAX_DECISIONS } from "../../api/approvals.ts";
import { useWorkspace } from "../../shell/workspace-context.tsx";
import { Loading } from "../../ui/loading.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { readCalls } from "./call-beginning.tsx";
import { isDecidable } from "../card/deciding.ts";
import { MarkedText } from "../card/marked.tsx";
import { RejectDialog } from "../card/reject-dialog.tsx";
import { Feed } from "./feed.tsx";
import { focusWhereLost } from "./focus.ts";
import { ListBar } from "./list-bar.tsx";
import { NothingHere } from "./nothing-here.tsx";
import { SeveralDialog } from "./several-dialog.tsx";
import { type CardActions, staysUntilSeen, TaskCard } from "./task-card.tsx";
import { useDecisions } from "./use-decisions.ts";
import { useGoing } from "./use-going.ts";
import { useTaskList } from "./use-task-list.ts";
import { isInView, type View, VIEW_ROWS } from "./views.ts";

export function TaskList({ view }: { view: View }) {
  const { id: workspaceId } = useWorkspace();
  const list = useTaskList(view);
  const { stateOf, decide, decideSeveral } = useDecisions(list);
  const { approvals, arrived, remove } = list;
  const queries = useQueryClient();

  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [rejecting, setRejecting] = useState<Approval | null>(null);
  const [several, setSeveral] = useState<
    { decision: "approve" | "reject"; approvals: readonly Approval[] } | null
  >(null);

  const left = approvals.filter((one) =>
    !isInView(view, one.status) && !staysUntilSeen(one, stateOf(one.id))
  );
  useGoing(left, remove);

  const on = useMemo<CardActions>(() => ({
    select: (id, isSelected) => setSelected((before) => changed(before, id, isSelected)),
    open: ({ id, digest }, isOpen) => {
      setOpen((before) => changed(before, id, isOpen));
      setOpened((before) => changed(before, digest, true));
    },
    approve: (approval) => void decide(approval, "approve"),
    reject: setRejecting,
    dismiss: (id) => remove(new Set([id])),
  }), [decide, remove]);
  const wasOpened = useCallback(({ id, digest }: Approval) => {
    // On its own page all of it stands.
    const there = queries.getQueryData<Approval>(["approvals", workspaceId, "one", id]);
    return opened.has(digest) || there?.digest === digest;
  }, [opened, queries, workspaceId]);

  const selectable = approvals.filter(isDecidable);
  const chosen = selectable.filter(({ id }) => selected.has(id));
  const waiting = approvals.filter(({ status }) => isInView(view, status)).length;

  // The number in the navigation is counted now and then: here it is known when it is another one.
  const known = view === "waiting" ? waiting + arrived.length : null;
  useEffect(() => {
    if (known !== null) void queries.invalidateQueries({ queryKey: ["approvals", workspaceId, "count"] });
  }, [known, queries, workspaceId]);

  if (list.error) return <ProblemNotice error={list.error} onRetry={list.retry} />;
  if (list.isLoading) return <Loading what="Looking up what waits" />;
  return (
    <>
      <p className="only-heard" role="status">
        {arrived.length > 0 && `${arrived.length} new: press Show ${arrived.length} new`}
      </p>
      {list.staleBecause !== null && <ProblemNotice error={list.staleBecause} />}
      {approvals.length === 0 && arrived.length === 0 && !list.hasMore ? <NothingHere view={view} /> : (
        <>
          <ListBar
            count={countInWords(view, waiting, list.hasMore)}
            newCount={arrived.length}
            onShowNew={() => {
              list.showArrived();
              scrollTo({ top: 0, behavior: "instant" });
              focusWhereLost("article[data-id]");
            }}
            selection={selectable.length === 0 ? null : {
              selected: chosen.length,
              selectable: selectable.length,
              onAll: () => setSelected(new Set(selectable.slice(0, MAX_DECISIONS).map(({ id }) => id))),
              onNone: () => setSelected(new Set()),
              onApprove: () => setSeveral({ decision: "approve", approvals: chosen }),
              onReject: () => setSeveral({ decision: "reject", approvals: chosen }),
            }}
          />
          <Feed
            label={VIEW_ROWS[view].name}
            items={approvals}
            hasMore={list.hasMore}
            isBusy={list.isLoadingMore}
            estimate={estimateHeight}
            nameIdOf={({ id }) => `task-${id}`}
            onSeen={list.watch}
            onNearEnd={list.moreFailed ? doNothing : list.loadMore}
            render={(approval) => (
              <TaskCard
                approval={approval}
                state={stateOf(approval.id)}
                hasLeft={!isInView(view, approval.status)}
                isSelected={selected.has(approval.id)}
                isOpen={open.has(approval.id)}
                wasOpened={wasOpened(approval)}
                on={on}
              />
            )}
          />
          {list.isLoadingMore && <Loading what="Reading more" />}
          {list.moreFailed !== null && <ProblemNotice error={list.moreFailed} onRetry={list.loadMore} />}
        </>
      )}
      {rejecting && (
        <RejectDialog
          title={
            <>
              Reject “<MarkedText>{readCalls(rejecting).calls[0]?.call.tool_name ?? "this"}</MarkedText>”?
            </>
          }
          onReject={async (reason) => {
            const problem = await decide(rejecting, "reject", { reason });
            return problem?.mayPass ? problem : null;
          }}
          onClose={() => {
            setRejecting(null);
            focusWhereLost(`article[data-id="${rejecting.id}"]`);
          }}
        />
      )}
      {several && (
        <SeveralDialog
          {...several}
          wasOpened={wasOpened}
          onOpened={({ digest }) => setOpened((before) => changed(before, digest, true))}
          onDecide={decideSeveral}
          onClose={() => {
            setSeveral(null);
            setSelected(new Set());
            focusWhereLost(".list-bar input, h1");
          }}
          onCancel={() => setSeveral(null)}
        />
      )}
    </>
  );
}

function doNothing() {}

function changed(before: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const after = new Set(before);
  if (isIn) after.add(id);
  else after.delete(id);
  return after;
}

function countInWords(view: View, count: number, hasMore: boolean): string {
  const noun = view === "waiting" ? (count === 1 ? "waits" : "wait") : count === 1 ? "task" : "tasks";
  return hasMore ? `The newest ${count}` : `${count} ${noun}`;
}

/** Of a card on a desk: near enough until it is measured. */
function estimateHeight(approval: Approval): number {
  const { calls, isWhole } = readCalls(approval).beginning;
  const lines = calls.reduce((sum, { lines }) => sum + (lines?.length ?? 1), 0);
  return 150 + calls.length * 30 + lines * 40 + (isWhole ? 0 : 50);
}
