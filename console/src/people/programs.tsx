/** The programs that people let in over Connect: which, where they are, as whom, and the way to shut one out. */

import { type ReactNode, useRef, useState } from "react";
import { type ConnectToken, standingOf, useConnectTokens, usePeopleChanges } from "../api/people.ts";
import { useAction } from "../api/use-action.ts";
import { useConfig } from "../config-context.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { LastingFacts } from "./lasting-facts.tsx";
import { Section } from "./section.tsx";

export function Programs() {
  const { id, isAdmin } = useWorkspace();
  const { data: tokens, error, refetch } = useConnectTokens(id);
  const [toEnd, setToEnd] = useState<ConnectToken | null>(null);
  const [done, setDone] = useState<ReactNode>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const now = Date.now();
  const inForce = tokens?.filter((token) => standingOf(token, now) === "in_force");
  const past = tokens?.filter((token) => standingOf(token, now) !== "in_force");
  return (
    <Section
      title="Programs"
      isNamedByTab
      lead={isAdmin
        ? "What people let in over Connect. Each program asks as one person, and only while they are on this workspace."
        : "What you let in over Connect. Each program asks as you, and only while you are on this workspace."}
      done={done}
      heading={heading}
    >
      {error !== null && <ProblemNotice error={error} onRetry={refetch} />}
      {tokens === undefined && error === null && <Loading what="Reading who was let in" />}
      {inForce?.length === 0 && (
        <Empty icon="connections" title="No program is let in">
          <p>
            Add Framed to a program you work with, such as an assistant, by this address. It then asks you
            here.
          </p>
        </Empty>
      )}
      {inForce !== undefined && inForce.length > 0 && <TokenList tokens={inForce} onEnd={setToEnd} />}
      {tokens !== undefined && <ConnectAddress />}
      {past !== undefined && past.length > 0 && (
        <details className="people-past">
          <summary>Ended and expired: {past.length}</summary>
          <TokenList tokens={past} onEnd={null} />
        </details>
      )}
      {toEnd !== null && (
        <EndToken
          of={toEnd}
          onClose={() => setToEnd(null)}
          onDone={() => {
            setDone(
              <p>
                <Said>{toEnd.client.name}</Said> is shut out.
              </p>,
            );
            setToEnd(null);
          }}
          focusAfter={heading}
        />
      )}
    </Section>
  );
}

function ConnectAddress() {
  const { api } = useConfig();
  const address = `${api}/connect/mcp`;
  return (
    <div className="card row row-apart">
      <div className="people-what">
        <h3>The address to add</h3>
        <p className="mono">{address}</p>
      </div>
      <CopyButton text={address} what=" the address" />
    </div>
  );
}

function TokenList(
  { tokens, onEnd }: { tokens: readonly ConnectToken[]; onEnd: ((token: ConnectToken) => void) | null },
) {
  return (
    <ul className="plain people-list">
      {tokens.map((token) => (
        <li key={token.id}>
          <div className="people-what">
            <p className="row">
              <strong>
                <Said>{token.client.name}</Said>
              </strong>
              <span className="muted">
                at <Said>{token.redirect_host}</Said>
              </span>
              {onEnd === null && (
                <Badge tone={token.revoked_at === null ? "plain" : "bad"}>
                  {token.revoked_at === null ? "expired" : "ended"}
                </Badge>
              )}
            </p>
            <LastingFacts of={token} made="let in" ended="ended" />
          </div>
          {onEnd !== null && (
            <Button onClick={() => onEnd(token)}>
              Shut out<span className="only-heard">
                <Said>{token.client.name}</Said>
              </span>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function EndToken(
  { of, onClose, onDone, focusAfter }: {
    of: ConnectToken;
    onClose: () => void;
    onDone: () => void;
    focusAfter: React.RefObject<HTMLElement | null>;
  },
) {
  const { id } = useWorkspace();
  const { endConnectToken } = usePeopleChanges(id);
  const gone = useRef<HTMLElement>(null);
  const end = useAction(async () => {
    await endConnectToken(of.id);
    // Its button goes with it.
    gone.current = focusAfter.current;
    onDone();
  });
  return (
    <Confirm
      title={
        <>
          Shut <Said>{of.client.name}</Said> out?
        </>
      }
      isOpen
      onClose={onClose}
      focusAfter={gone}
      actions={<Button variant="danger" isBusy={end.isBusy} onClick={() => end.run()}>Shut out</Button>}
    >
      <div className="stack-tight">
        {end.error !== null && <ProblemNotice error={end.error} />}
        <p>
          It is refused from its next request on. To come back it has to ask again, and a person has to let it
          in.
        </p>
        <p className="muted">What it asked for before goes on waiting for a person.</p>
      </div>
    </Confirm>
  );
}
