/** The findings of Catch up. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useApi } from "./api-context.tsx";

export interface FindingItem {
  readonly approval_id: string;
  readonly tool: string;
  /** Null for who may not see values. */
  readonly what: string | null;
  readonly until: string | null;
  readonly wrote_at: string;
  readonly alarmed_at: string;
  readonly status: "waiting" | "done" | "stopped" | "given_up";
}

export interface Finding {
  readonly id: string;
  /** `2026-W49`. */
  readonly week: string;
  readonly title: string;
  readonly found_at: string;
  readonly changed_at: string;
  readonly total: number;
  /** The first 50. */
  readonly items: readonly FindingItem[];
}

const AGAIN_MS = 30_000;

export function useFindings(workspaceId: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["catch-up", workspaceId],
    queryFn: ({ pageParam, signal }) =>
      api.get<{ findings: readonly Finding[]; next_cursor: string | null }>("/catch-up", {
        workspace_id: workspaceId,
        cursor: pageParam,
      }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: AGAIN_MS,
  });
}
