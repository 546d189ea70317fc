/** Every check of a file, together: all problems in one pass, also when the file is partly the wrong shape. Pure. */

import { USERINFO_FAULT } from "../egress/url.ts";
import { tell } from "./words.ts";
import { checkFollowUp, checkPreview, checkRules } from "./checks/after.ts";
import { checkAuth } from "./checks/auth.ts";
import { checkCapabilities } from "./checks/capabilities.ts";
import { checkCarriedCredentials } from "./checks/carried-credentials.ts";
import { type Draft, type Origin, readDraft } from "./checks/draft.ts";
import { checkFixtures } from "./checks/fixtures.ts";
import { Places, sortProblems } from "./checks/file-order.ts";
import { checkRequests } from "./checks/requests.ts";
import { checkStructure } from "./checks/structure.ts";
import { MAX_FILE_BYTES, siftFile } from "./file-obstacle.ts";
import type { FramedTool } from "./format.ts";
import { isJsonObject, type JsonValue, parseJson } from "./json.ts";
import { formatProblems, type Path, type Problem } from "./problem.ts";

export { MAX_FILE_BYTES };

/** A file's tool, or every problem the file has, each one line. */
export type FileResult =
  | { readonly ok: true; readonly tool: FramedTool }
  | { readonly ok: false; readonly problems: string[] };

export interface CheckOptions {
  /** `seeded` only for files that ship with Framed: they may name the secrets of a built-in client. */
  readonly origin?: Origin;
  /** What the parser found wrong on the way to the value, told together with the rest. */
  readonly found?: readonly Problem[];
}

/**
 * The tool that `source` describes: at most 256 KiB of UTF-8 that pass every check, or all problems found. Text that
 * is no JSON is told as such; nothing more can be said of it then.
 */
export function readFramedTool(source: Uint8Array | string, options: CheckOptions = {}): FileResult {
  const parsed = parseJson(source, { maxBytes: MAX_FILE_BYTES });
  if (parsed.ok) return checkFramedTool(parsed.value, options);
  if (parsed.value === undefined) {
    return { ok: false, problems: formatProblems(parsed.problems) };
  }
  return checkFramedTool(parsed.value, { ...options, found: parsed.problems });
}

/**
 * The tool that an already parsed `value` describes, which is then the very same value, or all problems found, in
 * the order of the file and at most 200 of them. Never throws, whatever the value; its work is bounded.
 */
export function checkFramedTool(
  value: unknown,
  { origin = "file", found = [] }: CheckOptions = {},
): FileResult {
  const sifted = siftFile(value);
  const problems = [
    ...found,
    ...sifted.problems,
    ...(sifted.file === undefined ? [] : checkFile(sifted.file, origin)),
  ];
  if (problems.length === 0) return { ok: true, tool: value as FramedTool };
  return { ok: false, problems: formatProblems(sortProblems(problems, sifted.file)) };
}

function checkFile(value: JsonValue, origin: Origin): Problem[] {
  if (!isJsonObject(value)) return [{ path: [], says: `found ${tell(value)}; one JSON object is wanted` }];
  const draft = readDraft(value, origin);
  const requests = checkRequests(draft);
  // These know more about a place than its shape. Where they have something to say, the shape keeps quiet.
  const deep = [
    ...draft.arguments.problems,
    ...requests.problems,
    ...checkFixtures(draft, requests),
    ...checkCapabilities(draft),
  ];
  const told = new Places(deep.map(({ path }) => path));
  const carried = checkCarriedCredentials(value);
  const carries = new Places(carried.map(({ path }) => path));
  return [
    ...checkStructure(draft).filter(({ path }) => !isTold(path, { told, draft })),
    // A password in front of a host is a credential that the file carries, and told as one.
    ...deep.filter(({ path, says }) => says !== USERINFO_FAULT || !carries.has(path)),
    ...checkSlug(draft),
    ...checkAuth(draft, requests.used),
    ...checkFollowUp(draft),
    ...checkPreview(draft),
    ...checkRules(draft),
    ...carried,
  ];
}

/** Of a schema of arguments that has problems its own check tells all, wherever it found them. */
function isTold(path: Path, { told, draft }: { told: Places; draft: Draft }): boolean {
  return told.has(path) || (path[0] === "arguments" && draft.arguments.problems.length > 0);
}

/** What stands in the API where a tool's name does. */
const PATHS_BESIDE_TOOLS: ReadonlySet<string> = new Set(["define", "calls"]);

function checkSlug({ file: { slug } }: Draft): Problem[] {
  if (typeof slug !== "string") return [];
  if (slug.startsWith("framed_")) {
    return [{ path: ["slug"], says: "names starting framed_ are Framed's own; another name is wanted" }];
  }
  if (!PATHS_BESIDE_TOOLS.has(slug)) return [];
  return [{ path: ["slug"], says: `/tools/${slug} is a path of its own in the API; another name is wanted` }];
}
