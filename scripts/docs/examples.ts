/**
 * The examples of a page of the docs, in its order: fenced blocks, and the tables a test holds against the code. Pure.
 *
 * A fence of `json`, `sh`, `http` or `text` is an example. `<!-- test: … -->` before it, with nothing but empty lines
 * between, says what it is where its language alone does not.
 */

/** One fenced block. */
export interface Example {
  /** Where it begins, for the name of a step. */
  readonly line: number;
  readonly language: string;
  /** What the comment before it says, `null` without one. */
  readonly marker: string | null;
  readonly text: string;
}

/** Every fenced block of `markdown`. Throws on a marker that no block follows, and on a fence that is left open. */
export function readExamples(markdown: string): Example[] {
  const examples: Example[] = [];
  let marker: string | null = null;
  let open: { line: number; language: string; lines: string[] } | null = null;
  for (const [index, text] of markdown.split("\n").entries()) {
    const fence = /^```(\w*)$/.exec(text);
    if (open !== null) {
      if (fence === null) open.lines.push(text);
      else {
        examples.push({ line: open.line, language: open.language, marker, text: open.lines.join("\n") });
        [open, marker] = [null, null];
      }
    } else if (fence !== null) open = { line: index + 1, language: fence[1]!, lines: [] };
    else if (text === "") continue;
    else if (marker !== null) throw new Error(`line ${index}: no example follows the marker "${marker}"`);
    else marker = /^<!-- test: (.*) -->$/.exec(text)?.[1] ?? null;
  }
  if (open !== null) throw new Error(`line ${open.line}: a fence that is left open`);
  return examples;
}

/** A table by its rows, each cell under the head of its column, backquotes dropped. */
export type Table = readonly Readonly<Record<string, string>>[];

/** The first table after the line `under` whose first columns are headed as `columns` say. Throws when there is none. */
export function readTable(
  markdown: string,
  { columns, under = "" }: { columns: readonly string[]; under?: string },
): Table {
  const all = markdown.split("\n");
  const lines = under === "" ? all : all.slice(all.indexOf(under));
  const at = lines.findIndex((line) => columns.every((column, index) => cellsOf(line)[index] === column));
  if (at < 0 || (under !== "" && !all.includes(under))) {
    throw new Error(
      `no table with the columns ${columns.join(", ")} ${under === "" ? "" : `under ${under}`}`,
    );
  }
  const heads = cellsOf(lines[at]!);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"));
  return lines.slice(at + 2, end < 0 ? lines.length : end).map((line) =>
    Object.fromEntries(cellsOf(line).map((cell, index) => [heads[index] ?? "", cell]))
  );
}

function cellsOf(line: string): string[] {
  if (!line.startsWith("|")) return [];
  return line.replace(/\|\s*$/, "").split(/(?<!\\)\|/).slice(1).map((cell) =>
    cell.trim().replaceAll("`", "").replaceAll("\\|", "|")
  );
}
