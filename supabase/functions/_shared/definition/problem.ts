/**
 * What is wrong in a file, as a place and words, and the one way problems become lines. Pure.
 * Whoever wrote the file chose its keys and how many problems it has, so every line has an end and so has their number.
 */

import { looksLikeCredential } from "./credentials.ts";
import { grouped } from "./words.ts";

/** Keys and indexes from the file's root; empty for the text as a whole. */
export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  /** What was found and what is wanted; repeats no credential. */
  readonly says: string;
}

/** Lines that are told at most; one more then says how many problems there are beside them. */
export const MAX_LINES = 200;
/** Problems that are made into lines at most: many may say the same. */
const MAX_FORMATTED = 2_000;
/** Of a key, in code points. */
const MAX_KEY = 64;
/** A key longer than this, in UTF-16 units, is not even looked into. */
const MAX_KEY_READ = 200;
/** Of a path, in UTF-16 units, before it ends with `…`. The last key may go beyond it. */
const MAX_PATH = 300;
/** Of what a problem says, in UTF-16 units. */
const MAX_SAYS = 600;

/** A key that reads like a header or a pair written out, with the value in it. */
const WRITTEN_OUT =
  /\b(?:bearer|basic)\s+\S|(?:auth\w*|key|password|secret|signature|token)["']?\s*[:=]\s*\S/i;

/**
 * A path as people write it: `request.url`, `fixtures[0].example.supplier`, `request.headers["X-Api-Key"]`, and `whole`
 * for what has no path. A path stops before a key that is itself shaped like a credential or holds one. Of a key at
 * most 64 characters are told, of a path about 300: the work is bounded by that, however long the keys are.
 */
export function formatPath(path: Path, whole = "file"): string {
  let text = "";
  for (const step of path) {
    if (text.length > MAX_PATH) return `${text}…`;
    if (typeof step === "number") text += `[${step}]`;
    else if (step.length > MAX_KEY_READ) text += "[a long key]";
    else if (looksLikeCredential(step) || WRITTEN_OUT.test(step)) break;
    else if (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(step) && step.length <= MAX_KEY) {
      text += text === "" ? step : `.${step}`;
    } else text += `[${JSON.stringify(clip(step))}]`;
  }
  return text === "" ? whole : text;
}

/** The problem as its one line: path, colon, words. At most about 1,000 characters. */
export function formatProblem(problem: Problem): string {
  return lineOf(problem, "file");
}

/**
 * The problems as lines in their order, each once, at most {@link MAX_LINES} and then one that says how many problems
 * more there are. `whole` is what they are about.
 */
export function formatProblems(problems: readonly Problem[], whole = "file"): string[] {
  const lines = new Set<string>();
  let formatted = 0;
  for (const problem of problems.slice(0, MAX_FORMATTED)) {
    const line = lineOf(problem, whole);
    if (lines.size === MAX_LINES && !lines.has(line)) break;
    lines.add(line);
    formatted++;
  }
  const more = problems.length - formatted;
  if (more === 0) return [...lines];
  return [...lines, `${whole}: and ${grouped(more)} more problem${more === 1 ? "" : "s"}; these come first`];
}

function lineOf({ path, says }: Problem, whole: string): string {
  const words = says.length > MAX_SAYS ? `${says.slice(0, MAX_SAYS).toWellFormed()}…` : says;
  return `${formatPath(path, whole)}: ${words}`;
}

function clip(key: string): string {
  const points = [...key];
  return points.length > MAX_KEY ? `${points.slice(0, MAX_KEY).join("")}…` : key;
}
