/** What became of an approval since it was on the list: who decided and when, what came of it, and what to do. */

import type { Approval } from "../../api/approvals.ts";
import { Go } from "../../shell/go.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { MarkedText } from "../card/marked.tsx";
import { APPROVAL_WORDS } from "../card/standing-words.ts";
import { Who } from "../card/who.tsx";

export function Standing({ approval, isMine = false }: { approval: Approval; isMine?: boolean }) {
  const { status, decided_by: by, decided_at: at, superseded_by: fresh } = approval;
  const { words, tone } = APPROVAL_WORDS[status];
  return (
    <div className="stack-tight task-standing">
      <p className="row">
        <Badge tone={tone}>{words}</Badge>
        {by !== null && (
          <span>
            {status === "rejected" ? "Rejected" : "Approved"} by {isMine ? "you" : <Who someone={by} />}
            {at !== null && (
              <>
                {" "}
                <Time at={at} />
              </>
            )}
          </span>
        )}
      </p>
      <Why approval={approval} />
      {fresh !== null && (
        <p>
          <Go to={`/tasks/${fresh}`}>Look at the fresh one</Go>
        </p>
      )}
      {status === "unknown" && (
        <p>
          <Go to={`/tasks/${approval.id}`}>Say what became of it</Go>
        </p>
      )}
    </div>
  );
}

function Why(
  { approval: { status, outcome, reject_reason, superseded_because, expires_at } }: { approval: Approval },
) {
  if (status === "rejected" && reject_reason) {
    return (
      <p>
        “<MarkedText>{reject_reason}</MarkedText>”
      </p>
    );
  }
  if (status === "superseded" && superseded_because) {
    return (
      <p>
        <MarkedText>{superseded_because}</MarkedText>
      </p>
    );
  }
  if (status === "expired") {
    return (
      <p>
        Nobody decided before <Time at={expires_at} exact />. Nothing was sent.
      </p>
    );
  }
  if (outcome === null || status === "applied" || status === "rejected") return null;
  return (
    <p>
      <MarkedText>{outcome}</MarkedText>
    </p>
  );
}
