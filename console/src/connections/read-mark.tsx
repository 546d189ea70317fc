/** The mark that lets a read by POST run on the call: what it means, and who sets it. */

import { useState } from "react";
import { useToolActions } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import type { SectionProps } from "./connection-page.tsx";
import { requestsOf } from "./file-words.ts";

export function ReadMark({ slug, detail, seen }: SectionProps) {
  const { id, isAdmin } = useWorkspace();
  const actions = useToolActions(id, slug);
  const [isOpen, setOpen] = useState(false);
  const isMarked = detail.runs === "on_call";
  const waitsAnyway = "confirm" in detail.tool && detail.tool.confirm === true;
  const marking = useAction(async (value: boolean) => {
    await actions.markAsRead({ value, version: seen });
    setOpen(false);
  });
  const posts = requestsOf(detail.tool).filter(({ method }) => method === "POST");

  return (
    <section className="card stack-tight" aria-labelledby="mark">
      <div className="row row-apart">
        <h2 id="mark">A read that is sent by POST</h2>
        {isMarked ? <Badge tone="good">Runs as a read</Badge> : <Badge tone="warn">Waits for approval</Badge>}
      </div>
      <p>
        {waitsAnyway
          ? "Its file asks for a person each time (confirm), so a mark would change nothing."
          : isMarked
          ? "An administrator looked at this request and said that it only reads, so it runs on the call. Any change of the request takes the mark away."
          : "A POST can change something, whatever its file says, so each call waits for a person. An administrator who knows that this request only reads, such as a search, can let it run on the call."}
      </p>
      {marking.error !== null && !isOpen && <ProblemNotice error={marking.error} />}
      {!waitsAnyway && !isAdmin && <p className="muted">An administrator sets and takes away the mark.</p>}
      {!waitsAnyway && isAdmin && (
        <div className="row">
          {isMarked
            ? (
              <Button isBusy={marking.isBusy} onClick={() => void marking.run(false)}>
                Take the mark away
              </Button>
            )
            : (
              <Button
                onClick={() => {
                  marking.reset();
                  setOpen(true);
                }}
              >
                Let it run as a read…
              </Button>
            )}
        </div>
      )}
      <Confirm
        title="Does this request only read?"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actions={
          <Button variant="primary" isBusy={marking.isBusy} onClick={() => void marking.run(true)}>
            Yes, let it run
          </Button>
        }
      >
        <div className="stack-tight">
          <p>From then on every call of it runs at once, without a person:</p>
          <ul className="plain stack-tight">
            {posts.map(({ method, url }, index) => (
              <li key={index}>
                <code>
                  {method} <Said>{url}</Said>
                </code>
              </li>
            ))}
          </ul>
          <p>Ask the system's maker what this path does where you do not know.</p>
          {marking.error !== null && <ProblemNotice error={marking.error} />}
        </div>
      </Confirm>
    </section>
  );
}
