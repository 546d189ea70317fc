/** The secrets that a tool names: where each goes, and what an administrator does about it. */

import { useRef, useState } from "react";
import { shownHost } from "../../../supabase/functions/_shared/approvals/shown-host.ts";
import { type ToolSecret, useToolActions } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { AllowDialog } from "./allow-dialog.tsx";
import type { SectionProps } from "./connection-page.tsx";
import { PasteForm } from "./paste-form.tsx";

export function SecretsSection(props: SectionProps) {
  const { isAdmin } = useWorkspace();
  return (
    <>
      <p className="muted">
        A value is stored encrypted and never shown again, to nobody. It goes to the one host that its tool
        names, and to no other.
      </p>
      {!isAdmin && (
        <Notice tone="info" title="An administrator of this workspace pastes and allows values">
          Tell one which value the tool waits for. Never send them the value in a message that stays.
        </Notice>
      )}
      <ul className="plain stack">
        {props.detail.secrets.map((secret) => (
          <li key={secret.name}>
            <SecretCard {...props} secret={secret} />
          </li>
        ))}
      </ul>
    </>
  );
}

type Open = "paste" | "allow" | "remove" | null;

function SecretCard({ slug, detail, seen, secret }: SectionProps & { secret: ToolSecret }) {
  const { id, isAdmin } = useWorkspace();
  const actions = useToolActions(id, slug);
  const [open, setOpen] = useState<Open>(null);
  const [done, setDone] = useState<string | null>(null);
  const said = useRef<HTMLDivElement>(null);
  const removing = useAction(async () => {
    await actions.removeSecret(secret.name);
    finish("The value was removed.");
  });

  function start(what: Open) {
    setDone(null);
    removing.reset();
    setOpen(what);
  }

  function finish(words: string) {
    setOpen(null);
    setDone(words);
    // The button that was pressed may be gone by now.
    requestAnimationFrame(() => said.current?.focus());
  }

  return (
    <article className="card stack" aria-label={secret.name}>
      <div className="row row-apart">
        <h2 className="mono secret-name">{secret.name}</h2>
        <SecretState secret={secret} />
      </div>
      <dl className="facts">
        <dt>Goes to</dt>
        <dd>
          <strong>{shownHost(secret.host)}</strong> only
        </dd>
        <dt>Is</dt>
        <dd>
          {secret.keys.map((key) => (
            <div key={key}>
              <code>{key}</code>: {isSetting(key)
                ? "a setting, which is told openly and not taken out of answers"
                : "a credential, taken out of every answer"}
            </div>
          ))}
        </dd>
      </dl>
      <div ref={said} tabIndex={-1} className="quiet-focus">
        {done !== null && <Notice tone="good">{done}</Notice>}
      </div>
      {isAdmin && open === "paste" && (
        <PasteForm
          secret={secret}
          seen={seen}
          onSend={(value) => actions.paste({ name: secret.name, value, version: seen })}
          onDone={() =>
            finish(
              secret.set
                ? "The new value is stored. Every tool that names it uses it from its next call."
                : "The value is stored, and this tool may use it.",
            )}
          onCancel={() => setOpen(null)}
        />
      )}
      {isAdmin && open !== "paste" && (
        <div className="row">
          {secret.set && !secret.allowed && (
            <Button variant="primary" onClick={() => start("allow")}>Look at it, then allow</Button>
          )}
          <Button variant={secret.set ? "secondary" : "primary"} onClick={() => start("paste")}>
            {secret.set ? "Replace the value" : "Paste the value"}
          </Button>
          {secret.set && <Button variant="danger" onClick={() => start("remove")}>Remove the value</Button>}
        </div>
      )}
      <AllowDialog
        detail={detail}
        secret={secret}
        isOpen={open === "allow"}
        onClose={() => setOpen(null)}
        onSend={() => actions.allow({ name: secret.name, version: seen })}
        onDone={() => finish("This tool may use the value now.")}
      />
      <Confirm
        title={`Remove the value of ${secret.name}?`}
        isOpen={open === "remove"}
        onClose={() => setOpen(null)}
        actions={
          <Button variant="danger" isBusy={removing.isBusy} onClick={() => void removing.run()}>
            Remove the value
          </Button>
        }
      >
        <div className="stack-tight">
          <ul>
            <li>
              Every tool of this workspace that names it waits for a value again; its calls are refused.
            </li>
            <li>
              What you had allowed a tool of a member or a partner goes with it: look at such a tool again
              when you paste another value.
            </li>
            <li>The other system still takes the old value. Revoke it there too.</li>
          </ul>
          {removing.error !== null && <ProblemNotice error={removing.error} />}
        </div>
      </Confirm>
    </article>
  );
}

function SecretState({ secret: { set, allowed } }: { secret: ToolSecret }) {
  if (!set) return <Badge tone="warn">No value yet</Badge>;
  return allowed
    ? <Badge tone="good">Stored and allowed</Badge>
    : <Badge tone="warn">Stored, not allowed to this tool</Badge>;
}

const SETTINGS: ReadonlySet<string> = new Set(["clientId", "redirectUri", "administrationId"]);

/** Whether what stands under this key of `auth` is told openly. */
function isSetting(key: string): boolean {
  return SETTINGS.has(key);
}
