/** An answer that is here whole: its rows as a table where it has some, else a value or JSON. */

import type { FramedTool } from "../../../supabase/functions/_shared/definition/format.ts";
import type { JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { extractRows, type RowsFormat } from "../../../supabase/functions/_shared/results/rows.ts";
import { Said } from "../ui/said.tsx";
import { JsonText } from "./json-text.tsx";
import { RowsTable } from "./rows-table.tsx";

/** With `format` its rows are found as the file says. */
export function AnswerView(
  { caption, value, format }: { caption: string; value: JsonValue; format?: RowsFormat | undefined },
) {
  const found = format === undefined ? null : extractRows(value, format);
  if (found !== null) return <RowsTable caption={caption} rows={found.rows} />;
  if (value === null) return <p className="muted">It answered nothing.</p>;
  if (typeof value !== "object") {
    return (
      <p>
        <Said>{String(value)}</Said>
      </p>
    );
  }
  return <JsonText label={caption} value={value} />;
}

/** How the rows of one call's answer are found. */
export function rowsFormatOf(
  tool: FramedTool,
  { capability, operation }: { capability?: string | undefined; operation?: string | undefined },
): RowsFormat {
  const declared = tool.kind === "mcp" ? undefined : tool.capabilities?.find(({ id }) => id === capability);
  return { ...(declared?.result ?? tool.result), single: operation === "get" };
}
