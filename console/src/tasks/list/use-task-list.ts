/** The approvals of one view, page after page, and what becomes of them while they are looked at. */

import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useApi } from "../../api/api-context.tsx";
import { type Approval, readApproval, readApprovals } from "../../api/approvals.ts";
import type { Api } from "../../api/client.ts";
import { isRefusedFor } from "../../api/problem.ts";
import { useWorkspace } from "../../shell/workspace-context.tsx";
import { firstPage, type ListPage, mergePage, type PageStart } from "./pages.ts";
import {
  findMissing,
  findNew,
  insertApprovals,
  renewPages,
  replaceApproval,
  withoutApprovals,
} from "./reconcile.ts";
import { isInView, type View, VIEW_ROWS } from "./views.ts";

/** The first page is little, so that it is there at once. */
const FIRST = 25;
const MORE = 100;
/** Approvals that are looked up one by one in one turn. */
const MOST_LOOKED_UP = 8;

type Pages = InfiniteData<ListPage<Approval>, PageStart>;

/** What one look at the list again found. */
interface Look {
  readonly read: ReadonlyMap<string, Approval>;
  readonly gone: ReadonlySet<string>;
  readonly arrived: readonly Approval[];
}

export interface TaskList {
  readonly approvals: readonly Approval[];
  readonly isLoading: boolean;
  /** Why the first page could not be read. */
  readonly error: unknown;
  readonly retry: () => void;
  /** Why it could not be looked at again, while it cannot. */
  readonly staleBecause: unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly moreFailed: unknown;
  readonly loadMore: () => void;
  /** What came since, newest first, and is not in the list yet. */
  readonly arrived: readonly Approval[];
  readonly showArrived: () => void;
  /** Says which ones are on the screen: those are looked at again. */
  readonly watch: (ids: readonly string[]) => void;
  /** Takes in an approval as it is now. */
  readonly take: (approval: Approval) => void;
  /** Puts another approval in the place of one. */
  readonly replace: (id: string, approval: Approval) => void;
  readonly remove: (ids: ReadonlySet<string>) => void;
}

export function useTaskList(view: View): TaskList {
  const api = useApi();
  const queries = useQueryClient();
  const { id: workspaceId } = useWorkspace();
  const { statuses, everyMs } = VIEW_ROWS[view];
  const key = useMemo(() => ["tasks", workspaceId, view] as const, [workspaceId, view]);

  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(api, { workspaceId, start: pageParam, signal }),
    initialPageParam: firstPage(statuses),
    getNextPageParam: ({ next }) => next,
    // What stands is renewed in its place, never read anew under who looks at it.
    staleTime: Infinity,
    structuralSharing: false,
  });
  const pages = list.data?.pages;
  const approvals = useMemo(() => pages?.flatMap(({ approvals }) => approvals) ?? [], [pages]);

  const change = useCallback((work: (pages: readonly ListPage<Approval>[]) => ListPage<Approval>[]) => {
    queries.setQueryData<Pages>(key, (data) => data && { ...data, pages: work(data.pages) });
  }, [queries, key]);

  const [arrived, setArrived] = useState<readonly Approval[]>([]);
  const visible = useRef<readonly string[]>([]);
  const { data: look, error: staleBecause } = useQuery({
    queryKey: [...key, "again"],
    enabled: list.isSuccess,
    refetchInterval: everyMs,
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
    queryFn: async ({ signal }): Promise<Look> => {
      const stands = queries.getQueryData<Pages>(key)?.pages ?? [];
      const seen = new Set(visible.current);
      const starts = stands.filter(({ approvals }, at) =>
        at === 0 || approvals.some(({ id }) => seen.has(id))
      ).map(({ start }) => start);
      const again = await Promise.all(
        (starts.length === 0 ? [firstPage(statuses)] : starts).map((start) =>
          readPage(api, { workspaceId, start, signal })
        ),
      );
      const known = stands.flatMap(({ approvals }) => approvals);
      const read = new Map(again.flatMap(({ approvals }) => approvals.map((one) => [one.id, one] as const)));
      const missing = findMissing(known, again).filter(({ status }) =>
        isInView(view, status) || status === "running"
      );
      const onScreen = missing.filter(({ id }) => seen.has(id)).slice(0, MOST_LOOKED_UP);
      const gone = new Set(missing.map(({ id }) => id).filter((id) => !seen.has(id)));
      await Promise.all(onScreen.map(async ({ id }) => {
        try {
          read.set(id, await readApproval(api, id, { signal }));
        } catch (error) {
          if (!isRefusedFor(error, "not_found")) throw error;
          gone.add(id);
        }
      }));
      const isKnown = new Set(known.map(({ id }) => id));
      return { read, gone, arrived: findNew(isKnown, again) };
    },
  });

  useEffect(() => {
    if (look === undefined) return;
    const { read, gone } = look;
    change((pages) => withoutApprovals(renewPages(pages, read), gone));
    const stand = queries.getQueryData<Pages>(key)?.pages ?? [];
    const known = new Set(stand.flatMap(({ approvals }) => approvals.map(({ id }) => id)));
    const fresh = look.arrived.filter(({ id }) => !known.has(id));
    // With nothing to move, they are simply there.
    if (known.size === 0) {
      setArrived([]);
      if (fresh.length > 0) change((pages) => insertApprovals(pages, fresh));
    } else setArrived((before) => sameIds(before, fresh) ? before : fresh);
  }, [look, change, queries, key]);

  const showArrived = useCallback(() => {
    change((pages) => insertApprovals(pages, arrived));
    setArrived([]);
    // More than a page of them: those between are read from the top.
    if (arrived.length >= FIRST) void queries.resetQueries({ queryKey: key, exact: true });
  }, [arrived, change, queries, key]);

  return {
    approvals,
    isLoading: list.isPending,
    error: list.isPending || pages === undefined ? list.error : null,
    retry: () => void list.refetch(),
    staleBecause,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    moreFailed: list.isFetchNextPageError ? list.error : null,
    loadMore: () => void (list.isFetching || list.fetchNextPage()),
    arrived,
    showArrived,
    watch: useCallback((ids) => void (visible.current = ids), []),
    take: useCallback((one) => change((pages) => renewPages(pages, new Map([[one.id, one]]))), [change]),
    replace: useCallback((id, one) => change((pages) => replaceApproval(pages, id, one)), [change]),
    remove: useCallback((ids) => change((pages) => withoutApprovals(pages, ids)), [change]),
  };
}

async function readPage(
  api: Api,
  { workspaceId, start, signal }: { workspaceId: string; start: PageStart; signal: AbortSignal },
): Promise<ListPage<Approval>> {
  const limit = start.after === null ? FIRST : MORE;
  return mergePage(
    start,
    await Promise.all(
      start.sources.map((source) => readApprovals(api, { workspaceId, ...source, limit, signal })),
    ),
  );
}

function sameIds(a: readonly Approval[], b: readonly Approval[]): boolean {
  return a.length === b.length && a.every(({ id }, at) => id === b[at]!.id);
}
