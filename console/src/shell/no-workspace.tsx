/** What who is signed in sees where there is no workspace to show them: why, what to do, and the way out. */

import { useEffect } from "react";
import { useSession, useSessionState } from "../session/session-context.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { UserId } from "./user-id.tsx";

/** `isAskedFor` where the address names one. */
export function NoWorkspace({ isAskedFor, onLook }: { isAskedFor: boolean; onLook: () => void }) {
  const session = useSession();
  const { person } = useSessionState();
  useEffect(() => {
    document.title = "No workspace · Framed";
  }, []);
  return (
    <main className="page">
      <h1 className="only-heard">No workspace</h1>
      <Empty
        icon="people"
        title={isAskedFor ? "There is no such workspace for you" : "You are on no workspace yet"}
        action={
          <div className="row">
            {!isAskedFor && <Button onClick={onLook}>Look again</Button>}
            <Button variant="quiet" onClick={() => session.signOut()}>Sign in as somebody else</Button>
          </div>
        }
      >
        <p>
          You are signed in as{" "}
          <strong>
            <bdi>{person?.email}</bdi>
          </strong>.
        </p>
        {isAskedFor
          ? (
            <p>
              The address names a workspace that you are not on.{" "}
              <a href="/">Go to your own</a>, or ask whoever gave you the address.
            </p>
          )
          : (
            <>
              <p>An administrator adds you under People and keys; then this page shows what waits for you.</p>
              {person !== null && <UserId id={person.id} />}
            </>
          )}
      </Empty>
    </main>
  );
}
