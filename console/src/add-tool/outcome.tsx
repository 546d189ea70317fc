/** What a definition came to, in words, and where one goes from there. */

import type { Ref } from "react";
import type { DefinedTool } from "../api/define.ts";
import { Problem } from "../api/problem.ts";
import { Go } from "../shell/go.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";

export function Outcome(
  { ref, defined, workspace, isAdmin }: {
    ref: Ref<HTMLHeadingElement>;
    defined: DefinedTool;
    workspace: string;
    isAdmin: boolean;
  },
) {
  const { tool, name, version, unchanged, replaced } = defined;
  const title = unchanged ? "Nothing changed" : replaced ? "Replaced" : "It is a tool of the workspace now";
  return (
    <section className="card stack-tight outcome" aria-label="What became of it">
      <h2 ref={ref} tabIndex={-1}>{title}</h2>
      <p>
        {unchanged
          ? (
            <>
              The file is equal to the one that stands: <Said>{name}</Said> keeps version {version}.
            </>
          )
          : (
            <>
              <Said>{name}</Said> is on <Said>{workspace}</Said>, version {version}.
            </>
          )}
      </p>
      <Notice {...statusOf(defined, isAdmin)} />
      <p className="row">
        <ButtonLink
          variant={defined.status === "ready" ? "secondary" : "primary"}
          to={`/connections/${tool}`}
        >
          {defined.status === "waits_for_secret" && isAdmin ? "Paste the value" : "Manage it"}
        </ButtonLink>
        <ButtonLink variant="quiet" to="/connections">All systems</ButtonLink>
      </p>
    </section>
  );
}

function statusOf({ status, runs, waits_for }: DefinedTool, isAdmin: boolean) {
  const names = waits_for.join(", ");
  switch (status) {
    case "ready":
      return {
        tone: "good",
        children: runs === "on_call"
          ? "It is live: a call of it runs."
          : "It is ready: a call of it waits until a person approves it.",
      } as const;
    case "waits_for_secret":
      return {
        tone: "warn",
        title: `It waits for ${names}`,
        children: isAdmin
          ? "Paste the value on its page. It is stored encrypted and goes to its one host only."
          : "An administrator pastes the value on its page.",
      } as const;
    case "waits_for_admin":
      return {
        tone: "warn",
        title: "It waits for an administrator",
        children: "It names values that are stored already. An administrator looks at it, then allows that.",
      } as const;
    case "quarantined":
      return {
        tone: "warn",
        title: "It is quarantined",
        children: "Its server says another thing than was accepted. Look at the difference on its page.",
      } as const;
    case "host_down":
      return {
        tone: "warn",
        title: "Its host does not answer",
        children: "Nothing on that host answered the last calls. It is asked again with the next one.",
      } as const;
    default:
      return status satisfies never;
  }
}

/** Why the workspace did not take it. What is told of places in the file stands beside them. */
export function Refused(
  { error, slug, onRetry }: { error: unknown; slug: string | null; onRetry: () => void },
) {
  const problem = error instanceof Problem ? error : null;
  if (problem?.reason === "bad_definition") {
    return (
      <Notice tone="bad" title="The workspace does not take this file">
        <p>Nothing was stored. What it found stands beside the lines it is about.</p>
      </Notice>
    );
  }
  return (
    <>
      <ProblemNotice error={error} {...(problem?.mayPass ? { onRetry } : {})} />
      {problem?.status === 409 && slug !== null && (
        <p className="small">
          <Go to={`/connections/${slug}`}>Look at the tool that stands there</Go>
        </p>
      )}
    </>
  );
}
