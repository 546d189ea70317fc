/** One approval: exactly what will be sent, the decision about it, and what became of it. */

import { useEffect } from "react";
import { useLocation } from "wouter";
import { useApproval } from "../api/approvals.ts";
import { isRefusedFor } from "../api/problem.ts";
import { useChosen } from "../shell/workspace-context.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { ApprovalView } from "./card/approval-view.tsx";
import { BackToTasks } from "./card/back-to-tasks.tsx";
import "./task-page.css";
import "./card/print.css";

export default function TaskPage({ id }: { id: string }) {
  const { data: approval, error, refetch } = useApproval(id);
  const isElsewhere = useOwnWorkspace(approval?.workspace_id, id);
  if (approval !== undefined && !isElsewhere) return <ApprovalView approval={approval} />;
  return (
    <Page title="Task" lead={<BackToTasks />}>
      {error === null
        ? <Loading what="Reading what waits" />
        : isRefusedFor(error, "not_found")
        ? (
          <Empty icon="tasks" title="There is no such task for you">
            <p>
              It is not there, or it belongs to a workspace that you are not on. Whoever gave you the address
              may have meant another one.
            </p>
          </Empty>
        )
        : <ProblemNotice error={error} onRetry={refetch} />}
    </Page>
  );
}

/** What somebody may do is said of the workspace looked at: an address without one goes to the approval's own. */
function useOwnWorkspace(workspaceId: string | undefined, id: string): boolean {
  const { workspace, workspaces } = useChosen();
  const [, navigate] = useLocation();
  const isElsewhere = workspaceId !== undefined && workspaceId !== workspace.id &&
    workspaces.some((one) => one.id === workspaceId);
  useEffect(() => {
    if (isElsewhere) navigate(`/tasks/${id}?workspace_id=${workspaceId}`, { replace: true });
  }, [isElsewhere]);
  return isElsewhere;
}
