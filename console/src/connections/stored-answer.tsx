/** An answer that is stored: its rows in pages, as a table; a single one as JSON. */

import { useState } from "react";
import type { FramedTool } from "../../../supabase/functions/_shared/definition/format.ts";
import { extractRows, type Rows } from "../../../supabase/functions/_shared/results/rows.ts";
import { useResultPage } from "../api/tools.ts";
import { isRefusedFor } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { AnswerView, rowsFormatOf } from "./answer-view.tsx";
import { RowsTable } from "./rows-table.tsx";

const PAGE = 50;

/** `call` says which of the tool's reads it answers, `rows` how many there are, null of a single answer. */
export function StoredAnswer(
  { caption, handle, tool, call, rows }: {
    caption: string;
    handle: string;
    tool: FramedTool;
    call: { capability?: string; operation?: string };
    rows: number | null;
  },
) {
  const { rows: path = null, single = false } = rowsFormatOf(tool, call);
  const isAtPath = path !== null && rows !== null;
  const first = useResultPage(handle, { path: isAtPath ? path : null, offset: 0, limit: PAGE });
  if (first.data === undefined) {
    return first.error === null ? <Loading what="Reading what is kept" /> : <Gone error={first.error} />;
  }
  const whole = first.data.items[0] ?? null;
  const found = isAtPath || rows === null || single ? null : extractRows(whole);
  return (
    <div className="stack-tight">
      <p className="small muted">
        Read <Time at={first.data.read_at} exact />
      </p>
      {isAtPath
        ? <PagedRows caption={caption} handle={handle} path={path} />
        : first.data.total !== 1 || rows === 1 && isListOfOne(tool, found)
        ? <PagedRows caption={caption} handle={handle} path={null} />
        : found !== null && !found.path.some((key) => key.includes("."))
        ? <PagedRows caption={caption} handle={handle} path={found.path.join(".")} />
        : <AnswerView caption={caption} value={whole} />}
    </div>
  );
}

/**
 * Whether an answer of one row is that row in a list, where a page of it looks like a page of an answer that holds its row
 * in a field. Where the row has such a field too, the file's own examples tell.
 */
function isListOfOne(tool: FramedTool, found: Rows | null): boolean {
  if (found === null || found.rows.length !== 1) return true;
  const examples = tool.fixtures ?? [];
  return examples.length > 0 && examples.every(({ response }) => Array.isArray(response));
}

/** The rows under a path, a page in sight. */
function PagedRows(
  { caption, handle, path }: { caption: string; handle: string; path: string | null },
) {
  // Where each page that was seen begins: a page may hold fewer than asked for.
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const offset = starts.at(-1)!;
  const page = useResultPage(handle, { path, offset, limit: PAGE });
  if (page.data === undefined) {
    return page.error === null ? <Loading what="Reading rows" /> : <Gone error={page.error} />;
  }
  const { items, total, next_offset: next } = page.data;
  const isWhole = total === items.length;
  return (
    <div className="stack-tight">
      {page.error !== null && <Gone error={page.error} />}
      <RowsTable caption={caption} rows={items} />
      {!isWhole && (
        <div className="row">
          <Button
            disabled={starts.length === 1}
            isBusy={page.isPlaceholderData}
            onClick={() => setStarts(starts.slice(0, -1))}
          >
            Previous
          </Button>
          <Button
            disabled={next === null}
            isBusy={page.isPlaceholderData}
            onClick={() => next !== null && setStarts([...starts, next])}
          >
            Next
          </Button>
          <span className="muted small number" role="status">
            Rows {(page.data.offset + 1).toLocaleString("en")} to{" "}
            {(page.data.offset + items.length).toLocaleString("en")} of {total.toLocaleString("en")}
          </span>
        </div>
      )}
    </div>
  );
}

function Gone({ error }: { error: unknown }) {
  if (!isRefusedFor(error, "not_found")) return <ProblemNotice error={error} />;
  return (
    <Notice tone="info" title="This answer is not kept any more">
      It was read anew, or another file took the tool's place. Ask it now to see what it is.
    </Notice>
  );
}
