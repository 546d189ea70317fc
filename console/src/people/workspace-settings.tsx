/** What the workspace is set to: how approvals are decided, how long things are kept, and where it tells of what waits. */

import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { useMembers } from "../api/people.ts";
import { type Settings, useSettings, useSettingsChanges } from "../api/settings.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Choice, TextField } from "../ui/field.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Section } from "./section.tsx";
import { Webhook } from "./webhook.tsx";

export function WorkspaceSettings() {
  const { id, isAdmin } = useWorkspace();
  const { data, error, refetch } = useSettings(id);
  return (
    <>
      {error !== null && <ProblemNotice error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading what="Reading the settings" />}
      {data !== undefined &&
        (isAdmin ? <Rules settings={data.settings} /> : <Facts settings={data.settings} />)}
      {data !== undefined && isAdmin && (
        <Webhook
          notify={data.settings.notify}
          state={data.webhook ?? null}
        />
      )}
    </>
  );
}

function Facts({ settings }: { settings: Settings }) {
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <Section title="Settings" isNamedByTab lead="Administrators change these." heading={heading}>
      <dl className="facts card">
        <dt>Who approves</dt>
        <dd>
          {settings.approver_is_not_requester
            ? "Nobody approves what they asked for"
            : "Also who asked for it, where the tool allows it"}
        </dd>
        <dt>An approval waits</dt>
        <dd>{days(settings.approval_days)}</dd>
        <dt>The log is kept</dt>
        <dd>{days(settings.log_days)}</dd>
        <dt>What waits is told to</dt>
        <dd>{settings.notify === null ? "nobody but who looks here" : new URL(settings.notify.url).host}</dd>
      </dl>
    </Section>
  );
}

type Kept = Pick<Settings, "approver_is_not_requester" | "approval_days" | "log_days">;

function Rules({ settings }: { settings: Settings }) {
  const { id } = useWorkspace();
  const { change } = useSettingsChanges(id);
  const { data: members } = useMembers(id);
  const deciders = members?.filter(({ role, grants }) =>
    role === "admin" || grants.includes("use_connectors")
  )
    .length;
  const [isStrict, setStrict] = useState(settings.approver_is_not_requester);
  const [toConfirm, setToConfirm] = useState<Partial<Kept> | null>(null);
  const [done, setDone] = useState<ReactNode>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const save = useAction(async (changes: Partial<Kept>) => {
    await change(changes);
    setToConfirm(null);
    setDone("The settings are saved.");
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const typed: Kept = {
      approver_is_not_requester: isStrict,
      approval_days: Number(form.get("approval_days")),
      log_days: Number(form.get("log_days")),
    };
    // What somebody else changed meanwhile stays as they left it.
    const changes: Partial<Kept> = Object.fromEntries(
      Object.entries(typed).filter(([name, value]) => settings[name as keyof Kept] !== value),
    );
    setDone(null);
    save.reset();
    if (Object.keys(changes).length === 0) return setDone("Nothing was changed: these are the settings.");
    if (changes.log_days !== undefined && changes.log_days < settings.log_days) return setToConfirm(changes);
    save.run(changes);
  }

  return (
    <Section title="Approvals and log" done={done} heading={heading}>
      <form className="card stack" onSubmit={submit}>
        {save.error !== null && toConfirm === null && <ProblemNotice error={save.error} />}
        <Choice
          label="Nobody approves what they asked for"
          hint="By whatever key or program they asked: another person has to look."
          checked={isStrict}
          onChange={(event) => setStrict(event.target.checked)}
        />
        {isStrict && deciders === 1 && (
          <Notice tone="warn" title="One person here may approve">
            What they ask for, by whatever program, waits until it expires. Give somebody else the grant under
            People first.
          </Notice>
        )}
        <div className="people-numbers">
          <TextField
            label="Days an approval waits"
            name="approval_days"
            type="number"
            inputMode="numeric"
            required
            min={1}
            max={365}
            step={1}
            defaultValue={settings.approval_days}
            hint="1 to 365. Of what is asked for from now on."
          />
          <TextField
            label="Days the log is kept"
            name="log_days"
            type="number"
            inputMode="numeric"
            required
            min={1}
            max={3650}
            step={1}
            defaultValue={settings.log_days}
            hint="1 to 3,650. Older rows are removed."
          />
        </div>
        <div>
          <Button type="submit" variant="primary" isBusy={save.isBusy}>Save</Button>
        </div>
      </form>
      {toConfirm !== null && (
        <Confirm
          title="Keep the log for less long?"
          isOpen
          onClose={() => setToConfirm(null)}
          actions={
            <Button variant="danger" isBusy={save.isBusy} onClick={() => save.run(toConfirm)}>
              Remove older rows
            </Button>
          }
        >
          <div className="stack-tight">
            {save.error !== null && <ProblemNotice error={save.error} />}
            <p>
              Rows of the log that are older than {days(toConfirm.log_days!)}{" "}
              are removed soon, and nothing brings them back. Export them first if they are wanted.
            </p>
          </div>
        </Confirm>
      )}
    </Section>
  );
}

function days(count: number): string {
  return count === 1 ? "1 day" : `${count.toLocaleString("en")} days`;
}
