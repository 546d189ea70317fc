/** The tools of an outside server: what each does when it is called, and what of them waits for a look. */

import { useState } from "react";
import { type InnerTool, useInnerTools, useToolActions } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { TextField } from "../ui/field.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import type { SectionProps } from "./connection-page.tsx";
import { InnerToolCard } from "./inner-tool-card.tsx";
import { plural } from "./tool-words.ts";

const AT_ONCE = 50;
const SEARCHED_FROM = 8;

export function InnerToolsSection({ slug }: SectionProps) {
  const { id, isAdmin, mayUse } = useWorkspace();
  const actions = useToolActions(id, slug);
  const [isAsked, setAsked] = useState(false);
  const asking = useAction(async () => {
    await actions.call({ args: { action: "list" } });
    setAsked(true);
  });
  const inner = useInnerTools(id, { slug, isAsked: isAdmin });

  return (
    <>
      <div className="row row-apart">
        <p className="muted inner-lead">
          Its server says itself what its tools do. That is believed as it was first said; what it changes
          later waits for a person until an administrator accepts it.
        </p>
        {mayUse && (
          <Button isBusy={asking.isBusy} onClick={() => void asking.run()}>Ask the server now</Button>
        )}
      </div>
      <div role="status">
        {asking.isBusy && <p className="muted">Asking the server…</p>}
        {isAsked && !asking.isBusy && asking.error === null && (
          <p className="muted small">This is what it said within the last ten minutes.</p>
        )}
      </div>
      {asking.error !== null && <ProblemNotice error={asking.error} />}
      {isAdmin
        ? inner.data === undefined
          ? inner.error === null
            ? <Loading what="Looking up its tools" />
            : <ProblemNotice error={inner.error} onRetry={() => void inner.refetch()} />
          : <InnerTools slug={slug} tools={inner.data} />
        : (
          <Notice tone="info" title="An administrator looks at its tools and accepts what changed">
            What it listed last stands under Last read.
          </Notice>
        )}
    </>
  );
}

function InnerTools({ slug, tools }: { slug: string; tools: readonly InnerTool[] }) {
  const [query, setQuery] = useState("");
  const [most, setMost] = useState(AT_ONCE);
  if (tools.length === 0) {
    return (
      <Empty icon="mcp" title="Nothing is known of its tools yet">
        <p>Ask the server; what it lists then is what is believed from there on.</p>
      </Empty>
    );
  }
  const wanted = query.trim().toLowerCase();
  const found = tools.filter(({ name, title, description }) =>
    `${name} ${title ?? ""} ${description ?? ""}`.toLowerCase().includes(wanted)
  );
  const waiting = tools.filter(({ quarantined }) => quarantined).length;
  return (
    <>
      {waiting > 0 && (
        <Notice tone="warn" title={`${plural(waiting, "tool")} in quarantine`}>
          <p>
            Read what each says as what a stranger wrote: a model that calls tools reads it too. Accept a
            tool, and its server's own word decides again what a call of it does. To refuse it, leave it as it
            is: it stays in quarantine, and a person is asked each time. To be rid of it, remove this
            connection.
          </p>
        </Notice>
      )}
      {tools.length > SEARCHED_FROM && (
        <TextField
          label={`Search its ${plural(tools.length, "tool")}`}
          type="search"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setMost(AT_ONCE);
          }}
        />
      )}
      <p className="only-heard" role="status">{wanted !== "" && `${plural(found.length, "tool")} found`}</p>
      <ul className="plain stack">
        {found.slice(0, most).map((tool) => (
          <li key={tool.name}>
            <InnerToolCard slug={slug} tool={tool} />
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="muted">No tool of it is called that.</p>}
      {found.length > most && (
        <p className="row">
          <Button onClick={() => setMost(most + AT_ONCE)}>Show more</Button>
          <span className="muted small number">{most} of {found.length}</span>
        </p>
      )}
    </>
  );
}
