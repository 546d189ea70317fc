/** Adds a person to the workspace, or changes what one is on it. */

import { type FormEvent, type ReactNode, useId, useState } from "react";
import { type Member, type Role, usePeopleChanges } from "../api/people.ts";
import { useAction } from "../api/use-action.ts";
import { useSessionState } from "../session/session-context.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Choice, TextField } from "../ui/field.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { WhatGoes } from "./what-goes.tsx";

const USER_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** `member` is null for who is new. */
export function MemberDialog(
  { member, members, onClose, onDone }: {
    member: Member | null;
    members: readonly Member[];
    onClose: () => void;
    onDone: (words: ReactNode) => void;
  },
) {
  const { id } = useWorkspace();
  const { person } = useSessionState();
  const { setMember, readOwnAgain } = usePeopleChanges(id);
  const [role, setRole] = useState<Role>(member?.role ?? "member");
  const [mayUse, setMayUse] = useState(member === null || member.grants.includes("use_connectors"));
  const [wrongId, setWrongId] = useState<ReactNode>(null);
  const formId = useId();

  const save = useAction(async ({ userId, name, email }: Record<"userId" | "name" | "email", string>) => {
    await setMember(userId, { role, name, email, grants: mayUse ? ["use_connectors"] : [] });
    onDone(
      member === null
        ? (
          <>
            <Said>{name}</Said> is on this workspace now.
          </>
        )
        : (
          <>
            <Said>{name}</Said> is changed.
          </>
        ),
    );
    // Last: what they no longer may is taken off the page.
    if (userId === person?.id) await readOwnAgain();
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const read = (name: string) => String(form.get(name)).trim();
    const userId = member?.user_id ?? read("user").toLowerCase();
    const there = member === null ? members.find(({ user_id }) => user_id === userId) : undefined;
    if (!USER_ID.test(userId)) {
      return setWrongId("This is no user id. One looks like 3f2b8c1e-5d47-4a90-8e6b-1c9d0f7a2b34.");
    }
    if (there !== undefined) {
      return setWrongId(
        <>
          <Said>{there.name}</Said> has this user id and is on the workspace already: change them in the list.
        </>,
      );
    }
    setWrongId(null);
    save.run({ userId, name: read("name"), email: read("email") });
  }

  const stopsAsAdmin = member?.role === "admin" && role === "member";
  return (
    <Dialog
      title={member === null ? "Add a person" : (
        <>
          Change <Said>{member.name}</Said>
        </>
      )}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" isBusy={save.isBusy}>
            {member === null ? "Add" : "Save"}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        {save.error !== null && <ProblemNotice error={save.error} />}
        {member === null && (
          <TextField
            label="User id"
            name="user"
            className="mono"
            required
            autoComplete="off"
            spellCheck={false}
            hint="They sign in here once, and are shown it under Account. Whoever runs Framed finds it in Supabase, under Authentication, Users, as UID."
            error={wrongId}
          />
        )}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={200}
          autoComplete="off"
          defaultValue={member?.name}
          hint="As it stands beside what they ask for and decide."
        />
        <TextField
          label="E-mail"
          name="email"
          type="email"
          required
          maxLength={320}
          autoComplete="off"
          defaultValue={member?.email}
          hint="Administrators see it. What they sign in with stays as it is."
        />
        <fieldset className="stack-tight">
          <legend>What they are</legend>
          <Choice
            type="radio"
            name="role"
            label="Member"
            hint="Sees tools, the log and what waits."
            checked={role === "member"}
            onChange={() => setRole("member")}
          />
          {role === "member" && (
            <div className="people-grant">
              <Choice
                label="May use tools"
                hint="Calls them, adds new ones, and decides what waits for any member."
                checked={mayUse}
                onChange={(event) => setMayUse(event.target.checked)}
              />
            </div>
          )}
          <Choice
            type="radio"
            name="role"
            label="Administrator"
            hint="Everything, also secrets, people, keys and these settings."
            checked={role === "admin"}
            onChange={() => setRole("admin")}
          />
        </fieldset>
        {stopsAsAdmin && (
          <Notice tone="warn" title="They stop being an administrator">
            {member.user_id === person?.id && (
              <p>This is you: another administrator has to make you one again.</p>
            )}
            <WhatGoes userId={member.user_id} goes="keys" />
          </Notice>
        )}
      </form>
    </Dialog>
  );
}
