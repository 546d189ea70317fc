/** What a server says it has, as a person reads it. Pure. */

import { type Layout, wrap } from "./layout.ts";
import type { LiveOutcome } from "./live.ts";
import { printable } from "./paint.ts";
import { table } from "./table.ts";

/** The outcome's lines, ending with a line break. */
export function printLive(live: LiveOutcome, layout: Layout): string {
  const { paint, columns } = layout;
  if (!live.ok) {
    const says = `${paint("red", "The server was not listed.")} ${printable(live.says)}`;
    return `${wrap(says, { at: 0, hang: 2, columns })}\n`;
  }
  const count = live.tools.length === 1 ? "1 tool" : `${live.tools.length} tools`;
  const title = `  ${paint("bold", `The server has ${count}`)}\n`;
  if (live.tools.length === 0) return title;
  return title + table(
    live.tools.map(({ name, runs }) =>
      [
        printable(name),
        runs === "on_call"
          ? paint("green", "runs on the call")
          : paint("yellow", "waits for a person's approval"),
      ] as const
    ),
    { indent: 4, layout },
  );
}
