/** The log: pages of rows, newest first, whether newer ones have come, and the export. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { LoggedEvent } from "../../../supabase/functions/_shared/log/event.ts";
import { useApi } from "./api-context.tsx";

/** A row as the API answers it. */
export type LogRow = LoggedEvent;

/** What is asked for; null takes everything. */
export interface LogFilter {
  readonly tool: string | null;
  readonly principal: string | null;
  readonly outcome: string | null;
  readonly since: string | null;
  readonly until: string | null;
}

interface LogPage {
  readonly events: readonly LogRow[];
  readonly next_cursor: string | null;
}

const NEWER_MS = 5_000;

export function useLog(workspaceId: string, filter: LogFilter) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["log", workspaceId, filter],
    queryFn: ({ pageParam, signal }) =>
      api.get<LogPage>("/log", { workspace_id: workspaceId, ...filter, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Rows stand where they are read; `useNewestId` says when there are more.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    // Another filter begins anew, and the pages of the last one are not kept.
    gcTime: 0,
  });
}

/** The id of the newest row, looked up again and again while the page is seen; null where there is none. */
export function useNewestId(workspaceId: string, filter: LogFilter) {
  const api = useApi();
  return useQuery({
    queryKey: ["log", workspaceId, filter, "newest"],
    queryFn: ({ signal }) =>
      api.get<LogPage>("/log", { workspace_id: workspaceId, ...filter, limit: 1 }, { signal }),
    select: ({ events }) => events[0]?.id ?? null,
    refetchInterval: NEWER_MS,
  });
}

export function useLogExport(workspaceId: string, filter: LogFilter) {
  const api = useApi();
  /** The rows as NDJSON. `onBytes` is told how much has come. Throws where it breaks off. */
  return async (onBytes: (bytes: number) => void): Promise<Blob> => {
    const response = await api.open("/log/export", { workspace_id: workspaceId, ...filter });
    const parts: BlobPart[] = [];
    let bytes = 0;
    for (const reader = response.body!.getReader();;) {
      const { done, value } = await reader.read();
      if (done) return new Blob(parts, { type: "application/x-ndjson" });
      parts.push(value);
      onBytes(bytes += value.byteLength);
    }
  };
}
