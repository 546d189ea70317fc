/** Approvals: those of a workspace in pages, one by its id, and what a person does about them. */

import {
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { CardLine } from "../../../supabase/functions/_shared/approvals/card.ts";
import type { ApprovalStatus, CallStatus } from "../../../supabase/functions/_shared/approvals/state.ts";
import type { JsonObject, JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { useApi } from "./api-context.tsx";
import { type Api, pathOf } from "./client.ts";
import { Problem } from "./problem.ts";

export type { ApprovalStatus, CallStatus, CardLine, JsonObject, JsonValue };

/** Who did something. */
export interface Someone {
  readonly kind: string;
  readonly name: string | null;
  /** Of the key that was used, where one was. */
  readonly key_name?: string | null;
}

/** What a read showed when it was asked. */
export interface Preview {
  readonly tool: string;
  readonly args: JsonObject | null;
  /** Paths that must not change before sending; null for all of it. */
  readonly compare: readonly string[] | null;
  readonly ok: boolean;
  readonly result?: JsonValue;
  /** `live system` or `configured example`. Not known of an older one. */
  readonly answers_with?: string;
  readonly note?: string;
  readonly failed?: string;
  readonly read_at: string;
}

/** One call of an approval. Null arguments are those of somebody who may not see them. */
export interface Call {
  readonly tool: string;
  readonly tool_name: string;
  readonly access: string | null;
  readonly method?: string | null;
  readonly host?: string | null;
  readonly capability?: string;
  readonly operation?: string | null;
  readonly args: JsonObject | null;
  readonly status: CallStatus;
  readonly may_destroy?: boolean;
  readonly from_calls?: readonly {
    readonly path: string;
    readonly call: number;
    readonly result_path: string;
  }[];
  readonly sent_args?: JsonObject;
  readonly preview?: Preview | null;
  readonly result?: JsonValue;
  readonly truncated?: boolean;
  readonly result_handle?: string;
  readonly answers_with?: string;
  readonly note?: string;
  /** Of one approval that was asked for by itself. */
  readonly card?: {
    readonly tool_name: string;
    readonly host: string | null;
    readonly lines: readonly CardLine[];
  };
  readonly reason?: string;
  readonly detail?: string;
  readonly began_at: string | null;
  readonly ended_at: string | null;
}

export interface FollowUp {
  readonly status: "waiting" | "done" | "stopped" | "given_up";
  readonly what: string | null;
  readonly until: string | null;
  readonly checks: number;
  readonly last_check_at: string | null;
  readonly next_check_at: string | null;
  readonly alarmed_at: string | null;
  readonly stopped_by: Someone | null;
  readonly ended_at: string | null;
  /** Why its checks cannot find it done. */
  readonly note?: string;
}

export interface Approval {
  readonly id: string;
  readonly workspace_id: string;
  readonly status: ApprovalStatus;
  readonly calls: readonly Call[];
  readonly requested_by: Someone;
  readonly requested_at: string;
  readonly expires_at: string;
  /** Stands for all that is approved. A decision names the one that was on the screen. */
  readonly digest: string;
  readonly needs: "member" | "admin";
  /** Why whoever looks may not approve it; null where they may. */
  readonly approve_refused: "grant_missing" | "admin_required" | "own_request" | null;
  readonly waits_for: readonly string[];
  readonly rules: readonly { readonly call: number; readonly then: "admin"; readonly say: string }[];
  readonly decided_by: Someone | null;
  readonly decided_at: string | null;
  readonly reject_reason: string | null;
  readonly superseded_by: string | null;
  readonly superseded_because: string | null;
  readonly outcome: string | null;
  readonly ended_at: string | null;
  readonly settled: { readonly by: Someone; readonly at: string; readonly note: string | null } | null;
  readonly follow_up: FollowUp | null;
}

export interface ApprovalPage {
  readonly approvals: readonly Approval[];
  readonly next_cursor: string | null;
}

export interface Decision {
  readonly id: string;
  readonly decision: "approve" | "reject";
  readonly digest: string;
  /** Of a rejection. */
  readonly reason?: string;
}

/** What became of one of several decisions. */
export type Decided =
  | { readonly id: string; readonly approval: Approval; readonly problem: null }
  | { readonly id: string; readonly approval: null; readonly problem: Problem };

export interface Settlement {
  readonly outcome: "applied" | "failed";
  readonly note: string;
}

/** A part of an answer that did not fit. */
export interface ResultPage {
  readonly total: number;
  readonly offset: number;
  readonly items: readonly JsonValue[];
  readonly next_offset: number | null;
}

/** The most decisions that one request takes. */
export const MAX_DECISIONS = 200;

/** Below it stands every question about approvals of a workspace. */
const keyOf = (workspaceId: string) => ["approvals", workspaceId] as const;

/** How often an approval is read again, by what may become of it by itself; false for one that is over. */
const WAITING_MS = 4_000;
const RUNNING_MS = 1_000;
const FOLLOWED_MS = 10_000;

/** One page of a workspace's approvals, newest first; null for every status. */
export function readApprovals(
  api: Api,
  { workspaceId, status, cursor = null, limit = 50, signal }: {
    workspaceId: string;
    status: ApprovalStatus | null;
    cursor?: string | null;
    limit?: number;
    signal?: AbortSignal;
  },
): Promise<ApprovalPage> {
  const params = { workspace_id: workspaceId, status, cursor, limit };
  return api.get("/approvals", params, signal === undefined ? {} : { signal });
}

/** One approval, as it stands now. */
export function readApproval(
  api: Api,
  id: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Approval> {
  return api.get(pathOf`/approvals/${id}`, {}, signal === undefined ? {} : { signal });
}

/** One approval, whole, read again as long as something may become of it. */
export function useApproval(id: string | null) {
  const api = useApi();
  const { id: workspaceId } = useWorkspace();
  return useQuery({
    queryKey: [...keyOf(workspaceId), "one", id],
    queryFn: ({ signal }) => api.get<Approval>(pathOf`/approvals/${id!}`, {}, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state: { data } }) => data === undefined ? false : againAfterMs(data),
  });
}

function againAfterMs({ status, follow_up }: Approval): number | false {
  if (status === "running") return RUNNING_MS;
  if (status === "awaiting_approval") return WAITING_MS;
  return status === "unknown" || follow_up?.status === "waiting" ? FOLLOWED_MS : false;
}

/** Decides one, under the digest it was shown with. */
export function useDecide() {
  const api = useApi();
  const after = useAfter();
  return useMutation({
    mutationFn: ({ id, ...decision }: Decision) =>
      api.send<Approval>("POST", pathOf`/approvals/${id}/decision`, decision),
    ...after,
  });
}

/** Decides several, each by itself: at most `MAX_DECISIONS`. In their order. */
export function useDecideSeveral() {
  const api = useApi();
  const queries = useQueryClient();
  const { id: workspaceId } = useWorkspace();
  return useMutation({
    mutationFn: async (decisions: readonly Decision[]): Promise<Decided[]> => {
      interface Answer {
        readonly results: readonly {
          id: string;
          ok: boolean;
          approval?: Approval;
          problem?: Record<string, unknown>;
        }[];
      }
      const { results } = await api.send<Answer>("POST", "/approvals/decisions", { decisions });
      return results.map(({ id, approval, problem = {} }) =>
        approval === undefined
          ? { id, approval: null, problem: new Problem(Number(problem.status ?? 409), problem) }
          : { id, approval, problem: null }
      );
    },
    // Not waited for: what was decided stands, however long the rest takes to read.
    onSettled: () => void queries.invalidateQueries({ queryKey: keyOf(workspaceId) }),
  });
}

/** Says what became of one whose end nobody knew. */
export function useSettle(id: string) {
  const api = useApi();
  const after = useAfter();
  return useMutation({
    mutationFn: (settlement: Settlement) =>
      api.send<Approval>("POST", pathOf`/approvals/${id}/settle`, settlement),
    ...after,
  });
}

/** Ends the checks of an approval's follow-up. */
export function useStopFollowUp(id: string) {
  const api = useApi();
  const after = useAfter();
  return useMutation({
    mutationFn: () => api.send<Approval>("POST", pathOf`/approvals/${id}/follow-up/stop`),
    ...after,
  });
}

/** The whole answer that the handle names, page after page; what is no list comes as one element. It is gone after a day. */
export function useResultPages(handle: string | null, isWanted: boolean) {
  const api = useApi();
  const { id: workspaceId } = useWorkspace();
  return useInfiniteQuery({
    queryKey: ["results", workspaceId, handle],
    queryFn: ({ pageParam, signal }) =>
      api.get<ResultPage>(pathOf`/results/${handle!}`, { offset: pageParam || null }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next_offset }) => next_offset,
    enabled: isWanted && handle !== null,
    staleTime: Infinity,
  });
}

/** What was answered is shown at once; a refusal says that what is on the screen is not how it stands any more. */
function useAfter() {
  const queries = useQueryClient();
  const { id: workspaceId } = useWorkspace();
  return {
    onSuccess: (approval: Approval) => keepAnswer(queries, approval),
    onSettled: () => void queries.invalidateQueries({ queryKey: keyOf(workspaceId) }),
  };
}

function keepAnswer(queries: QueryClient, approval: Approval): void {
  queries.setQueryData<Approval>([...keyOf(approval.workspace_id), "one", approval.id], approval);
}
