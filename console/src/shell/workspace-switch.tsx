/** Which workspace is looked at; a list to choose from where there are several. */

import { useLocation } from "wouter";
import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";
import { Said } from "../ui/said.tsx";
import { useChosen } from "./workspace-context.tsx";

export function WorkspaceSwitch() {
  const { workspace, workspaces } = useChosen();
  const [, navigate] = useLocation();
  if (workspaces.length === 1) {
    return (
      <span className="shell-workspace">
        <Said>{workspace.name}</Said>
      </span>
    );
  }
  return (
    <select
      className="shell-workspace"
      aria-label="Workspace"
      value={workspace.id}
      // To its tasks: what stands in the address is another workspace's.
      onChange={(event) => navigate(`/tasks?workspace_id=${encodeURIComponent(event.target.value)}`)}
    >
      {workspaces.map(({ id, name }) => <option key={id} value={id}>{shownText(name)}</option>)}
    </select>
  );
}
