/** What the webhook was told, or is to be told, newest first. */

import { type Notice, useNotices } from "../api/settings.ts";
import { Go } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ProblemNotice, type Tone } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { wordsOf } from "./webhook-facts.tsx";

const TONES: Record<Notice["status"], Tone> = {
  waiting: "info",
  delivered: "good",
  dropped: "plain",
  failed: "bad",
};

export function Notices() {
  const { id } = useWorkspace();
  const { data: notices, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useNotices(id);
  if (error !== null) return <ProblemNotice error={error} onRetry={refetch} />;
  // A workspace without a webhook has nothing to read here.
  if (notices === undefined || notices.length === 0) return null;
  return (
    <div className="stack-tight">
      <h3>Last notices</h3>
      <Table
        caption="Last notices"
        head={
          <tr>
            <th scope="col">Of</th>
            <th scope="col">State</th>
            <th scope="col">Began to wait</th>
            <th scope="col">Attempts</th>
            <th scope="col">What came of it</th>
          </tr>
        }
      >
        {notices.map((notice) => (
          <tr key={notice.id}>
            <td>
              {notice.kind === "approval_waiting"
                ? <Go to={`/tasks/${encodeURIComponent(notice.approval_id!)}`}>an approval</Go>
                : <Go to="/catch-up">a follow-up</Go>}
            </td>
            <td>
              <Badge tone={TONES[notice.status]}>{notice.status}</Badge>
            </td>
            <td>
              <Time at={notice.noted_at} />
            </td>
            <td className="number">{notice.attempts}</td>
            <td>{cameOf(notice)}</td>
          </tr>
        ))}
      </Table>
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onClick={() => fetchNextPage()}>Show more</Button>
        </div>
      )}
    </div>
  );
}

function cameOf({ status, last_status, last_attempt_at, next_attempt_at, due_at }: Notice) {
  return (
    <>
      {last_status !== null && wordsOf(last_status)}
      {last_status !== null && last_attempt_at !== null && (
        <>
          {" "}
          <Time at={last_attempt_at} />
        </>
      )}
      {status === "waiting" && (
        <>
          {last_status !== null && ", "}sent {last_status !== null && "again"}{" "}
          <Time at={next_attempt_at ?? due_at} />
        </>
      )}
    </>
  );
}
