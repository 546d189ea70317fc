/** Who asked and when, until when it can be decided and by whom, what it still needs, and the id and digest it goes by. */

import type { ReactNode } from "react";
import type { Approval } from "../../api/approvals.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Time } from "../../ui/time.tsx";
import { Who } from "./who.tsx";
import "./about.css";
import "./when.css";

export function About({ approval }: { approval: Approval }) {
  const { id, digest, requested_by, requested_at, expires_at, needs, approve_refused, status } = approval;
  const isWaiting = status === "awaiting_approval";
  return (
    <section className="card about" aria-labelledby="about">
      <h2 id="about">About this approval</h2>
      <dl>
        <Fact name="Asked by">
          <Who someone={requested_by} />
        </Fact>
        <Fact name="Asked">
          <Time at={requested_at} exact /> <Ago at={requested_at} />
        </Fact>
        {isWaiting && (
          <Fact name="Can be decided until">
            <Time at={expires_at} exact /> <Ago at={expires_at} />
          </Fact>
        )}
        <Fact name="Who decides">
          {needs === "admin" ? "An administrator" : (
            <>
              {approve_refused === "own_request" ? "Anyone else" : "Anyone"} with the grant{" "}
              <code>use_connectors</code>
            </>
          )}
        </Fact>
        {approval.decided_by !== null && approval.decided_at !== null && (
          <Fact name={status === "rejected" ? "Rejected by" : "Approved by"}>
            <Who someone={approval.decided_by} />, <Time at={approval.decided_at} exact />
          </Fact>
        )}
        {approval.ended_at !== null && (
          <Fact name="Ended">
            <Time at={approval.ended_at} exact />
          </Fact>
        )}
        {approval.settled !== null && (
          <Fact name="Settled by">
            <Who someone={approval.settled.by} />, <Time at={approval.settled.at} exact />
          </Fact>
        )}
        <Fact name="Approval">
          <code className="small">{id}</code>
        </Fact>
        <Fact name="Digest of all that is approved">
          <code className="small">{digest}</code>
        </Fact>
      </dl>
      <p>
        <Button onClick={() => print()}>
          <Icon name="print" /> Print
        </Button>
      </p>
    </section>
  );
}

/** Beside an exact instant; on paper it would be wrong an hour later. */
function Ago({ at }: { at: string }) {
  return (
    <span className="small muted screen-only">
      (<Time at={at} />)
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
