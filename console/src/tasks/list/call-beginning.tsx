/** The calls of an approval in a list: their beginning, or all of it once it was opened. */

import { useMemo } from "react";
import { shownHost } from "../../../../supabase/functions/_shared/approvals/shown-host.ts";
import type { Approval, Call, CardLine } from "../../api/approvals.ts";
import { AccessBadges } from "../card/call-card.tsx";
import { CardLines } from "../card/card-lines.tsx";
import { linesOf } from "../card/lines-of.ts";
import { Marked, MarkedText } from "../card/marked.tsx";
import { PreviewView } from "../card/preview-view.tsx";
import { type Beginning, beginningOf } from "./beginning.ts";

const known = new WeakMap<Approval["calls"], Read>();

interface Read {
  readonly calls: readonly { call: Call; lines: readonly CardLine[] | null }[];
  readonly beginning: Beginning<Call>;
}

/** The lines of all calls and their beginning: computed once for what the API answered once. */
export function readCalls({ calls }: Approval): Read {
  let read = known.get(calls);
  if (read === undefined) {
    const whole = calls.map((call) => ({ call, lines: linesOf(call) }));
    read = { calls: whole, beginning: beginningOf(whole) };
    known.set(calls, read);
  }
  return read;
}

/** `level` is that of the headings of the calls, where there are several. */
export function Calls({ approval, isWhole, level }: { approval: Approval; isWhole: boolean; level: 3 | 4 }) {
  const { calls, beginning } = readCalls(approval);
  const shown = useMemo(
    () =>
      isWhole
        ? calls.map(({ call, lines }, n) => ({ call, lines, n, preview: call.preview ?? null }))
        : beginning.calls,
    [isWhole, calls, beginning],
  );
  const isChain = calls.length > 1;
  const Heading = level === 3 ? "h3" : "h4";
  return (
    <>
      {shown.map(({ call, lines, n, preview }) => (
        <div key={n} className="task-call">
          {isChain && (
            <div className="row">
              <Heading>
                {n + 1}. <MarkedText>{call.tool_name}</MarkedText>
              </Heading>
              <AccessBadges call={call} />
            </div>
          )}
          <Where call={call} />
          {lines === null
            ? <p className="muted">Its arguments are not shown to you.</p>
            : <CardLines lines={lines} />}
          {preview && <PreviewView preview={preview} of={` for ${toldBy(lines) ?? call.tool_name}`} />}
        </div>
      ))}
    </>
  );
}

/** What one call is told from another by, to who listens. */
function toldBy(lines: readonly CardLine[] | null): string | undefined {
  return lines?.find(({ kind, text }) => kind === "text" && text !== "")?.text.slice(0, 60);
}

function Where({ call: { tool, method, host, capability, operation } }: { call: Call }) {
  return (
    <p className="task-where">
      {host
        ? (
          <>
            {method && <code>{method}</code>}
            <code className="task-host">
              <Marked text={shownHost(host)} />
            </code>
          </>
        )
        : <span>Nothing leaves here: it answers from its examples</span>}
      <span className="muted">
        <MarkedText>
          {capability ? `${tool} · ${capability}${operation ? ` ${operation}` : ""}` : tool}
        </MarkedText>
      </span>
    </p>
  );
}
