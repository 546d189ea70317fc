/** The id of who is signed in, for the administrator who puts them on a workspace. */

import { CopyButton } from "../ui/copy-button.tsx";

export function UserId({ id }: { id: string }) {
  return (
    <div className="stack-tight">
      <p>
        <strong>Your user id</strong>
        <br />
        <span className="muted small">An administrator adds you to a workspace by it.</span>
      </p>
      <p className="mono">{id}</p>
      <CopyButton text={id} what=" your user id" />
    </div>
  );
}
