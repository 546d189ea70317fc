/** Takes a tool off the workspace, after saying what goes with it. */

import { useState } from "react";
import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";
import { type ToolDetail, useToolActions } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { useGo } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { ProblemNotice } from "../ui/notice.tsx";

export function RemoveTool({ slug, detail }: { slug: string; detail: ToolDetail }) {
  const { id, isAdmin, mayUse } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const actions = useToolActions(id, slug);
  const go = useGo();
  const removing = useAction(async () => {
    await actions.remove();
    setOpen(false);
    go("/connections", { replace: true });
  });
  const may = isAdmin || (mayUse && detail.is_own);
  const names = detail.secrets.filter(({ set }) => set).map(({ name }) => name);

  return (
    <section className="card row row-apart" aria-labelledby="remove">
      <div className="stack-tight">
        <h2 id="remove">Remove this tool</h2>
        <p className="muted">
          {may
            ? isAdmin ? "Nobody can call it any more." : "You defined it, so you can."
            : "An administrator can remove it, or whoever defined it."}
        </p>
      </div>
      {may && (
        <Button
          variant="danger"
          onClick={() => {
            removing.reset();
            setOpen(true);
          }}
        >
          Remove…
        </Button>
      )}
      <Confirm
        title={`Remove ${shownText(detail.tool.name)}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actions={
          <Button variant="danger" isBusy={removing.isBusy} onClick={() => void removing.run()}>
            Remove it
          </Button>
        }
      >
        <div className="stack-tight">
          <p>This cannot be taken back. With it go:</p>
          <ul>
            <li>its versions, {detail.version} in all</li>
            <li>what is kept of its reads</li>
            <li>what waits for approval: each becomes superseded, and nothing of it is sent</li>
            {names.length > 0 && (
              <li>
                {isAdmin
                  ? `the stored value of ${names.join(", ")}, unless another tool names it`
                  : `not the stored value of ${names.join(", ")}: it stays, bound to its host`}
              </li>
            )}
          </ul>
          {removing.error !== null && <ProblemNotice error={removing.error} />}
        </div>
      </Confirm>
    </section>
  );
}
