/** The two fields that let a person in, on the sign-in page and over a page whose session has ended. */

import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useSession } from "./session-context.tsx";

/** `email` fixes who signs in. */
export function SignInForm({ email: fixed }: { email?: string }) {
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = event.currentTarget.elements.namedItem("password") as HTMLInputElement;
    setBusy(true);
    setRefusal(null);
    const refusal = await session.signIn(fixed ?? String(form.get("email")), String(form.get("password")));
    setBusy(false);
    setRefusal(refusal);
    if (refusal !== null) password.select();
  }

  return (
    <form className="stack" onSubmit={submit}>
      {refusal !== null && <Notice tone="bad">{refusal}</Notice>}
      {fixed === undefined
        ? <TextField label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        // A password manager looks for whose password it is.
        : <input type="email" name="email" value={fixed} autoComplete="username" readOnly hidden />}
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={fixed !== undefined}
      />
      <Button type="submit" variant="primary" isBusy={isBusy}>Sign in</Button>
    </form>
  );
}
