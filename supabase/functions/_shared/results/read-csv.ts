/** CSV that another system wrote, as rows of objects by the names of its first line. Pure. Source: RFC 4180. */

import type { JsonObject } from "../definition/json.ts";
import { MAX_ANSWER_VALUES } from "./read-json.ts";

/** Of all rows as JSON, roughly, in characters: each row repeats every name, so a small file may stand for a huge one. */
const MAX_ROWS_LENGTH = 16 * 1024 * 1024;
export type ReadCsv =
  | { readonly ok: true; readonly rows: JsonObject[] }
  | { readonly ok: false; readonly why: "too_large" }
  | { readonly ok: false; readonly why: "no_csv"; readonly says: string };

/**
 * The rows of `text`, every value a text. A value left out at the end of a line is left out of its row, an empty line
 * is none, and what separates the values is a comma, or the semicolon or tab that the first line uses instead.
 *
 * A name that is empty becomes `column_<n>`, and one that came before gets `_2`; with `hasNames: false` every name is
 * `column_<n>`. Refuses more than 200,000 values, rows that with their names are more than 16 MiB, more values in a line
 * than names, and a quoted value that does not end. Linear in the text.
 */
export function readCsv(text: string, { hasNames = true }: { hasNames?: boolean } = {}): ReadCsv {
  const rows: JsonObject[] = [];
  let names: string[] | null = null;
  let left = MAX_ROWS_LENGTH;
  let valuesLeft = MAX_ANSWER_VALUES;
  for (const record of readRecords(text, separatorOf(text))) {
    if (typeof record === "string") return { ok: false, why: "no_csv", says: record };
    const { values, line } = record;
    if (values.length > MAX_ANSWER_VALUES) return { ok: false, why: "too_large" };
    if (names === null) {
      names = nameColumns(hasNames ? values : values.map(() => ""));
      if (hasNames) continue;
    }
    while (values.length > names.length && values.at(-1) === "") values.pop();
    if (values.length > names.length) {
      const says = `line ${line} has ${values.length} values for ${names.length} names`;
      return { ok: false, why: "no_csv", says };
    }
    for (const [at, value] of values.entries()) left -= names[at]!.length + value.length + 6;
    valuesLeft -= values.length;
    if (left < 0 || valuesLeft < 0) return { ok: false, why: "too_large" };
    rows.push(Object.fromEntries(values.map((value, at) => [names![at]!, value])));
  }
  return { ok: true, rows };
}

interface CsvRecord {
  readonly values: string[];
  /** The line it begins on, from 1. */
  readonly line: number;
}

/** Each record that is no empty line, or, as the last, what is wrong in words or one of more values than can be held. */
function* readRecords(text: string, separator: string): Generator<CsvRecord | string> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const beginsOn = line;
    const values: string[] = [];
    for (;;) {
      const quoted = text[at] === '"';
      const end = quoted ? endOfQuoted(text, at) : endOfPlain(text, { at, separator });
      if (end < 0) return yield `the quoted value on line ${line} does not end`;
      const value = quoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end);
      if (quoted) line += countLines(value);
      values.push(value);
      if (values.length > MAX_ANSWER_VALUES) return yield { values, line: beginsOn };
      at = end;
      if (text[at] !== separator) break;
      at++;
    }
    if (at < text.length && text[at] !== "\r" && text[at] !== "\n") {
      return yield `something stands after the quoted value on line ${line}`;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line++;
    if (values.length > 1 || values[0] !== "") yield { values, line: beginsOn };
  }
}

/** Past the closing quote of the value that opens at `at`; -1 where none closes it. */
function endOfQuoted(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 2)) {
    if (text[quote + 1] !== '"') return quote + 1;
  }
  return -1;
}

function endOfPlain(text: string, { at, separator }: { at: number; separator: string }): number {
  let end = at;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
  return end;
}

function countLines(value: string): number {
  let count = 0;
  for (let at = value.indexOf("\n"); at >= 0; at = value.indexOf("\n", at + 1)) count++;
  return count;
}

/** What stands most often between the values of the first line. */
function separatorOf(text: string): string {
  const counts = new Map([[",", 0], [";", 0], ["\t", 0]]);
  for (let at = 0, quoted = false; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') quoted = !quoted;
    if (quoted) continue;
    if (char === "\n" || char === "\r") break;
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return [...counts].reduce((most, next) => next[1] > most[1] ? next : most)[0];
}

function nameColumns(said: readonly string[]): string[] {
  const taken = new Set<string>();
  // Where to go on for a name that comes again: thousands of equal names must not each count from 2.
  const counts = new Map<string, number>();
  return said.map((text, at) => {
    const name = text.trim() === "" ? `column_${at + 1}` : text.trim();
    let unique = name;
    let count = counts.get(name) ?? 1;
    while (taken.has(unique)) unique = `${name}_${++count}`;
    counts.set(name, count);
    taken.add(unique);
    return unique;
  });
}
