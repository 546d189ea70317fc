/** One row of the log: who did what, and all of it when it is opened. */

import { useState } from "react";
import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";
import type { LogRow } from "../api/log.ts";
import { Go } from "../shell/go.tsx";
import { Badge } from "../ui/badge.tsx";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";
import { beginningOf, outcomeOf } from "./events.ts";
import { Durations } from "./durations.tsx";

export function LogRowItem({ row }: { row: LogRow }) {
  const [isOpen, setOpen] = useState(false);
  const outcome = outcomeOf(row);
  return (
    <li className="log-row">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="log-when small muted number">
            <Time at={row.at} />
          </span>
          <span className="log-what">
            <Said>{beginningOf(row)}</Said> {row.tool !== null && (
              <strong>
                <Said>{row.tool}</Said>
              </strong>
            )}
          </span>
          <span className="log-outcome">
            <Badge tone={outcome.tone}>{outcome.words}</Badge>
          </span>
        </summary>
        {isOpen && <Detail row={row} />}
      </details>
    </li>
  );
}

function Detail({ row }: { row: LogRow }) {
  const detail = (row.detail ?? {}) as Record<string, unknown>;
  const { approval_id: approvalId, superseded_by: supersededBy, ...others } = detail;
  return (
    <div className="log-detail stack">
      <dl className="facts small">
        <dt>When</dt>
        <dd>
          <Time at={row.at} exact />
        </dd>
        <dt>Event</dt>
        <dd>
          <code>{row.event}</code>
        </dd>
        <dt>Who</dt>
        <dd>
          <Said>{row.principal.name ?? "-"}</Said>{" "}
          <span className="muted">
            {row.principal.kind}
            {row.principal.key_name !== undefined && (
              <>
                {" "}
                <Said>{row.principal.key_name}</Said>
              </>
            )} <code>{row.principal.id}</code>
          </span>
        </dd>
        {row.tool !== null && (
          <>
            <dt>Tool</dt>
            <dd>
              <Go to={`/connections/${encodeURIComponent(row.tool)}`}>
                <Said>{row.tool}</Said>
              </Go>
              {row.version !== null && <span className="muted">, version {row.version}</span>}
              {row.operation !== null && (
                <span className="muted">
                  , <Said>{row.operation}</Said>
                </span>
              )}
            </dd>
          </>
        )}
        {typeof approvalId === "string" && (
          <>
            <dt>Approval</dt>
            <dd>
              <Go to={`/tasks/${approvalId}`}>Open it</Go>
            </dd>
          </>
        )}
        {typeof supersededBy === "string" && (
          <>
            <dt>Fresh approval</dt>
            <dd>
              <Go to={`/tasks/${supersededBy}`}>Open it</Go>
            </dd>
          </>
        )}
        {Object.entries(others).filter(([, value]) => value !== null).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
        {row.answer_bytes !== null && row.answer_bytes !== undefined && (
          <>
            <dt>Answer</dt>
            <dd className="number">{row.answer_bytes.toLocaleString("en")} bytes</dd>
          </>
        )}
        <dt>Request</dt>
        <dd>
          <code>{row.request_id}</code>
        </dd>
        {row.chain && (
          <>
            <dt>Sealed</dt>
            <dd>
              in seal {row.chain.seal}, <code className="log-hash">{row.chain.hash}</code>
            </dd>
          </>
        )}
      </dl>
      <Durations row={row} />
      {row.args !== null && (
        <div className="stack-tight">
          <p className="small muted">Arguments, long ones clipped</p>
          <pre className="log-args" tabIndex={0}><bdi>{linesOf(row.args)}</bdi></pre>
        </div>
      )}
    </div>
  );
}

/** A line break inside a text is written \n in JSON: those between its lines are its own, and no stranger's. */
function linesOf(args: unknown): string {
  return JSON.stringify(args, null, 2).split("\n").map(shownText).join("\n");
}

function Fact({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>{name.replaceAll("_", " ")}</dt>
      <dd>
        <Said>{typeof value === "string" ? value : JSON.stringify(value)}</Said>
      </dd>
    </>
  );
}
