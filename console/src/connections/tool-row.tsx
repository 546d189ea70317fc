/** A tool in the list: what it is, where it goes, what a call does, how it stands. */

import { shownHost } from "../../../supabase/functions/_shared/approvals/shown-host.ts";
import type { ListedTool } from "../api/tools.ts";
import { pathOf } from "../api/client.ts";
import { Badge } from "../ui/badge.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";
import { effectOf, KIND_WORDS, stateOf } from "./tool-words.ts";

export function ToolRow({ tool }: { tool: ListedTool }) {
  const state = stateOf({ ...tool, waitsFor: tool.waits_for });
  return (
    <li className="system">
      <span className="system-kind" title={KIND_WORDS[tool.kind]}>
        <Icon name={tool.kind} size={20} />
        <span className="only-heard">{KIND_WORDS[tool.kind]}</span>
      </span>
      <div className="system-name">
        <h3>
          <Said>{tool.name}</Said>
        </h3>
        <p className="small muted">
          <code>{tool.tool}</code>
          {tool.host !== null && <span className="system-host">{shownHost(tool.host)}</span>}
        </p>
      </div>
      <p className="system-state">
        <Badge tone={state.tone}>{state.words}</Badge>
      </p>
      <div className="system-effect small">
        <p>{effectOf(tool)}</p>
        {tool.last_read_at === null
          ? tool.runs === "on_call" && <p className="muted">Nothing read yet</p>
          : (
            <p className="muted">
              Read <Time at={tool.last_read_at} />
            </p>
          )}
      </div>
      <ButtonLink to={pathOf`/connections/${tool.tool}`} className="system-manage">
        Manage{" "}
        <span className="only-heard">
          <Said>{tool.name}</Said>
        </span>
      </ButtonLink>
    </li>
  );
}
