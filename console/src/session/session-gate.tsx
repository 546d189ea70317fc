/** Shows the page to who is signed in, the sign-in to who is not, and both to whose session ended while they worked. */

import { type ReactNode, useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Mark } from "../ui/icon.tsx";
import { useSession, useSessionState } from "./session-context.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import "./session.css";

/** `why` stands above the fields of who has to sign in first. */
export function SessionGate({ children, why }: { children: ReactNode; why?: string }) {
  const { person, hasEnded } = useSessionState();
  if (person === null) return <SignInPage why={why} />;
  return (
    <>
      {children}
      {hasEnded && <EndedDialog email={person.email} />}
    </>
  );
}

function SignInPage({ why }: { why: string | undefined }) {
  useEffect(() => {
    // The title of who was here before may say what they looked at.
    document.title = "Sign in · Framed";
  }, []);
  return (
    <main className="sign-in">
      <div className="sign-in-card stack">
        <p className="sign-in-mark">
          <Mark /> Framed
        </p>
        <h1>Sign in</h1>
        {why !== undefined && <p className="muted">{why}</p>}
        <SignInForm />
      </div>
    </main>
  );
}

function EndedDialog({ email }: { email: string }) {
  const session = useSession();
  useEffect(() => {
    // A dialog below would take it for its own and close, with what was typed into it.
    const keepFromBelow = (event: KeyboardEvent) =>
      event.key === "Escape" && event.stopImmediatePropagation();
    globalThis.addEventListener("keydown", keepFromBelow, { capture: true });
    return () => globalThis.removeEventListener("keydown", keepFromBelow, { capture: true });
  }, []);
  return (
    <Dialog
      title="Your session has ended"
      description={`Sign in again as ${email}, and what you were doing goes on. Nothing you typed is lost.`}
      isOpen
      isAboveAll
    >
      <div className="stack">
        <SignInForm email={email} />
        <Button variant="quiet" onClick={() => session.signOut()}>Leave, and sign in as somebody else</Button>
      </div>
    </Dialog>
  );
}
