/** An answer of which only the beginning came with the approval: the rest is asked for, page by page, while it is stored. */

import { useState } from "react";
import { isJsonObject } from "../../../../supabase/functions/_shared/definition/json.ts";
import type { JsonValue } from "../../api/approvals.ts";
import { useResultPages } from "../../api/approvals.ts";
import { Button } from "../../ui/button.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Answer, Json, Rows } from "./answer.tsx";

export function LongAnswer(
  { beginning, handle, caption }: { beginning: JsonValue; handle: string | undefined; caption: string },
) {
  const [isWhole, setWhole] = useState(false);
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useResultPages(
    handle ?? null,
    isWhole,
  );
  const items = data?.pages.flatMap((page) => page.items);
  const [first] = data?.pages ?? [];
  return (
    <div className="stack-tight">
      {items === undefined || first === undefined
        ? (
          <>
            <p className="muted small">This is the beginning of a long answer.</p>
            <Answer value={beginning} caption={caption} />
          </>
        )
        // What is no list comes as one element.
        : first.total === 1
        ? <Answer value={items[0]!} caption={caption} />
        : items.every(isJsonObject)
        ? <Rows rows={items} caption={caption} />
        : <Json value={items as JsonValue[]} />}
      {error !== null && <ProblemNotice error={error} onRetry={refetch} />}
      {handle !== undefined && (!isWhole || hasNextPage || isFetching) && (
        <p className="row">
          <Button
            isBusy={isFetching}
            onClick={() => isWhole ? fetchNextPage() : setWhole(true)}
          >
            {isWhole ? "Read the next page" : "Read the whole answer"}
          </Button>
          {first !== undefined && items !== undefined && (
            <span className="small muted number">{items.length} of {first.total} are read</span>
          )}
        </p>
      )}
    </div>
  );
}
