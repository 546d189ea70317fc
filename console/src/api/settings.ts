/** What a workspace is set to, and how its webhook fares. */

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Settings } from "../../../supabase/functions/_shared/workspaces/settings.ts";
import { useApi } from "./api-context.tsx";
import { pathOf } from "./client.ts";

export type { Settings };

/** How a webhook fares. */
export interface WebhookState {
  readonly secret_made_at: string;
  readonly last_delivered_at: string | null;
  readonly last_failed_at: string | null;
  /** An HTTP status or a reason. */
  readonly last_failure: string | null;
  readonly failing_since: string | null;
  /** When it answered 410: nothing is sent to it any more. */
  readonly gone_at: string | null;
}

export interface WorkspaceState {
  /** The address of a webhook is cut after its host for members. */
  readonly settings: Settings;
  /** For administrators only: null where none is set. */
  readonly webhook?: WebhookState | null;
}

export interface Notice {
  readonly id: string;
  readonly kind: "approval_waiting" | "follow_ups_waiting";
  readonly approval_id?: string;
  readonly finding_id?: string;
  readonly status: "waiting" | "delivered" | "dropped" | "failed";
  readonly noted_at: string;
  readonly due_at: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly last_status: string | null;
}

export function useSettings(workspaceId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ["settings", workspaceId],
    queryFn: ({ signal }) => api.get<WorkspaceState>(pathOf`/workspaces/${workspaceId}`, {}, { signal }),
  });
}

/** Newest first. */
export function useNotices(workspaceId: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["notices", workspaceId],
    queryFn: ({ pageParam, signal }) =>
      api.get<{ notices: Notice[]; next_cursor: string | null }>(
        pathOf`/workspaces/${workspaceId}/notices`,
        { limit: 20, cursor: pageParam },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }) => pages.flatMap(({ notices }) => notices),
  });
}

/** What changes them. Each throws `Problem`. */
export function useSettingsChanges(workspaceId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const readAgain = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["settings", workspaceId] }),
      queries.invalidateQueries({ queryKey: ["notices", workspaceId] }),
    ]);
  return {
    /** The signing secret, where the change made one: told now and never again. */
    async change(changes: Partial<Settings>): Promise<string | null> {
      const changed = await api.send<{ signing_secret?: string }>(
        "PATCH",
        pathOf`/workspaces/${workspaceId}`,
        changes,
      );
      await readAgain();
      return changed.signing_secret ?? null;
    },
    /** The new signing secret: told now and never again. */
    async rotate(): Promise<string> {
      const rotated = await api.send<{ signing_secret: string }>(
        "POST",
        pathOf`/workspaces/${workspaceId}/webhook/rotate`,
      );
      await readAgain();
      return rotated.signing_secret;
    },
  };
}
