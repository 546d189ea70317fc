/** What became of a push, as a person reads it. Pure. */

import { type Layout, wrap } from "./layout.ts";
import { printable } from "./paint.ts";
import { listProblems } from "./problems.ts";
import type { Defined, PushOutcome } from "./push.ts";
import { table } from "./table.ts";

/** What the API's word for a tool's state means. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  ready: "ready to be called",
  waits_for_secret: "waits for the value of a secret",
  waits_for_admin: "waits for an administrator to allow a value that is already stored",
  quarantined: "in quarantine until an administrator has looked at it",
  host_down: "its system did not answer when last asked",
};

/** The outcome's lines, ending with a line break. */
export function printPush(pushed: PushOutcome, layout: Layout): string {
  if (pushed.ok) return printDefined(pushed.defined, layout);
  const says = `${layout.paint("red", "Not defined.")} ${printable(pushed.says)}`;
  const line = `${wrap(says, { at: 0, hang: 2, columns: layout.columns })}\n`;
  return pushed.problems.length === 0 ? line : `${line}\n${listProblems(pushed.problems, layout)}`;
}

function printDefined(defined: Defined, layout: Layout): string {
  const { paint, columns } = layout;
  const { tool, version, replaced, unchanged, status, waits_for, manage_url } = defined;
  const name = paint("bold", printable(tool));
  const what = unchanged
    ? `${paint("green", "Unchanged:")} ${name}, version ${version}, is this very file.`
    : `${paint("green", "Defined")} ${name}, version ${version}, ${
      replaced ? "in the place of the one before" : "new on the workspace"
    }.`;
  const waiting = waits_for.map(printable).join(", ");
  return `${wrap(what, { at: 0, hang: 2, columns })}\n` + table([
    ["status", printable(STATUS_WORDS[status] ?? status)],
    ...(waiting === ""
      ? []
      : [["waits for", waiting] as const, ["paste at", printable(manage_url)] as const]),
  ], { indent: 2, layout });
}
