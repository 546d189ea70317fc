/** What two versions of a file differ in: line by line, and at a glance. Pure. */

import { diffArrays } from "diff";
import type { FramedTool } from "../../../supabase/functions/_shared/definition/format.ts";
import { requestsOf } from "./file-words.ts";
import { linesOf } from "./json-lines.ts";

export interface DiffLine {
  readonly kind: "added" | "removed" | "same";
  readonly text: string;
}

/** Lines that show, or a number of them that are the same and stand behind a press. */
export type DiffPart =
  | { readonly kind: "lines"; readonly lines: readonly DiffLine[] }
  | { readonly kind: "folded"; readonly lines: readonly DiffLine[] };

/** Lines around a change that stay in sight, and how many the same ones have to be for a fold. */
const AROUND = 3;
const FOLDED_FROM = 3;
const TIMEOUT_MS = 1_500;

/** The difference, or null where it takes too long to find. */
export function differenceOf(before: unknown, after: unknown): DiffPart[] | null {
  const changes = diffArrays(linesOf(before), linesOf(after), { timeout: TIMEOUT_MS });
  if (changes === undefined) return null;
  const lines: DiffLine[] = changes.flatMap(({ added, removed, value }) =>
    value.map((text): DiffLine => ({ kind: added ? "added" : removed ? "removed" : "same", text }))
  );
  return fold(lines);
}

function fold(lines: readonly DiffLine[]): DiffPart[] {
  const isNear = new Array<boolean>(lines.length).fill(false);
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    isNear.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  }
  const parts: { kind: "lines" | "folded"; lines: DiffLine[] }[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && isNear[end] === isNear[at]) end++;
    const run = lines.slice(at, end);
    const kind = isNear[at] || run.length < FOLDED_FROM ? "lines" : "folded";
    const last = parts.at(-1);
    if (last?.kind === "lines" && kind === "lines") last.lines.push(...run);
    else parts.push({ kind, lines: run });
    at = end;
  }
  return parts;
}

export interface Change {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

const NONE = "none";

/** What of a file decides where a call goes and what it may do, where the two differ in it. */
export function changesAtAGlance(before: FramedTool, after: FramedTool): Change[] {
  const [was, is] = [glanceOf(before), glanceOf(after)];
  return Object.keys(was).flatMap((what) =>
    was[what] === is[what] ? [] : [{ what, before: was[what]!, after: is[what]! }]
  );
}

function glanceOf(file: FramedTool): Record<string, string> {
  const requests = requestsOf(file);
  const listed = (values: readonly string[]) => values.length === 0 ? NONE : [...new Set(values)].join(", ");
  return {
    "Name": file.name,
    "Description": file.description,
    "Kind": file.kind,
    "Host": listed(requests.map(({ url }) => hostOf(url))),
    "Method": listed(requests.map(({ method }) => method)),
    "Address": listed(requests.map(({ url }) => url)),
    "Secrets": listed(secretsOf(file)),
    "Access": file.access ?? NONE,
    "Waits for a person always": file.confirm === true ? "yes" : "no",
    "Arguments": listed(Object.keys(file.arguments?.properties ?? {})),
    "Fields that leave": file.kind === "mcp" ? "all" : file.result?.fields?.join(", ") ?? "all",
    "Rules": listed((file.rules ?? []).map(({ path, op, then }) => `${path} ${op} ${then}`)),
  };
}

function hostOf(url: string): string {
  return /^https:\/\/([^/?#]*)/.exec(url)?.[1] ?? url;
}

/** `CONNECTOR_LEDGER as secret`. */
function secretsOf(file: FramedTool): string[] {
  if (file.kind === "fixture") return [];
  const { env, ...named } = file.kind === "mcp" ? { ...file.mcp.auth, env: {} } : { env: {}, ...file.auth };
  return Object.entries({ ...named, ...env }).map(([key, name]) => `${name} as ${key}`);
}
