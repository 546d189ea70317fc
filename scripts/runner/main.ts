/**
 * The runner: reads files, has them checked, prints what a host will see and puts them on a workspace.
 *
 * Runs on Deno and, bundled, on Node: it uses what both have and nothing else.
 */

import process from "node:process";
import { FRAMED_TOOL_SCHEMA } from "../../supabase/functions/_shared/framed-tool.ts";
import { type Command, type PushTarget, readCommand } from "./command-line.ts";
import { HELP } from "./help.ts";
import type { Layout } from "./layout.ts";
import { openOutput, type Output, sayAside } from "./output.ts";
import { makePaint, printableJson, wantsColour } from "./paint.ts";
import { printReport } from "./print-report.ts";
import { NOT_SENT, pushFile } from "./push.ts";
import { readSource } from "./read-source.ts";
import { type FileReport, isFine, reportBadFile, reportsAsJson, reportSource } from "./report.ts";
import { VERSION } from "./version.ts";

const FINE = 0;
const PROBLEMS = 1;
const USAGE = 2;

/**
 * Does what `args` ask for and answers the exit code: 0 fine, 1 problems, 2 called wrongly. The code is the same when
 * nobody reads what is printed, and 1 when it cannot be printed.
 */
export async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args, process.env);
  if ("usage" in command) {
    sayAside(`${command.usage}\nMore: framed-tool --help\n`);
    return USAGE;
  }
  const output = openOutput();
  const code = await run(command, output);
  const failure = output.failure();
  if (failure === null) return code;
  sayAside(`Not all of this could be printed: ${failure}.\n`);
  return PROBLEMS;
}

async function run(command: Command, output: Output): Promise<number> {
  switch (command.does) {
    case "help":
      await output.write(HELP);
      return FINE;
    case "version":
      await output.write(`${VERSION}\n`);
      return FINE;
    case "schema":
      await output.write(`${JSON.stringify(FRAMED_TOOL_SCHEMA, null, 2)}\n`);
      return FINE;
    case "test":
      return await test(command, output);
    default:
      return command satisfies never;
  }
}

async function test(
  { files, json, live, push }: Extract<Command, { does: "test" }>,
  output: Output,
): Promise<number> {
  const layout = layoutOfOutput();
  const checked: CheckedFile[] = [];
  for (const file of files) checked.push(await checkFile(file));
  // Files that are pushed together are pushed when all of them pass the check, or not at all.
  const isHeld = checked.some(({ report }) => report.tool === null);
  const reports: FileReport[] = [];
  for (const file of checked) {
    const asked = live ? { ...file, report: await askLive(file.report) } : file;
    const report = push === null ? asked.report : await pushChecked(asked, { isHeld, push });
    if (!json) await output.write(`${reports.length > 0 ? "\n" : ""}${printReport(report, layout)}`);
    reports.push(report);
  }
  if (json) await output.write(`${printableJson(reportsAsJson(reports), { indent: 2 })}\n`);
  return reports.every(isFine) ? FINE : PROBLEMS;
}

function layoutOfOutput(): Layout {
  const isTerminal = process.stdout.isTTY === true;
  return {
    paint: makePaint(wantsColour({ isTerminal, env: process.env })),
    columns: isTerminal ? process.stdout.columns || null : null,
  };
}

interface CheckedFile {
  readonly report: FileReport;
  readonly source: Uint8Array;
}

async function checkFile(file: string): Promise<CheckedFile> {
  const read = await readSource(file);
  if ("problem" in read) {
    return { report: reportBadFile(file, [read.problem]), source: new Uint8Array() };
  }
  return { report: reportSource(file, read.bytes), source: read.bytes };
}

/** Loaded when it is asked for: it is most of the program. */
async function askLive(report: FileReport): Promise<FileReport> {
  if (report.tool === null) return report;
  const { listLive } = await import("./live.ts");
  const live = await listLive(report.tool);
  return live === null ? { ...report, notes: [...report.notes, NOT_LISTED] } : { ...report, live };
}

const NOT_LISTED =
  "--live lists the tools of an MCP server; a file of this kind is called on a workspace, which has its secret.";

async function pushChecked(
  { report, source }: CheckedFile,
  { isHeld, push }: { isHeld: boolean; push: PushTarget },
): Promise<FileReport> {
  if (report.tool === null) return report;
  return { ...report, pushed: isHeld ? NOT_SENT : await pushFile({ source, slug: report.tool.slug }, push) };
}
