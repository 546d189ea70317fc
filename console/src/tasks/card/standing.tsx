/** Where an approval stands, in words: read out when it changes. */

import { type ReactNode, useState } from "react";
import type { Approval } from "../../api/approvals.ts";
import { useWorkspace } from "../../shell/workspace-context.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { MarkedText } from "./marked.tsx";
import { SecretsWanted } from "./secrets-wanted.tsx";
import { SettleDialog } from "./settle-dialog.tsx";
import { When } from "./when.tsx";
import { Who } from "./who.tsx";

/** What the title says already. */
const USUAL = /^(The call was|All \d+ calls were) sent and taken\.$/;

export function Standing({ approval }: { approval: Approval }): ReactNode {
  const { status, outcome, calls } = approval;
  const said = outcome && (
    <p>
      <MarkedText>{outcome}</MarkedText>
    </p>
  );
  switch (status) {
    case "awaiting_approval":
      return approval.waits_for.length === 0
        ? null
        : (
          <Notice tone="warn" title="It waits for a value that nobody has pasted yet">
            <SecretsWanted approval={approval} />
          </Notice>
        );
    case "running":
      return (
        <Notice tone="info" title={calls.length === 1 ? "It is being sent" : "The calls are being sent"}>
          <p>
            {approval.decided_by && <Decided approval={approval} />}{" "}
            This page goes on by itself until it has ended. That can take a minute or two.
          </p>
        </Notice>
      );
    case "applied":
      return (
        <Notice tone="good" title={calls.length === 1 ? "Sent, and taken" : "All calls were sent, and taken"}>
          {!USUAL.test(outcome ?? "") && said}
          <p>
            <Decided approval={approval} />
          </p>
          <Settled approval={approval} />
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="bad" title={calls.length === 1 ? "It failed" : "Not all of it was done"}>
          <HowFar approval={approval} />
          <p>
            <Decided approval={approval} />
          </p>
          <Settled approval={approval} />
        </Notice>
      );
    case "unknown":
      return <Unknown approval={approval} />;
    case "rejected":
      return (
        <Notice tone="plain" title="Rejected. Nothing was sent.">
          <p>
            <Decided approval={approval} />
          </p>
          {approval.reject_reason && (
            <p>
              Why: <MarkedText>{approval.reject_reason}</MarkedText>
            </p>
          )}
        </Notice>
      );
    case "expired":
      return (
        <Notice tone="plain" title="Nobody decided in time. Nothing was sent.">
          <p>
            It could be decided until <Time at={approval.expires_at} exact />. Whoever asked can ask again.
          </p>
        </Notice>
      );
    case "superseded":
      return (
        <Notice tone="warn" title="This is not how it stands any more. Nothing was sent.">
          {approval.superseded_because && (
            <p>
              <MarkedText>{approval.superseded_because}</MarkedText>
            </p>
          )}
          {approval.superseded_by === null
            ? <p>No fresh approval takes its place. Whoever asked can ask again.</p>
            : (
              <p>
                <ButtonLink to={`/tasks/${approval.superseded_by}?instead_of=${approval.id}`}>
                  Look at the fresh one
                </ButtonLink>
              </p>
            )}
        </Notice>
      );
    default:
      return status satisfies never;
  }
}

/** Of a chain in this page's own words: those of the answer count its calls from 0. */
function HowFar({ approval: { calls, outcome } }: { approval: Approval }) {
  const n = calls.findIndex(({ status }) => status === "failed");
  const detail = calls[n]?.detail;
  if (calls.length === 1 || n < 0) {
    return outcome && (
      <p>
        <MarkedText>{outcome}</MarkedText>
      </p>
    );
  }
  const behind = calls.length - n - 1;
  return (
    <p>
      {n > 0 && `${n === 1 ? "Call 1 was" : `Calls 1 to ${n} were`} sent and taken. `}
      Call {n + 1} of {calls.length} failed{detail
        ? (
          <>
            : <MarkedText>{detail}</MarkedText>
          </>
        )
        : "."}
      {behind > 0 && ` Nothing behind it was sent, and nothing is sent any more.`}
    </p>
  );
}

function Decided({ approval: { decided_by, decided_at, status } }: { approval: Approval }) {
  if (decided_by === null || decided_at === null) return null;
  return (
    <>
      <Who someone={decided_by} /> {status === "rejected" ? "rejected" : "approved"} it{" "}
      <When at={decided_at} />.
    </>
  );
}

function Settled({ approval: { settled, status } }: { approval: Approval }) {
  if (settled === null) return null;
  return (
    <p>
      Nobody could tell at first. <Who someone={settled.by} /> found{" "}
      {status === "applied" ? "it done" : "it not done"} <When at={settled.at} />
      {settled.note && (
        <>
          : <MarkedText>{settled.note}</MarkedText>
        </>
      )}
    </p>
  );
}

function Unknown({ approval }: { approval: Approval }) {
  const { mayUse } = useWorkspace();
  const [found, setFound] = useState<"applied" | "failed" | null>(null);
  const { calls, follow_up } = approval;
  const n = calls.findIndex(({ status }) => status === "unknown");
  const host = calls[n]?.card?.host ?? calls[n]?.host;
  return (
    <Notice tone="warn" title="Nobody can tell whether it was done">
      {calls[n]?.detail && (
        <p>
          <MarkedText>{calls[n].detail}</MarkedText>
        </p>
      )}
      <p>
        {calls.length > 1 && `Call ${n + 1} went out. `}
        It was sent once and is not sent again. Look in {host
          ? (
            <strong>
              <bdi>{host}</bdi>
            </strong>
          )
          : "the other system"} whether it is there, then say here what you found.
        {calls.length > 1 && " The calls behind it were not sent, and are not sent any more."}
        {follow_up?.status === "waiting" &&
          " Its follow-up looks too, and settles it by itself where it finds it done."}
      </p>
      {mayUse
        ? (
          <p className="row">
            <Button onClick={() => setFound("applied")}>It was done</Button>
            <Button onClick={() => setFound("failed")}>It was not done</Button>
          </p>
        )
        : <p>Somebody with the grant use_connectors says what became of it.</p>}
      <SettleDialog id={approval.id} outcome={found} onClose={() => setFound(null)} />
    </Notice>
  );
}
