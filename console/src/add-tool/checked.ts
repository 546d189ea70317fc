/** What the page wants to know of a text: its problems at their places, else what the tool is and what a host sees of it. Pure. */

import {
  type FramedTool,
  hostOfTool,
  type HostView,
  hostViews,
  readFramedTool,
  secretsOf,
  workspaceNotes,
} from "../../../supabase/functions/_shared/framed-tool.ts";
import { mayBeKept } from "./may-be-kept.ts";
import { type PlacedProblem, placeProblems } from "./problem-places.ts";

export interface Checked {
  /** Of the check, in its order; empty where the file is fine. */
  readonly problems: readonly PlacedProblem[];
  /** What the workspace said of the file, at its places in this text. */
  readonly workspaceProblems: readonly PlacedProblem[];
  /** Null where there are problems. */
  readonly file: CheckedFile | null;
  /** Whether this browser may keep the text. */
  readonly mayBeKept: boolean;
}

export interface CheckedFile {
  readonly slug: string;
  readonly name: string;
  readonly kind: FramedTool["kind"];
  readonly access: FramedTool["access"] | null;
  readonly asksFirst: boolean;
  readonly host: string | null;
  /** The names of its secrets, each once. */
  readonly secrets: readonly string[];
  readonly views: readonly HostView[];
  /** What only a workspace can say. */
  readonly notes: readonly string[];
}

/** Checks `text` as the runner and the API do. `told` are lines of the workspace, to be placed in it too. */
export function checkText(text: string, told: readonly string[] = []): Checked {
  const result = readFramedTool(text);
  return {
    problems: placeProblems(text, result.ok ? [] : result.problems),
    workspaceProblems: placeProblems(text, told),
    file: result.ok ? fileOf(result.tool) : null,
    mayBeKept: mayBeKept(text),
  };
}

function fileOf(tool: FramedTool): CheckedFile {
  return {
    slug: tool.slug,
    name: tool.name,
    kind: tool.kind,
    access: tool.access ?? null,
    asksFirst: tool.confirm === true,
    host: hostOfTool(tool),
    secrets: [...new Set(secretsOf(tool).map(({ name }) => name))],
    views: hostViews(tool),
    notes: workspaceNotes(tool),
  };
}
