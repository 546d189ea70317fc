/** The workspace that is looked at: the one of the address, else the last one here, else the first. */

import { createContext, type ReactNode, useContext, useEffect } from "react";
import { useSearch } from "wouter";
import { useWorkspaces, type Workspace } from "../api/workspaces.ts";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { keep, kept } from "./kept.ts";
import { NoWorkspace } from "./no-workspace.tsx";

interface Chosen {
  readonly workspace: Workspace;
  readonly workspaces: readonly Workspace[];
}

const WorkspaceContext = createContext<Chosen | null>(null);
const LAST = "framed.workspace";

/** The workspace looked at, and what its person may there. */
export function useWorkspace(): Workspace & { isAdmin: boolean; mayUse: boolean } {
  const { workspace } = useChosen();
  const isAdmin = workspace.role === "admin";
  return { ...workspace, isAdmin, mayUse: isAdmin || workspace.grants.includes("use_connectors") };
}

export function useChosen(): Chosen {
  const chosen = useContext(WorkspaceContext);
  if (chosen === null) throw new Error("There is no workspace above this.");
  return chosen;
}

export function useWorkspaceId(): string | null {
  return useContext(WorkspaceContext)?.workspace.id ?? null;
}

export function WorkspaceGate({ children }: { children: ReactNode }) {
  const { data: workspaces, error, refetch } = useWorkspaces();
  const asked = new URLSearchParams(useSearch()).get("workspace_id");
  const workspace = workspaces?.find(({ id }) => id === asked) ??
    (asked === null ? workspaces?.find(({ id }) => id === kept(LAST)) ?? workspaces?.[0] : undefined);
  useEffect(() => {
    if (workspace !== undefined) keep(LAST, workspace.id);
  }, [workspace?.id]);
  if (workspaces === undefined) {
    return (
      <main className="page">
        {error === null
          ? <Loading what="Looking up your workspaces" />
          : <ProblemNotice error={error} onRetry={refetch} />}
      </main>
    );
  }
  if (workspace === undefined) return <NoWorkspace isAskedFor={asked !== null} onLook={() => refetch()} />;
  return (
    // What was looked at of one workspace is not shown of another.
    <WorkspaceContext.Provider key={workspace.id} value={{ workspace, workspaces }}>
      {children}
    </WorkspaceContext.Provider>
  );
}
