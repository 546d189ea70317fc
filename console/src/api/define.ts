/** Puts a file on the workspace, and finds what stands under its slug already. */

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import type { JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { useApi } from "./api-context.tsx";
import { type Api, pathOf } from "./client.ts";
import type { ListedTool, ToolDetail, ToolStatus } from "./tools.ts";

/** What a definition came to. */
export interface DefinedTool {
  readonly tool: string;
  readonly name: string;
  readonly version: number;
  readonly status: ToolStatus;
  readonly runs: "on_call" | "after_approval";
  readonly live: boolean;
  readonly replaced: boolean;
  readonly waits_for: readonly string[];
  /** Whether the file is equal to the one that stood there: nothing changed then. */
  readonly unchanged: boolean;
}

/** The tool that stands under `slug`; null where none does that this person sees, and while there is no slug. */
export function useStanding(workspaceId: string, slug: string | null) {
  const api = useApi();
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["tools", workspaceId, "standing", slug],
    queryFn: () => findStanding(api, { queries, workspaceId, slug: slug! }),
    enabled: slug !== null,
    staleTime: 10_000,
  });
}

/** Sends a file once. Throws `Problem`. */
export function useDefine(workspaceId: string): (file: JsonValue) => Promise<DefinedTool> {
  const api = useApi();
  const queries = useQueryClient();
  return async (file) => {
    try {
      return await api.send<DefinedTool>("POST", "/tools/define", { workspace_id: workspaceId, tool: file });
    } finally {
      void queries.invalidateQueries({ queryKey: ["tools", workspaceId] });
    }
  };
}

/** Asks the list, which answers for a tool that is not there as well; a page that asks for the tool itself is told of an error. */
async function findStanding(
  api: Api,
  { queries, workspaceId, slug }: { queries: QueryClient; workspaceId: string; slug: string },
): Promise<ToolDetail | null> {
  const { tools } = await api.get<{ tools: readonly ListedTool[] }>("/tools", {
    workspace_id: workspaceId,
    query: slug,
    limit: 200,
  });
  if (!tools.some(({ tool }) => tool === slug)) return null;
  const found = await api.get<ToolDetail>(pathOf`/tools/${slug}`, { workspace_id: workspaceId });
  queries.setQueryData(["tools", workspaceId, "one", slug], found);
  return found;
}
