/** How many approvals wait, beside the name of the page that shows them. */

import { useQuery } from "@tanstack/react-query";
import { useApi } from "../api/api-context.tsx";
import { useWorkspace } from "./workspace-context.tsx";

const EVERY_MS = 15_000;
const MOST = 50;

export function WaitingCount() {
  const api = useApi();
  const { id } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["approvals", id, "count"],
    queryFn: () =>
      api.get<{ approvals: unknown[]; next_cursor: string | null }>("/approvals", {
        workspace_id: id,
        status: "awaiting_approval",
        limit: MOST,
      }),
    select: ({ approvals, next_cursor }) => ({ count: approvals.length, hasMore: next_cursor !== null }),
    refetchInterval: EVERY_MS,
  });
  if (data === undefined || data.count === 0) return null;
  const shown = data.hasMore ? `${MOST}+` : String(data.count);
  return (
    <span className="shell-count number">
      {shown}
      <span className="only-heard">waiting</span>
    </span>
  );
}
