/** Rows of an answer as a table: a column for each key, numbers to the right, what is nested as JSON on one line. */

import { useState } from "react";
import type { JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { Button } from "../ui/button.tsx";
import { Said } from "../ui/said.tsx";
import { Table } from "../ui/table.tsx";
import { isObject } from "./file-words.ts";

const MOST_COLUMNS = 30;
const MOST_CHARACTERS = 160;
/** A value this short is not broken at its hyphens: numbers of invoices, dates. */
const MOST_ON_ONE_LINE = 24;

/** `caption` tells it from the other tables of its page. */
export function RowsTable({ caption, rows }: { caption: string; rows: readonly JsonValue[] }) {
  const [hasAll, setAll] = useState(false);
  if (rows.length === 0) return <p className="muted">No rows.</p>;
  const keys = columnsOf(rows);
  const shown = hasAll ? keys : keys.slice(0, MOST_COLUMNS);
  const isNumeric = new Set(shown.filter((key) => isColumnOfNumbers(rows, key)));
  return (
    <>
      <Table
        caption={caption}
        head={
          <tr>
            {keys.length === 0
              ? <th scope="col">Value</th>
              : shown.map((key) => (
                <th key={key} scope="col" className={isNumeric.has(key) ? "cell-number" : undefined}>
                  <Said>{key}</Said>
                </th>
              ))}
          </tr>
        }
      >
        {rows.map((row, index) => (
          <tr key={index}>
            {keys.length === 0 ? <Cell value={row} /> : shown.map((key) => (
              <Cell
                key={key}
                value={cellOf(row, key)}
                isNumeric={isNumeric.has(key)}
              />
            ))}
          </tr>
        ))}
      </Table>
      {keys.length > shown.length && (
        <p>
          <Button onClick={() => setAll(true)}>Show {keys.length - shown.length} more columns</Button>
        </p>
      )}
    </>
  );
}

function Cell({ value, isNumeric = false }: { value: JsonValue | undefined; isNumeric?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  if (value === undefined || value === null) return <td className="cell-none">–</td>;
  const isText = typeof value === "string";
  const text = isText ? value : JSON.stringify(value);
  const characters = text.length > MOST_CHARACTERS ? [...text] : [];
  const left = characters.length - MOST_CHARACTERS;
  const said = <Said>{left > 0 && !isWhole ? characters.slice(0, MOST_CHARACTERS).join("") : text}</Said>;
  return (
    <td className={isNumeric ? "cell-number" : text.length > MOST_ON_ONE_LINE ? "cell-words" : "cell-short"}>
      {typeof value === "object" ? <code>{said}</code> : said}
      {left > 0 && !isWhole && (
        <button
          type="button"
          className="cell-more"
          onClick={() => setWhole(true)}
        >
          … {left.toLocaleString("en")} more
        </button>
      )}
    </td>
  );
}

/** The keys of all rows that are objects, in the order they come; none where no row is one. A row that is none has its own column. */
function columnsOf(rows: readonly JsonValue[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) if (isObject(row)) { for (const key of Object.keys(row)) keys.add(key); }
  if (keys.size > 0 && rows.some((row) => !isObject(row))) keys.add(VALUE);
  return [...keys];
}

/** The column of what is no object. */
const VALUE = "(value)";

function cellOf(row: JsonValue, key: string): JsonValue | undefined {
  if (!isObject(row)) return key === VALUE ? row : undefined;
  return Object.hasOwn(row, key) ? row[key] : undefined;
}

const NUMBER = /^-?\d{1,3}(,?\d{3})*(\.\d+)?$|^-?\d+(\.\d+)?$/;

/** Amounts often come as texts: they stand right where all of a column are written as numbers. Ids of one length do too. */
function isColumnOfNumbers(rows: readonly JsonValue[], key: string): boolean {
  let some = false;
  for (const row of rows) {
    const value = cellOf(row, key);
    if (value === undefined || value === null) continue;
    if (typeof value !== "number" && !(typeof value === "string" && NUMBER.test(value))) return false;
    some = true;
  }
  return some;
}
