/** One call as it will be sent, whole: the tool, what it does, where it goes, every argument, the rules that fired on it. */

import type { ReactNode } from "react";
import type { Approval, Call } from "../../api/approvals.ts";
import { shownHost } from "../../../../supabase/functions/_shared/approvals/shown-host.ts";
import { Go } from "../../shell/go.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { CardLines } from "./card-lines.tsx";
import { linesOf } from "./lines-of.ts";
import { Marked, MarkedText } from "./marked.tsx";
import "./call-card.css";

export interface CallCardProps {
  call: Call;
  /** Its place in a chain of several, from 0. */
  place?: { readonly n: number; readonly of: number };
  /** Those of the whole approval: the ones of this call are shown. */
  rules?: Approval["rules"];
  /** Shows so many arguments and no more; who says so also says how many there are. */
  limit?: number;
  /** False where its name stands right above it already. */
  isNamed?: boolean;
  /** The level of its heading. */
  level?: 2 | 3;
  /** What stands below the arguments: what it looks like now, what became of it. */
  children?: ReactNode;
}

export function CallCard(
  { call, place, rules = [], limit, isNamed = true, level = 3, children }: CallCardProps,
) {
  const lines = linesOf(call);
  const fired = rules.filter(({ call: n }) => n === (place?.n ?? 0));
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <div className="call">
      <div className="call-head">
        {place && place.of > 1 && (
          <p className="small muted number">
            Call {place.n + 1} of {place.of}, <code>calls.{place.n}</code> in what refers to it
          </p>
        )}
        {isNamed
          ? (
            <>
              <div className="call-title">
                <Heading className="call-name">
                  <Name call={call} />
                </Heading>
                <AccessBadges call={call} />
              </div>
              <p className="call-where">
                <Where call={call} />
              </p>
            </>
          )
          : (
            <div className="call-title">
              <Heading className="only-heard">
                <Name call={call} />
              </Heading>
              <p className="call-where">
                <Where call={call} />
              </p>
              <AccessBadges call={call} />
            </div>
          )}
      </div>
      {fired.map(({ say }, index) => (
        <p key={index} className="call-rule">
          <Icon name="warn" size={16} />
          <span>
            <strong>Needs an administrator:</strong> <MarkedText>{say}</MarkedText>
          </span>
        </p>
      ))}
      {lines === null
        ? (
          <p className="muted">
            You see that this call is there, and not with which arguments: for that an administrator gives you
            the grant <code>use_connectors</code>.
          </p>
        )
        : <CardLines lines={lines} {...(limit === undefined ? {} : { limit })} />}
      {children}
    </div>
  );
}

function Name({ call: { card, tool_name } }: { call: Call }) {
  return card ? <Marked text={card.tool_name} /> : <MarkedText>{tool_name}</MarkedText>;
}

/** What the tool does, in a word or two. */
export function AccessBadges({ call: { access, may_destroy } }: { call: Call }) {
  return (
    <>
      {may_destroy && <Badge tone="bad">May destroy</Badge>}
      {access === "sensitive" && <Badge tone="warn">Sensitive</Badge>}
      {access === "write" && <Badge tone="info">Changes something</Badge>}
      {access === "read" && <Badge tone="plain">Reads</Badge>}
    </>
  );
}

function Where({ call }: { call: Call }) {
  const { tool, method, host, card, capability, operation } = call;
  const shown = card?.host ?? (host ? shownHost(host) : null);
  return (
    <>
      {method && <code className="call-method">{method}</code>}
      {shown === null
        ? <span className="muted">Answers from its examples: nothing leaves here</span>
        : (
          <code className="call-host">
            <Marked text={shown} />
          </code>
        )}
      <span className="muted">
        Tool{" "}
        <Go to={`/connections/${encodeURIComponent(tool)}`}>
          <code>
            <MarkedText>{tool}</MarkedText>
          </code>
        </Go>
      </span>
      {capability && (
        <span className="muted">
          <code>
            <MarkedText>{operation ? `${capability} ${operation}` : capability}</MarkedText>
          </code>
        </span>
      )}
    </>
  );
}
