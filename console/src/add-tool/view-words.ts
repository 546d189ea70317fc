/** What a host will see of a call, in words. Pure. */

import type { HostView } from "../../../supabase/functions/_shared/framed-tool.ts";
import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";

/** Arguments and a first row longer than this are cut: the answer below holds the whole of them. */
const MAX_SHOWN = 160;

export function doesWords({ does, needs }: Pick<HostView, "does" | "needs">): string {
  switch (does) {
    case "runs":
      return "runs on the call";
    case "waits":
      return needs === "admin" ? "waits for an administrator" : "waits for approval";
    case "refused":
      return "is refused";
    default:
      return does satisfies never;
  }
}

/** Names and what stands behind them, for a list of facts. */
export function viewFacts(view: HostView): (readonly [string, string])[] {
  const call = view.example === null
    ? "any that no other example answers"
    : clipped(JSON.stringify(view.example));
  if (view.does === "refused") return [["Call", call]];
  const from = view.live ? "from the live system" : "from the fixture, as a configured example";
  if (view.does === "waits") return [["Call", call], ["Answers", `${from}, once approved`]];
  return [["Call", call], ["Answers", from], ...rowFacts(view), ["Kept", keptWords(view)]];
}

function rowFacts({ rows, firstRow }: HostView): (readonly [string, string])[] {
  if (rows === null) return [["Rows", "none: a single answer"]];
  if (rows === 0) return [["Rows", "0"]];
  return [["Rows", String(rows)], ["First row", clipped(JSON.stringify(firstRow))]];
}

function keptWords({ live, keeps }: HostView): string {
  if (keeps === "rows") return "the rows, for these arguments, until the next read of them";
  if (keeps === "when asked") return "nothing, unless the host asks with persist";
  return live ? "nothing: the answer of a sensitive tool is never kept" : "nothing: an example is never kept";
}

function clipped(text: string): string {
  const points = [...text];
  return points.length > MAX_SHOWN ? `${points.slice(0, MAX_SHOWN).join("")}…` : text;
}

/** A value as JSON over several lines, with what hides or turns in it made visible. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, null, 2).split("\n").map(shownText).join("\n");
}
