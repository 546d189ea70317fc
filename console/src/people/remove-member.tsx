/** Asks before a person is taken off the workspace, and says what goes with them. */

import { type ReactNode, type RefObject, useRef } from "react";
import { useLocation } from "wouter";
import { type Member, usePeopleChanges } from "../api/people.ts";
import { useAction } from "../api/use-action.ts";
import { useSessionState } from "../session/session-context.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { WhatGoes } from "./what-goes.tsx";

export function RemoveMember(
  { member, onClose, onDone, focusAfter }: {
    member: Member;
    onClose: () => void;
    onDone: (words: ReactNode) => void;
    focusAfter: RefObject<HTMLElement | null>;
  },
) {
  const { id } = useWorkspace();
  const { person } = useSessionState();
  const [, navigate] = useLocation();
  const { removeMember, readOwnAgain } = usePeopleChanges(id);
  const isMe = member.user_id === person?.id;

  const gone = useRef<HTMLElement>(null);
  const remove = useAction(async () => {
    await removeMember(member.user_id);
    if (isMe) {
      // The address names a workspace that is not theirs any more.
      navigate("/");
      await readOwnAgain();
      return;
    }
    // Their row goes with them.
    gone.current = focusAfter.current;
    onDone(
      <>
        <Said>{member.name}</Said> is off this workspace.
      </>,
    );
  });

  return (
    <Confirm
      title={isMe ? "Leave this workspace?" : (
        <>
          Remove <Said>{member.name}</Said>?
        </>
      )}
      isOpen
      onClose={onClose}
      focusAfter={gone}
      actions={
        <Button variant="danger" isBusy={remove.isBusy} onClick={() => remove.run()}>
          {isMe ? "Leave" : "Remove"}
        </Button>
      }
    >
      <div className="stack-tight">
        {remove.error !== null && <ProblemNotice error={remove.error} />}
        <p>
          {isMe
            ? "You see nothing of it from then on. Another administrator can add you again."
            : "They see nothing of it from then on. What they defined, asked for and decided stays."}
        </p>
        <WhatGoes userId={member.user_id} goes="all" />
      </div>
    </Confirm>
  );
}
