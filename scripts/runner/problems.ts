/** Problems as a list for a person, the same wherever they come from. Pure. */

import { type Layout, wrap } from "./layout.ts";
import { printable } from "./paint.ts";

/** A problem's path, up to the colon behind it: names, `[0]` and `["any: text"]`. */
const PATH = /^(?:\["(?:[^"\\]|\\.)*"\]|[^\s:"])+(?=: )/;

/** One problem after the other, its path set off. */
export function listProblems(problems: readonly string[], { paint, columns }: Layout): string {
  return problems.map((problem) => {
    const line = printable(problem);
    const [path = ""] = PATH.exec(line) ?? [];
    const painted = path === "" ? line : `${paint("yellow", path)}${line.slice(path.length)}`;
    return `  ${wrap(painted, { at: 2, hang: 4, columns })}\n`;
  }).join("");
}
