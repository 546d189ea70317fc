/** The keys by which programs ask as a person: issued once, listed ever after without themselves, revoked for good. */

import { type ReactNode, useRef, useState } from "react";
import { type Key, standingOf, useKeys, usePeopleChanges } from "../api/people.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";
import { IssueKey } from "./issue-key.tsx";
import { LastingFacts } from "./lasting-facts.tsx";
import { Section } from "./section.tsx";

export function Keys() {
  const { id, isAdmin } = useWorkspace();
  const { data: keys, error, refetch } = useKeys(id);
  const [isIssuing, setIssuing] = useState(false);
  const [toRevoke, setToRevoke] = useState<Key | null>(null);
  const [done, setDone] = useState<ReactNode>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const now = Date.now();
  const inForce = keys?.filter((key) => standingOf(key, now) === "in_force");
  const past = keys?.filter((key) => standingOf(key, now) !== "in_force");

  const issue = (
    <Button variant="primary" onClick={() => setIssuing(true)}>
      <Icon name="plus" /> Issue a key
    </Button>
  );
  return (
    <Section
      title="Keys"
      isNamedByTab
      lead="A program with a key asks as the administrator who issued it, on this workspace. It decides nothing, and reads no secret."
      action={isAdmin && keys !== undefined && keys.length > 0 && issue}
      done={done}
      heading={heading}
    >
      {error !== null && <ProblemNotice error={error} onRetry={refetch} />}
      {keys === undefined && error === null && <Loading what="Reading the keys" />}
      {keys?.length === 0 && (
        <Empty icon="key" title="No key yet" action={isAdmin && issue}>
          <p>
            {isAdmin
              ? "Issue one for a program that calls your tools by itself, such as a nightly report."
              : "An administrator issues one for a program that calls your tools by itself."}
          </p>
        </Empty>
      )}
      {inForce !== undefined && inForce.length > 0 && (
        <KeyList keys={inForce} onRevoke={isAdmin ? setToRevoke : null} />
      )}
      {inForce?.length === 0 && past!.length > 0 && <p className="muted">No key is in force.</p>}
      {past !== undefined && past.length > 0 && (
        <details className="people-past">
          <summary>Revoked and expired: {past.length}</summary>
          <KeyList keys={past} onRevoke={null} />
        </details>
      )}
      {isIssuing && (
        <IssueKey
          onClose={() => setIssuing(false)}
          onIssued={(name) => {
            setDone(
              <p>
                The key <Said>{name}</Said> is issued.
              </p>,
            );
            setIssuing(false);
          }}
          focusAfter={heading}
        />
      )}
      {toRevoke !== null && (
        <RevokeKey
          of={toRevoke}
          onClose={() => setToRevoke(null)}
          onDone={() => {
            setDone(
              <p>
                The key <Said>{toRevoke.name}</Said> is revoked.
              </p>,
            );
            setToRevoke(null);
          }}
          focusAfter={heading}
        />
      )}
    </Section>
  );
}

function KeyList({ keys, onRevoke }: { keys: readonly Key[]; onRevoke: ((key: Key) => void) | null }) {
  return (
    <ul className="plain people-list">
      {keys.map((key) => (
        <li key={key.id}>
          <div className="people-what">
            <p className="row">
              <strong>
                <Said>{key.name}</Said>
              </strong>
              {key.kind === "reseller" && <Badge tone="plain">partner's key</Badge>}
              <Standing of={key} />
            </p>
            <LastingFacts of={key} made="issued" ended="revoked" />
          </div>
          {onRevoke !== null && (
            <Button onClick={() => onRevoke(key)}>
              Revoke<span className="only-heard">
                <Said>{key.name}</Said>
              </span>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Standing({ of }: { of: Key }) {
  switch (standingOf(of, Date.now())) {
    case "revoked":
      return <Badge tone="bad">revoked</Badge>;
    case "expired":
      return <Badge tone="plain">expired</Badge>;
    case "in_force":
      return null;
  }
}

function RevokeKey(
  { of, onClose, onDone, focusAfter }: {
    of: Key;
    onClose: () => void;
    onDone: () => void;
    focusAfter: React.RefObject<HTMLElement | null>;
  },
) {
  const { id } = useWorkspace();
  const { revokeKey } = usePeopleChanges(id);
  const gone = useRef<HTMLElement>(null);
  const revoke = useAction(async () => {
    await revokeKey(of.id);
    // Its button goes with it.
    gone.current = focusAfter.current;
    onDone();
  });
  return (
    <Confirm
      title={
        <>
          Revoke the key <Said>{of.name}</Said>?
        </>
      }
      isOpen
      onClose={onClose}
      focusAfter={gone}
      actions={<Button variant="danger" isBusy={revoke.isBusy} onClick={() => revoke.run()}>Revoke</Button>}
    >
      <div className="stack-tight">
        {revoke.error !== null && <ProblemNotice error={revoke.error} />}
        <p>Whatever uses it is refused from its next request on. A key that was revoked stays so.</p>
        <p>
          {of.last_used_at === null ? "It was never used." : (
            <>
              It was last used <Time at={of.last_used_at} />.
            </>
          )}
        </p>
        <p className="muted">What it asked for before goes on waiting for a person.</p>
      </div>
    </Confirm>
  );
}
