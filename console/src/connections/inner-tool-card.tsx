/** One tool of an outside server: its own words, what a call does, and, in quarantine, what to accept. */

import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";
import { type InnerTool, useToolActions } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { useFirstMoment } from "../ui/first-moment.ts";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { argumentsInWords } from "./file-words.ts";

export function InnerToolCard({ slug, tool }: { slug: string; tool: InnerTool }) {
  const { id } = useWorkspace();
  const actions = useToolActions(id, slug);
  const accepting = useAction(() => actions.accept({ name: tool.name, digest: tool.digest }));
  // The list is read again by itself: what just became another is not what was looked at.
  const isNew = useFirstMoment(tool.digest, false);
  const args = argumentsInWords(tool.arguments);
  return (
    <article className={`card stack-tight ${tool.quarantined ? "inner-quarantined" : ""}`}>
      <div className="row row-apart">
        <h2 className="mono inner-name">
          <Said>{tool.name}</Said>
        </h2>
        <span className="row">
          {tool.quarantined && <Badge tone="warn">In quarantine</Badge>}
          {tool.runs === "on_call"
            ? <Badge tone="plain">Runs on the call</Badge>
            : <Badge tone="plain">Waits for approval</Badge>}
          {tool.runs !== "on_call" && tool.may_destroy && <Badge tone="warn">May destroy</Badge>}
        </span>
      </div>
      {tool.title !== null && (
        <p className="inner-title">
          <Said>{tool.title}</Said>
        </p>
      )}
      {tool.description !== null && (
        <p>
          <Said>{tool.description}</Said>
        </p>
      )}
      {args.length > 0 && (
        <p className="small muted">
          Takes {args.map(({ name, type, isRequired }, index) => (
            <span key={name}>
              {index > 0 && ", "}
              <code>
                <Said>{name}</Said>
              </code>{" "}
              (<Said>{type}</Said>
              {isRequired ? "" : ", not needed"})
            </span>
          ))}
        </p>
      )}
      {tool.quarantined && (
        <div className="stack-tight inner-difference">
          <h3>What is another thing than what was accepted</h3>
          <ul className="small">
            {tool.difference.map((line, index) => (
              <li key={index}>
                <Said>{line}</Said>
              </li>
            ))}
          </ul>
          {accepting.error !== null && <ProblemNotice error={accepting.error} />}
          <p className="row">
            <Button
              aria-label={`Accept as it is now: ${shownText(tool.name)}`}
              isBusy={accepting.isBusy}
              disabled={isNew}
              onClick={() => void accepting.run()}
            >
              Accept as it is now
            </Button>
            <span className="small muted">
              Fingerprint <code title={tool.digest}>{tool.digest.slice(0, 12)}</code>
            </span>
          </p>
        </div>
      )}
    </article>
  );
}
