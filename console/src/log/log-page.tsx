/** The log: every call and every step, newest first. */

import { useSearchParams } from "wouter";
import { useLog } from "../api/log.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { ExportButton } from "./export-button.tsx";
import { hasFilter, leavesOut, NO_FILTER, readFilter, withFilter } from "./filter.ts";
import { LogFilters } from "./log-filters.tsx";
import { LogRowItem } from "./log-row.tsx";
import { NewerBar } from "./newer-bar.tsx";
import { SealState } from "./seal-state.tsx";
import "./log.css";

export default function LogPage() {
  const { id, mayUse } = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const log = useLog(id, filter);
  const rows = log.data?.pages.flatMap(({ events }) => events) ?? [];

  return (
    <Page
      title="Log"
      lead="Every call, every step of an approval, every change. No answer and no secret stands in it."
      actions={<ExportButton workspaceId={id} filter={filter} />}
    >
      <LogFilters
        filter={filter}
        onChange={(changed) => setSearch(withFilter(search, changed), { replace: true })}
      />
      {log.error !== null && <ProblemNotice error={log.error} onRetry={log.refetch} />}
      {log.isPending && <Loading what="Reading the log" />}
      {log.data !== undefined && rows.length === 0 && (
        <Empty
          icon="log"
          title={hasFilter(filter) ? "Nothing in the log is so" : "Nothing has happened yet"}
          action={hasFilter(filter) && (
            <Button onClick={() => setSearch(withFilter(search, NO_FILTER))}>Take the filters off</Button>
          )}
        >
          {hasFilter(filter)
            ? <p>Choose a longer time, or another person or tool.</p>
            : <p>The first call, or the first tool that is defined, is the first row here.</p>}
        </Empty>
      )}
      {rows.length > 0 && (
        <section className="stack" aria-label="Rows">
          <div className="row row-apart">
            {mayUse ? <SealState rows={rows} isWhole={!leavesOut(filter)} /> : <span />}
            <NewerBar workspaceId={id} filter={filter} shownId={rows[0]!.id} onShow={log.refetch} />
          </div>
          <ol className="plain log-rows">
            {rows.map((row) => <LogRowItem key={row.id} row={row} />)}
          </ol>
          {log.hasNextPage && (
            <div>
              <Button onClick={() => log.fetchNextPage()} isBusy={log.isFetchingNextPage}>Show older</Button>
            </div>
          )}
        </section>
      )}
    </Page>
  );
}
