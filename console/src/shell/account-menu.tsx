/** Who is signed in, how the console looks, and the way out. */

import { useState } from "react";
import { useSession, useSessionState } from "../session/session-context.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Choice } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { UserId } from "./user-id.tsx";
import { chooseTheme, currentTheme, type Theme } from "./theme.ts";

const THEMES: readonly [Theme, string][] = [["system", "As the system"], ["light", "Light"], [
  "dark",
  "Dark",
]];

export function AccountMenu() {
  const session = useSession();
  const { person } = useSessionState();
  const [isOpen, setOpen] = useState(false);
  const [theme, setTheme] = useState(currentTheme);

  function choose(next: Theme) {
    chooseTheme(next);
    setTheme(next);
  }

  return (
    <>
      <button type="button" className="shell-account" aria-label="Account" onClick={() => setOpen(true)}>
        <Icon name="person" size={20} />
      </button>
      <Dialog
        title="Account"
        description={
          <>
            Signed in as <strong>{person?.email}</strong>.
          </>
        }
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actions={<Button onClick={() => session.signOut()}>Sign out</Button>}
      >
        <div className="stack">
          <fieldset className="stack-tight">
            <legend>How the console looks</legend>
            {THEMES.map(([value, name]) => (
              <Choice
                key={value}
                type="radio"
                name="theme"
                label={name}
                checked={theme === value}
                onChange={() => choose(value)}
              />
            ))}
          </fieldset>
          {person !== null && <UserId id={person.id} />}
        </div>
      </Dialog>
    </>
  );
}
