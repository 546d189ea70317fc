/** The systems that a workspace works in: its tools, a row each, to be found and opened. */

import { useEffect, useState } from "react";
import { useSearch } from "wouter";
import { useTools } from "../api/tools.ts";
import { useGo } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { ToolRow } from "./tool-row.tsx";
import { plural } from "./tool-words.ts";
import "./connections.css";

const SEARCH_AFTER_MS = 250;
const MAX_QUERY = 200;

export default function ConnectionsPage() {
  const { mayUse } = useWorkspace();
  return (
    <Page
      title="Connections"
      lead="What people and programs can ask other systems here, and what each of them waits for."
      actions={mayUse && (
        <ButtonLink to="/connections/new" variant="primary">
          <Icon name="plus" /> Add a tool
        </ButtonLink>
      )}
    >
      <Systems />
    </Page>
  );
}

function Systems() {
  const { id } = useWorkspace();
  const { typed, setTyped, query } = useQueryOfAddress();
  const tools = useTools(id, query);
  const rows = tools.data?.pages.flatMap((page) => page.tools) ?? [];
  const isNone = rows.length === 0 && !tools.hasNextPage;

  if (tools.data === undefined) {
    return tools.error === null
      ? <Loading what="Looking up the tools" />
      : <ProblemNotice error={tools.error} onRetry={tools.refetch} />;
  }
  if (isNone && query === "" && typed === "") return <NoTools workspaceId={id} />;
  return (
    <section className="stack" aria-labelledby="systems">
      <div className="row row-apart systems-head">
        <h2 id="systems">Systems it works in</h2>
        <div className="systems-search">
          <TextField
            label={<span className="only-heard">Search the tools</span>}
            type="search"
            placeholder="Search by name, slug or description"
            maxLength={MAX_QUERY}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      </div>
      {tools.error !== null && <ProblemNotice error={tools.error} onRetry={tools.refetch} />}
      <p className="only-heard" role="status">
        {query !== "" && !tools.isPlaceholderData &&
          `${plural(rows.length, "tool")} found${tools.hasNextPage ? ", and more to look through" : ""}`}
      </p>
      {rows.length > 0 && (
        <ul className="plain systems" aria-busy={tools.isPlaceholderData}>
          {rows.map((tool) => <ToolRow key={tool.tool} tool={tool} />)}
        </ul>
      )}
      {isNone && (
        <Empty icon="connections" title="No tool is called that">
          <p>Nothing here holds these words in its name, slug or description.</p>
        </Empty>
      )}
      {tools.hasNextPage && (
        <p className="row">
          <Button isBusy={tools.isFetchingNextPage} onClick={() => void tools.fetchNextPage()}>
            {rows.length === 0 ? "Look further" : "Show more"}
          </Button>
          <span className="muted small number">{plural(rows.length, "tool")} so far</span>
        </p>
      )}
    </section>
  );
}

/** What is typed, and what is searched for: the address keeps it, so that going back finds it again. */
function useQueryOfAddress() {
  const query = new URLSearchParams(useSearch()).get("query")?.slice(0, MAX_QUERY) ?? "";
  const [typed, setTyped] = useState(query);
  const go = useGo();
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === query) return;
    const timer = setTimeout(() => {
      go(wanted === "" ? "/connections" : `/connections?${new URLSearchParams({ query: wanted })}`, {
        replace: true,
      });
    }, SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped, query };
}

function NoTools({ workspaceId }: { workspaceId: string }) {
  const { mayUse } = useWorkspace();
  return (
    <Empty
      icon="connections"
      title="No system is connected yet"
      action={mayUse && (
        <ButtonLink to="/connections/new" variant="primary">
          <Icon name="plus" /> Add a tool
        </ButtonLink>
      )}
    >
      <p>
        A tool is a file that says how one call to a system goes. {mayUse
          ? "Add one here; you see what is wrong with it before it is stored."
          : "An administrator, or a member who may use tools, adds the first one."}
      </p>
      <p>
        Whoever builds for you, such as a partner, puts theirs on this workspace with{" "}
        <code>framed-tool test framed-tool.json --push --workspace {workspaceId}</code>
      </p>
    </Empty>
  );
}
