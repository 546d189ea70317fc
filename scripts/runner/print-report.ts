/** A report as a person reads it: aligned, with the exact host view of each example. Pure. */

import {
  type FramedTool,
  hostOfTool,
  type HostView,
  secretsOf,
} from "../../supabase/functions/_shared/framed-tool.ts";
import { type Layout, wrap } from "./layout.ts";
import { type Paint, printable, printableJson } from "./paint.ts";
import { printLive } from "./print-live.ts";
import { printPush } from "./print-push.ts";
import { listProblems } from "./problems.ts";
import type { FileReport } from "./report.ts";
import { table } from "./table.ts";

/** Arguments and a first row longer than this are cut: the file and the host view below hold the whole of them. */
const MAX_SHOWN_CHARACTERS = 160;
/** How a problem of the text as a whole begins. */
const WHOLE_FILE = "file: ";

/** The report's lines, ending with a line break. */
export function printReport(report: FileReport, layout: Layout): string {
  const { paint } = layout;
  const { tool, notes, live, pushed } = report;
  const name = paint("bold", printable(report.file === "-" ? "standard input" : report.file));
  if (tool === null) return `${name}: ${printProblems(report.problems, layout)}`;
  const parts = [
    `${name}: ${paint("green", "fine")}\n`,
    printTool(tool, layout),
    ...report.hostSees.map((view) => printView(view, { of: report.hostSees.length, layout })),
  ];
  if (notes.length > 0) {
    parts.push(table(notes.map((note) => ["note", printable(note)] as const), { indent: 2, layout }));
  }
  if (live !== null) parts.push(printLive(live, layout));
  if (pushed !== null) parts.push(printPush(pushed, layout));
  return parts.join("\n");
}

/** What is wrong with the file as a whole, and nothing else, is one line. */
function printProblems(problems: readonly string[], layout: Layout): string {
  const [first = ""] = problems;
  if (problems.length === 1 && first.startsWith(WHOLE_FILE)) {
    return `${layout.paint("red", printable(first.slice(WHOLE_FILE.length)))}\n`;
  }
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return `${layout.paint("red", count)}\n\n${listProblems(problems, layout)}`;
}

function printTool(tool: FramedTool, layout: Layout): string {
  const host = hostOfTool(tool);
  const secrets = [...new Set(secretsOf(tool).map(({ name }) => name))];
  return table([
    ["name", layout.paint("bold", printable(tool.name))],
    ["tool", tool.slug],
    [
      "kind",
      tool.kind === "fixture" ? "fixture, answers from its fixtures only" : `${tool.kind}, live on ${host}`,
    ],
    ["access", accessWords(tool)],
    ...(secrets.length === 0 ? [] : [["secret", `${secrets.join(", ")}, to ${host} only`] as const]),
  ], { indent: 2, layout });
}

function accessWords(tool: FramedTool): string {
  if (tool.access === undefined) return "as the server says of each of its tools";
  return tool.confirm === true ? `${tool.access}, and asks a person first` : tool.access;
}

function printView(view: HostView, { of, layout }: { of: number; layout: Layout }): string {
  const label = view.label === null ? "" : `: ${printable(view.label)}`;
  const facts = table([
    ["call", view.example === null ? "any that no other example answers" : clip(printableJson(view.example))],
    ["does", doesWords(view, layout.paint)],
    ...(view.does === "refused" ? [] : answerFacts(view)),
    ...view.notes.map((note) => ["note", printable(note)] as const),
    ["host sees", `HTTP ${view.status}`],
  ], { indent: 4, layout });
  const body = printableJson(view.sees, { indent: 2 }).split("\n").map((line) => `      ${line}\n`).join("");
  const title = layout.paint("bold", `Example ${view.fixture + 1} of ${of}${label}`);
  return `  ${wrap(title, { at: 2, hang: 4, columns: layout.columns })}\n${facts}${body}`;
}

function doesWords({ does, needs }: HostView, paint: Paint): string {
  switch (does) {
    case "runs":
      return paint("green", "runs on the call");
    case "waits":
      return paint(
        "yellow",
        needs === "admin" ? "waits for an administrator" : "waits for a person's approval",
      );
    case "refused":
      return paint("red", "is refused");
    default:
      return does satisfies never;
  }
}

function answerFacts(view: HostView): (readonly [string, string])[] {
  const from = view.live ? "from the live system" : "from the fixture, as a configured example";
  if (view.does === "waits") {
    return [["answers", `${from}, once approved`], ["kept", "nothing before it runs"]];
  }
  return [["answers", from], ...rowFacts(view), ["kept", keptWords(view)]];
}

function rowFacts({ rows, firstRow }: HostView): (readonly [string, string])[] {
  if (rows === null) return [["rows", "none: a single answer"]];
  if (rows === 0) return [["rows", "0"]];
  return [["rows", String(rows)], ["first row", clip(printableJson(firstRow))]];
}

function keptWords({ live, keeps }: HostView): string {
  if (keeps === "rows") return "the rows, for these arguments, until the next read of them";
  if (keeps === "when asked") return "nothing, unless the host asks with persist";
  return live ? "nothing: the answer of a sensitive tool is never kept" : "nothing: an example is never kept";
}

function clip(text: string): string {
  const points = [...text];
  return points.length > MAX_SHOWN_CHARACTERS ? `${points.slice(0, MAX_SHOWN_CHARACTERS).join("")}…` : text;
}
