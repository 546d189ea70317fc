/** What another system answered, to be read: rows as a table, anything else as JSON, with what hides in it made visible. */

import { useState } from "react";
import type { JsonObject, JsonValue } from "../../api/approvals.ts";
import { isJsonObject } from "../../../../supabase/functions/_shared/definition/json.ts";
import { extractRows } from "../../../../supabase/functions/_shared/results/rows.ts";
import { shownText } from "../../../../supabase/functions/_shared/approvals/visible.ts";
import { Button } from "../../ui/button.tsx";
import { Table } from "../../ui/table.tsx";
import { Marked, MarkedText } from "./marked.tsx";
import "./answer.css";

/** Rows that are drawn at once; more at a press. */
const ROWS = 50;

export function Answer({ value, caption }: { value: JsonValue; caption: string }) {
  const found = extractRows(value);
  const rows = found?.rows.filter(isJsonObject) ?? [];
  const besides = isJsonObject(value) && found !== null
    ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== found.path[0]))
    : {};
  if (found === null || rows.length === 0 || rows.length !== found.rows.length) return <Json value={value} />;
  return (
    <div className="stack-tight">
      <Rows rows={rows} caption={caption} />
      {Object.keys(besides).length > 0 && <Json value={besides} />}
    </div>
  );
}

export function Rows({ rows, caption }: { rows: readonly JsonObject[]; caption: string }) {
  const [shown, setShown] = useState(ROWS);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <>
      <Table
        caption={caption}
        head={
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                <MarkedText>{column}</MarkedText>
              </th>
            ))}
          </tr>
        }
      >
        {rows.slice(0, shown).map((row, index) => (
          <tr key={index}>
            {columns.map((column) => (
              <td key={column} className="number answer-cell">
                <Cell value={Object.hasOwn(row, column) ? row[column] : undefined} />
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {rows.length > shown && (
        <p className="row">
          <Button variant="quiet" onClick={() => setShown(shown + ROWS)}>
            Show {Math.min(ROWS, rows.length - shown)} more
          </Button>
          <span className="small muted number">{shown} of {rows.length} rows are shown</span>
        </p>
      )}
    </>
  );
}

function Cell({ value }: { value: JsonValue | undefined }) {
  if (value === undefined) return <span className="only-heard">nothing</span>;
  if (value === null) return <span className="muted">null</span>;
  if (typeof value === "string") return <MarkedText>{value}</MarkedText>;
  return (
    <code>
      <MarkedText>{JSON.stringify(value)}</MarkedText>
    </code>
  );
}

export function Json({ value }: { value: JsonValue }) {
  // A line break inside a text is written \n in JSON: these are the ones between its lines.
  const lines = JSON.stringify(value, null, 2).split("\n").map(shownText);
  return (
    <pre className="answer-json">
      <Marked text={lines.join("\n")} />
    </pre>
  );
}
