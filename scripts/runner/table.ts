/** Names and values in two columns. Pure. */

import { type Layout, wrap } from "./layout.ts";

/** A row after the other, the values aligned; takes texts without line breaks. */
export function table(
  rows: readonly (readonly [name: string, value: string])[],
  { indent, layout: { paint, columns } }: { indent: number; layout: Layout },
): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const at = indent + width + 2;
  return rows.map(([name, value]) =>
    `${" ".repeat(indent)}${paint("dim", name.padEnd(width))}  ${wrap(value, { at, hang: at, columns })}\n`
  ).join("");
}
