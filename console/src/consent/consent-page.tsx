/** A program asks to be let in: shows the person who asks and what for, and what became of it once they decided. */

import { useState } from "react";
import { useSearch } from "wouter";
import { useConsent } from "../api/consent.ts";
import { useSession, useSessionState } from "../session/session-context.tsx";
import { Button } from "../ui/button.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConsentForm } from "./consent-form.tsx";
import { ConsentFrame } from "./consent-frame.tsx";
import { ConsentProblem } from "./consent-problem.tsx";
import { requestIdIn } from "./request-id.ts";

export default function ConsentPage() {
  // The door lets nobody in without one.
  const requestId = requestIdIn(useSearch())!;
  const { data: consent, error, refetch } = useConsent(requestId);
  const [isDecided, setDecided] = useState(false);

  /** The program is told by where the browser goes. Nothing is left to press. */
  function leave(to: string) {
    setDecided(true);
    location.assign(to);
  }

  return (
    <ConsentFrame>
      {isDecided && (
        <Notice tone="good" title="Done">
          If nothing happens, go back to the program; this page can be closed.
        </Notice>
      )}
      {!isDecided && (
        <>
          {consent === undefined && error === null && <Loading what="Asking which program it is" />}
          {error !== null && <ConsentProblem error={error} onRetry={refetch} />}
          {consent !== undefined && <ConsentForm requestId={requestId} consent={consent} onDecided={leave} />}
          <WhoDecides />
        </>
      )}
    </ConsentFrame>
  );
}

function WhoDecides() {
  const session = useSession();
  const { person } = useSessionState();
  return (
    <div className="consent-who">
      <p className="muted">
        You are signed in as{" "}
        <strong>
          <bdi>{person?.email}</bdi>
        </strong>. Not you? Sign in as somebody else, then begin again in the program.
      </p>
      <Button variant="quiet" onClick={() => session.signOut()}>Sign in as somebody else</Button>
    </div>
  );
}
