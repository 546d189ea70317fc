/** The people of the workspace, as which they are on it, and for administrators what changes that. */

import { useRef, useState } from "react";
import { type Member, useMembers } from "../api/people.ts";
import { useSessionState } from "../session/session-context.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";
import { MemberDialog } from "./member-dialog.tsx";
import { RemoveMember } from "./remove-member.tsx";
import { Section } from "./section.tsx";

type Open = { readonly what: "add" } | { readonly what: "change" | "remove"; readonly member: Member };

export function Members() {
  const { id, isAdmin } = useWorkspace();
  const { person } = useSessionState();
  const { data: members, error, refetch } = useMembers(id);
  const [open, setOpen] = useState<Open | null>(null);
  const [done, setDone] = useState<React.ReactNode>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  const close = () => setOpen(null);
  function finish(words: React.ReactNode) {
    setDone(words);
    close();
  }

  return (
    <Section
      title="People"
      isNamedByTab
      lead={isAdmin
        ? "Administrators paste secrets, add people and issue keys. Whoever may use tools calls them and decides what waits."
        : "Who is on this workspace. Administrators add people and change what they may do."}
      action={isAdmin && (
        <Button variant="primary" onClick={() => setOpen({ what: "add" })}>
          <Icon name="plus" /> Add a person
        </Button>
      )}
      done={done}
      heading={heading}
    >
      {error !== null && <ProblemNotice error={error} onRetry={refetch} />}
      {members === undefined && error === null && <Loading what="Reading who is here" />}
      {members !== undefined && (
        <ul className="plain people-list">
          {members.map((member) => (
            <li key={member.user_id}>
              <div className="people-what">
                <p className="row">
                  <strong>
                    <Said>{member.name}</Said>
                  </strong>
                  {member.role === "admin" && <Badge tone="info">Administrator</Badge>}
                  {member.user_id === person?.id && <Badge tone="plain">you</Badge>}
                </p>
                <ul className="plain people-facts">
                  {member.email !== undefined && (
                    <li>
                      <Said>{member.email}</Said>
                    </li>
                  )}
                  <li>{mayDo(member)}</li>
                  <li>
                    added <Time at={member.created_at} />
                  </li>
                </ul>
              </div>
              {isAdmin && (
                <div className="row">
                  <Button onClick={() => setOpen({ what: "change", member })}>
                    Change<span className="only-heard">
                      <Said>{member.name}</Said>
                    </span>
                  </Button>
                  <Button onClick={() => setOpen({ what: "remove", member })}>
                    Remove<span className="only-heard">
                      <Said>{member.name}</Said>
                    </span>
                  </Button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {open !== null && open.what !== "remove" && (
        <MemberDialog
          member={open.what === "change" ? open.member : null}
          members={members ?? []}
          onClose={close}
          onDone={finish}
        />
      )}
      {open?.what === "remove" && (
        <RemoveMember member={open.member} onClose={close} onDone={finish} focusAfter={heading} />
      )}
    </Section>
  );
}

function mayDo({ role, grants }: Member): string {
  if (role === "admin") return "may do everything here";
  return grants.includes("use_connectors") ? "may use tools" : "sees tools, and does not use them";
}
