/** Why a decision did not count, in words, and what to do. */

import type { ReactNode } from "react";
import type { Approval } from "../../api/approvals.ts";
import { Problem } from "../../api/problem.ts";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { MarkedText } from "./marked.tsx";
import { SecretsWanted } from "./secrets-wanted.tsx";
import { When } from "./when.tsx";
import { Who } from "./who.tsx";

/** `approval` is how it stands now, read again after the refusal. */
export function Refused({ error, approval }: { error: Error; approval: Approval }): ReactNode {
  if (!(error instanceof Problem)) return <ProblemNotice error={error} />;
  const said = error.detail === null ? null : (
    <p>
      <MarkedText>{error.detail}</MarkedText>
    </p>
  );
  switch (error.reason) {
    case "already_decided":
      return (
        <Notice tone="warn" title="Somebody was first">
          {approval.decided_by === null || approval.decided_at === null ? said : (
            <p>
              <Who someone={approval.decided_by} /> {approval.status === "rejected" ? "rejected" : "approved"}
              {" "}
              this <When at={approval.decided_at} />. What you pressed changed nothing.
            </p>
          )}
        </Notice>
      );
    case "approval_changed":
      return (
        <Notice tone="warn" title="Nothing was sent: this is not how it stands any more">
          {said}
          {error.hint && approval.superseded_by === null && <p>{error.hint}</p>}
        </Notice>
      );
    case "approval_expired":
      return (
        <Notice tone="warn" title="Nobody decided in time">
          <p>Nothing was sent. Whoever asked can ask again.</p>
        </Notice>
      );
    case "secret_missing":
      return (
        <Notice tone="warn" title="A value is missing, so nothing was sent">
          {said}
          <p>It goes on waiting. An administrator pastes the value, then it can be approved.</p>
          <SecretsWanted approval={approval} />
        </Notice>
      );
    case "own_request":
      return (
        <Notice tone="warn" title="You asked for this yourself">
          <p>
            On this workspace somebody else approves it. Send them the address of this page. You can reject
            it.
          </p>
        </Notice>
      );
    case "admin_required":
      return (
        <Notice tone="warn" title="An administrator decides about this">
          <p>It goes on waiting. Send an administrator of this workspace the address of this page.</p>
        </Notice>
      );
    default:
      return <ProblemNotice error={error} />;
  }
}
