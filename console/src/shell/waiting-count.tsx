/** How many approvals wait: beside the name of the page that shows them, and on the person's other workspaces. */

import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { useApi } from "../api/api-context.tsx";
import type { Api } from "../api/client.ts";
import { Said } from "../ui/said.tsx";
import { useChosen, useWorkspace } from "./workspace-context.tsx";

const EVERY_MS = 15_000;
/** A task elsewhere is no hurry of who decides here. */
const ELSEWHERE_MS = 60_000;
const MOST = 50;
/** Other workspaces that are asked: each is a request. */
const MOST_ELSEWHERE = 10;

/** Null where nothing waits; `50+` where more wait than are counted. */
function waitingOn(api: Api, workspaceId: string, everyMs: number) {
  return {
    queryKey: ["approvals", workspaceId, "count"],
    queryFn: () =>
      api.get<{ approvals: unknown[]; next_cursor: string | null }>("/approvals", {
        workspace_id: workspaceId,
        status: "awaiting_approval",
        limit: MOST,
      }),
    select: (
      { approvals: { length }, next_cursor: more }: { approvals: unknown[]; next_cursor: string | null },
    ) => length === 0 ? null : more === null ? String(length) : `${MOST}+`,
    refetchInterval: everyMs,
  };
}

export function WaitingCount() {
  const { id } = useWorkspace();
  const { data: count } = useQuery(waitingOn(useApi(), id, EVERY_MS));
  if (count === undefined || count === null) return null;
  return (
    <span className="shell-count number">
      {count}
      <span className="only-heard">waiting</span>
    </span>
  );
}

/** A line for each other workspace on which something waits; an address without a workspace may have meant that one. */
export function WaitingElsewhere() {
  const api = useApi();
  const { workspace, workspaces } = useChosen();
  const others = workspaces.filter(({ id }) => id !== workspace.id).slice(0, MOST_ELSEWHERE);
  const counts = useQueries({ queries: others.map(({ id }) => waitingOn(api, id, ELSEWHERE_MS)) });
  const waiting = others.flatMap(({ id, name }, at) => {
    const count = counts[at]?.data;
    return count === undefined || count === null ? [] : [{ id, name, count }];
  });
  if (waiting.length === 0) return null;
  return (
    <ul className="plain shell-elsewhere" aria-label="On your other workspaces">
      {waiting.map(({ id, name, count }) => (
        <li key={id}>
          {/* No link within this workspace: it leads to another one. */}
          <Link href={`/tasks?workspace_id=${id}`}>
            {count === "1" ? "1 waits" : `${count} wait`} on <Said>{name}</Said>
          </Link>
        </li>
      ))}
    </ul>
  );
}
