/** What the runner finds out about one file, before anybody prints it. Pure. */

import {
  type FramedTool,
  type HostView,
  hostViews,
  readFramedTool,
  workspaceNotes,
} from "../../supabase/functions/_shared/framed-tool.ts";
import type { LiveOutcome } from "./live.ts";
import type { PushOutcome } from "./push.ts";

export interface FileReport {
  /** As the runner was given it. */
  readonly file: string;
  /** `null` for a file with problems. */
  readonly tool: FramedTool | null;
  /** The very lines the API answers. */
  readonly problems: readonly string[];
  readonly hostSees: readonly HostView[];
  /** What only a workspace can say. */
  readonly notes: readonly string[];
  /** What the file's server says it has; `null` when it was not asked. */
  readonly live: LiveOutcome | null;
  /** `null` when nothing was sent. */
  readonly pushed: PushOutcome | null;
}

/** The report of a file's bytes. */
export function reportSource(file: string, source: Uint8Array): FileReport {
  const result = readFramedTool(source);
  if (!result.ok) return reportBadFile(file, result.problems);
  const { tool } = result;
  const [hostSees, notes] = [hostViews(tool), workspaceNotes(tool)];
  return { file, tool, problems: [], hostSees, notes, live: null, pushed: null };
}

/** The report of a file that is no tool, for the reasons given. */
export function reportBadFile(file: string, problems: readonly string[]): FileReport {
  return { file, tool: null, problems, hostSees: [], notes: [], live: null, pushed: null };
}

/** Whether all that was asked for went well. */
export function isFine({ tool, live, pushed }: FileReport): boolean {
  return tool !== null && live?.ok !== false && pushed?.ok !== false;
}

/** The reports as the value that `--json` prints: one file's own, or several under `files`. */
export function reportsAsJson(reports: readonly FileReport[]): unknown {
  const [first] = reports;
  if (reports.length === 1 && first !== undefined) return reportAsJson(first);
  return {
    ok: reports.every(isFine),
    files: reports.map((report) => ({ file: report.file, ...reportAsJson(report) })),
  };
}

function reportAsJson(report: FileReport) {
  const { problems, hostSees, notes, live, pushed } = report;
  const said = pushed?.ok === false ? pushed.problems : [];
  return {
    ok: isFine(report),
    problems: [...problems, ...said],
    host_sees: hostSees.map(({ sees }) => sees),
    notes: [...hostSees.flatMap(notesOfView), ...notes],
    ...(live === null ? {} : { live }),
    ...(pushed === null ? {} : { pushed: pushedAsJson(pushed) }),
  };
}

function notesOfView({ fixture, notes }: HostView): string[] {
  return notes.map((note) => `fixtures[${fixture}]: ${note}`);
}

function pushedAsJson(pushed: PushOutcome) {
  return pushed.ok
    ? { ok: true, ...pushed.defined }
    : { ok: false, reason: pushed.reason, says: pushed.says };
}
