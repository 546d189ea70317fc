/** The workspaces of who is signed in. */

import { useQuery } from "@tanstack/react-query";
import { useApi } from "./api-context.tsx";
import type { Api } from "./client.ts";

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly role: "admin" | "member";
  readonly grants: readonly string[];
}

interface Page {
  readonly workspaces: readonly Workspace[];
  readonly next_cursor: string | null;
}

export function useWorkspaces() {
  const api = useApi();
  return useQuery({ queryKey: ["workspaces"], queryFn: () => readAll(api), staleTime: 60_000 });
}

async function readAll(api: Api): Promise<Workspace[]> {
  const all: Workspace[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await api.get("/workspaces", { limit: 200, cursor });
    all.push(...page.workspaces);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}
