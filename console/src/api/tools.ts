/** The tools of a workspace: the list, one tool, its versions, what it read, and what is done to it. */

import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Access, FramedTool, Kind } from "../../../supabase/functions/_shared/definition/format.ts";
import type { JsonObject, JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { useApi } from "./api-context.tsx";
import { type Api, pathOf } from "./client.ts";

export type ToolStatus = "ready" | "waits_for_secret" | "waits_for_admin" | "quarantined" | "host_down";

export interface ListedTool {
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  readonly kind: Kind;
  readonly host: string | null;
  readonly access: Access | null;
  readonly runs: "on_call" | "after_approval";
  readonly live: boolean;
  readonly status: ToolStatus;
  readonly waits_for: readonly string[];
  readonly last_read_at: string | null;
}

export interface ToolSecret {
  readonly name: string;
  /** Where the file names it under `auth`: `secret`, `clientId`. */
  readonly keys: readonly string[];
  readonly set: boolean;
  readonly allowed: boolean;
  readonly host: string;
}

export interface ToolDetail {
  readonly id: string;
  readonly tool: FramedTool;
  readonly access: Access | null;
  readonly version: number;
  readonly live: boolean;
  readonly status: ToolStatus;
  readonly runs: "on_call" | "after_approval";
  readonly secrets: readonly ToolSecret[];
  readonly origin: "file" | "blueprint" | "seeded" | "installed";
  readonly owner: { readonly kind: "person" | "raw" | "reseller" | null; readonly name: string | null };
  /** Whether whoever looks is its owner. */
  readonly is_own: boolean;
  readonly partner_provided: boolean;
  readonly last_read: { readonly rows: number | null; readonly read_at: string } | null;
}

export interface ToolVersion {
  readonly version: number;
  readonly defined_by: {
    readonly kind: string;
    readonly name?: string | null;
    readonly key_name?: string | null;
  };
  readonly defined_at: string;
}

export interface KeptRead {
  readonly args: JsonObject;
  readonly capability?: string;
  readonly operation?: string;
  /** Null of a single answer. */
  readonly rows: number | null;
  readonly read_at: string;
  readonly result_handle: string;
}

export interface ResultPage {
  readonly total: number;
  readonly offset: number;
  readonly items: readonly JsonValue[];
  readonly next_offset: number | null;
  readonly read_at: string;
}

export interface InnerTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly arguments: JsonObject | null;
  readonly annotations: JsonObject;
  readonly runs: "on_call" | "after_approval";
  readonly may_destroy: boolean;
  readonly digest: string;
  readonly quarantined: boolean;
  readonly difference: readonly string[];
}

/** What is asked of a tool. */
export interface ToolCall {
  readonly args: JsonObject;
  readonly capability?: string;
  readonly operation?: string;
}

/** What a call answers: that it ran, or that it waits for a person. */
export type CallAnswer =
  | {
    readonly ran: true;
    readonly answers_with: string;
    readonly result: JsonValue;
    readonly kept: { readonly kept: boolean };
    readonly truncated: boolean;
    readonly result_handle?: string;
    readonly next?: JsonObject | null;
    readonly note?: string;
  }
  | {
    readonly ran: false;
    readonly approval_id: string;
    readonly repeated?: boolean;
    readonly waits_for?: readonly string[];
  };

interface Paged {
  readonly next_cursor: string | null;
}

/** Tools by slug, in pages; with `query` those whose slug, name or description holds it. */
export function useTools(workspaceId: string, query: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["tools", workspaceId, "list", query],
    queryFn: ({ pageParam, signal }) =>
      api.get<{ tools: readonly ListedTool[] } & Paged>(
        "/tools",
        { workspace_id: workspaceId, query: query === "" ? null : query, cursor: pageParam },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}

export function useTool(workspaceId: string, slug: string) {
  const api = useApi();
  return useQuery({
    queryKey: ["tools", workspaceId, "one", slug],
    queryFn: ({ signal }) =>
      api.get<ToolDetail>(pathOf`/tools/${slug}`, { workspace_id: workspaceId }, { signal }),
  });
}

/** Newest first. */
export function useVersions(workspaceId: string, slug: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["tools", workspaceId, "one", slug, "versions"],
    queryFn: ({ pageParam, signal }) =>
      api.get<{ versions: readonly ToolVersion[] } & Paged>(
        pathOf`/tools/${slug}/versions`,
        { workspace_id: workspaceId, cursor: pageParam },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** One version with the file as it was; null asks for none. A version never changes. */
export function useVersion(workspaceId: string, { slug, version }: { slug: string; version: number | null }) {
  const api = useApi();
  return useQuery({
    queryKey: ["tools", workspaceId, "one", slug, "versions", version],
    queryFn: ({ signal }) =>
      api.get<ToolVersion & { tool: FramedTool }>(
        pathOf`/tools/${slug}/versions/${version!}`,
        { workspace_id: workspaceId },
        { signal },
      ),
    enabled: version !== null,
    staleTime: Infinity,
  });
}

/** Programs read too, while somebody looks. */
const KEPT_AGAIN_MS = 10_000;

/** What is kept of the tool's reads, newest first. */
export function useKeptReads(workspaceId: string, { slug, isAsked }: { slug: string; isAsked: boolean }) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["tools", workspaceId, "one", slug, "reads"],
    queryFn: ({ pageParam, signal }) =>
      api.get<{ reads: readonly KeptRead[] } & Paged>(
        pathOf`/tools/${slug}/reads`,
        { workspace_id: workspaceId, cursor: pageParam, limit: 20 },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: isAsked,
    refetchInterval: KEPT_AGAIN_MS,
  });
}

/** A page of a stored answer. The rows are asked for by their path, an answer whole without one. */
export function useResultPage(
  handle: string,
  { path, offset, limit }: { path: string | null; offset: number; limit: number },
) {
  const api = useApi();
  return useQuery({
    queryKey: ["results", handle, path, offset, limit],
    queryFn: ({ signal }) =>
      api.get<ResultPage>(pathOf`/results/${handle}`, { path, offset, limit }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** All that the server of an mcp tool lists, at most 1,000: what waits for a look stands first, wherever its name is. */
export function useInnerTools(workspaceId: string, { slug, isAsked }: { slug: string; isAsked: boolean }) {
  const api = useApi();
  return useQuery({
    queryKey: ["tools", workspaceId, "one", slug, "inner"],
    queryFn: async ({ signal }) => {
      const all: InnerTool[] = [];
      let cursor: string | null = null;
      do {
        const page: { tools: readonly InnerTool[] } & Paged = await api.get(
          pathOf`/tools/${slug}/inner-tools`,
          { workspace_id: workspaceId, limit: 200, cursor },
          { signal },
        );
        all.push(...page.tools);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return all.sort((a, b) => Number(b.quarantined) - Number(a.quarantined));
    },
    enabled: isAsked,
  });
}

export interface DayOfCalls {
  /** `2026-12-01`, in UTC. */
  readonly day: string;
  readonly ok: number;
  readonly not_ok: number;
}

/** The tool's calls in the last 14 days, the oldest day first. */
export function useCallDays(workspaceId: string, slug: string) {
  const api = useApi();
  return useQuery({
    queryKey: ["log", workspaceId, "days", slug],
    queryFn: ({ signal }) =>
      api.get<{ days: readonly DayOfCalls[] }>("/log/days", {
        workspace_id: workspaceId,
        tool: slug,
        days: 14,
      }, { signal }),
    select: ({ days }) => days,
  });
}

/** What is done to one tool. Each asks once and forgets what it sent: a pasted value stays nowhere. */
export function useToolActions(workspaceId: string, slug: string) {
  const api = useApi();
  const queries = useQueryClient();
  const body = { workspace_id: workspaceId };
  const secret = (name: string) => pathOf`/tools/${slug}/secrets/${name}`;
  const inWorkspace = `?${new URLSearchParams(body)}`;
  const again = () => queries.invalidateQueries({ queryKey: ["tools", workspaceId] });
  const afterwards = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      // Also where it was refused: what stands here may be why.
      void again();
      void queries.invalidateQueries({ queryKey: ["log", workspaceId, "days", slug] });
    }
  };
  return {
    paste: ({ name, ...sent }: { name: string; value: string; version: number }) =>
      afterwards(api.send<null>("PUT", secret(name), { ...body, ...sent })),
    allow: ({ name, version }: { name: string; version: number }) =>
      afterwards(api.send<null>("POST", `${secret(name)}/allow`, { ...body, version })),
    removeSecret: (name: string) => afterwards(api.send<null>("DELETE", secret(name) + inWorkspace)),
    markAsRead: (sent: { value: boolean; version: number }) =>
      afterwards(api.send<unknown>("POST", pathOf`/tools/${slug}/runs-as-read`, { ...body, ...sent })),
    accept: ({ name, digest }: { name: string; digest: string }) =>
      afterwards(
        api.send<unknown>("POST", pathOf`/tools/${slug}/inner-tools/${name}/accept`, { ...body, digest }),
      ),
    call: async (call: ToolCall): Promise<CallAnswer> => {
      const answer = await afterwards(callTool(api, { workspaceId, slug, call }));
      if (!answer.ran) void queries.invalidateQueries({ queryKey: ["approvals", workspaceId] });
      return answer;
    },
    remove: async () => {
      await api.send<null>("DELETE", pathOf`/tools/${slug}` + inWorkspace);
      void queries.invalidateQueries({ queryKey: ["approvals", workspaceId] });
      queries.removeQueries({ queryKey: ["tools", workspaceId, "one", slug] });
      void queries.invalidateQueries({ queryKey: ["tools", workspaceId, "list"] });
    },
  };
}

function callTool(
  api: Api,
  { workspaceId, slug, call }: { workspaceId: string; slug: string; call: ToolCall },
): Promise<CallAnswer> {
  return api.send<CallAnswer>("POST", pathOf`/tools/${slug}/call`, { workspace_id: workspaceId, ...call });
}
