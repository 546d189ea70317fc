/** Who can be asked for by name: the people of the workspace, and the keys that it had. */

import { useQuery } from "@tanstack/react-query";
import { useApi } from "../api/api-context.tsx";
import { pathOf } from "../api/client.ts";

export interface Actor {
  readonly id: string;
  readonly name: string;
}

interface Members {
  readonly members: readonly { user_id: string; name: string }[];
}

interface Keys {
  readonly keys: readonly { id: string; name: string }[];
}

const MOST = 200;

/** Empty until they are known; the first of each where a workspace has very many. */
export function useActors(workspaceId: string): readonly Actor[] {
  const api = useApi();
  const { data = [] } = useQuery({
    queryKey: ["log", workspaceId, "actors"],
    queryFn: async () => {
      // Who may not see the keys still sees the people.
      const [{ members }, { keys }] = await Promise.all([
        api.get<Members>(pathOf`/workspaces/${workspaceId}/members`, { limit: MOST }),
        api.get<Keys>(pathOf`/workspaces/${workspaceId}/keys`, { limit: MOST }).catch(() => ({ keys: [] })),
      ]);
      return [
        ...members.map(({ user_id, name }) => ({ id: user_id, name })),
        ...keys.map(({ id, name }) => ({ id, name: `Key ${name}` })),
      ];
    },
    staleTime: 60_000,
  });
  return data;
}
