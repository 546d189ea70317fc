/**
 * The shape of a file: every key it has is known to its kind, every key it needs is there, each value is of the
 * format. What zod finds becomes lines in words here. Pure.
 */

import * as z from "zod";
import { count, eitherQuoted, kindOf, nearest, tell } from "../words.ts";
import { FORMATS, type Kind, KINDS } from "../format.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import type { Draft } from "./draft.ts";
import { nearestKey } from "./nearest-key.ts";

/** Problems of shape after which no more are looked for. */
const MAX_FOUND = 1_000;

/** What is wrong with the shape of the file, as far as one format per kind can say it. */
export function checkStructure({ file, kind, kindSaid }: Draft): Problem[] {
  const problems: Problem[] = [];
  for (const issue of FORMATS[kind]().safeParse(file).error?.issues ?? []) {
    // Finding the nearest of many wrong keys is work, and far fewer than these are ever told.
    if (problems.length > MAX_FOUND) break;
    problems.push(...problemsOf(issue, file, kind));
  }
  if (kindSaid) return problems;
  // Without a kind nobody can say which of the keys that differ by kind is missing, or which does not belong.
  return [...problems.filter((problem) => holdsForAnyKind(problem, file)), kindProblem(file.kind)];
}

function kindProblem(kind: JsonValue | undefined): Problem {
  const wanted = eitherQuoted(KINDS);
  if (kind === "code") {
    const says =
      `"code", a tool as a small program, is on the roadmap and refused today; ${wanted} is wanted`;
    return { path: ["kind"], says };
  }
  if (kind === undefined) return { path: ["kind"], says: `missing; ${wanted} is wanted` };
  return { path: ["kind"], says: `found ${tell(kind)}; ${wanted} is wanted` };
}

function holdsForAnyKind({ path }: Problem, file: JsonObject): boolean {
  const key = path[0];
  if (key === "kind" || key === undefined) return false;
  const kindsWithKey = KINDS.filter((kind) => Object.hasOwn(FORMATS[kind]().shape, key));
  if (Object.hasOwn(file, key)) return path.length > 1 || kindsWithKey.length !== 1;
  return kindsWithKey.length === KINDS.length && key !== "fixtures";
}

function problemsOf(issue: z.core.$ZodIssue, file: JsonObject, kind: Kind): Problem[] {
  const path = issue.path.map((step) => typeof step === "number" ? step : String(step));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_FOUND).map((key) => ({
      path: namesSecrets(path) && !/^[A-Za-z_]{1,24}$/.test(key) ? path : [...path, key],
      says: unknownKey(key, path, kind),
    }));
  }
  const found = valueAt(file, path);
  if (found === undefined) return [{ path, says: `missing; ${issue.message} is wanted` }];
  if (isSecretName(path)) return [{ path, says: secretNameProblem(found, issue.message) }];
  const told = issue.code === "too_big" && Array.isArray(found)
    ? count(found.length, "element")
    : mayRepeat(issue, path)
    ? tell(found)
    : kindOf(found);
  return [{ path, says: `found ${told}; ${issue.message} is wanted` }];
}

/** What a request sends, and what stands where an object or a list is wanted, may hold a credential written out. */
function mayRepeat(issue: z.core.$ZodIssue, path: Path): boolean {
  if (issue.code === "invalid_type" && ["array", "object", "record"].includes(issue.expected)) return false;
  return !namesSecrets(path) && !path.some((step) => step === "headers" || step === "query");
}

/** A key that exists, but not for this kind: the key of this kind that does what was meant. */
const INSTEAD: Record<Kind, Readonly<Record<string, string>>> = {
  request: { mcp: "request" },
  fixture: { request: "fixtures", mcp: "fixtures", auth: "fixtures", requests: "operations" },
  mcp: { request: "mcp", auth: "mcp.auth", capabilities: "mcp" },
};

function unknownKey(key: string, path: Path, kind: Kind): string {
  const known = knownKeys(FORMATS[kind](), path);
  if (namesSecrets(path)) {
    // Whatever a value is called, what is wanted in its place is the name of the secret.
    const meant = path.at(-1) === "env" ? nearestKey(key, known) : nearest(key, known) ?? "secret";
    return `a file names its secrets and never holds one; the nearest known key is ${meant}`;
  }
  const instead = Object.hasOwn(INSTEAD[kind], key) && isKeyOfAnotherKind(key, path)
    ? INSTEAD[kind][key]
    : undefined;
  if (instead !== undefined) {
    return `not used by kind ${JSON.stringify(kind)}; the nearest known key is ${instead}`;
  }
  return `not a known key; the nearest is ${nearestKey(key, known)}`;
}

function isKeyOfAnotherKind(key: string, path: Path): boolean {
  return KINDS.some((kind) => knownKeys(FORMATS[kind](), path).includes(key));
}

/** The keys the format has at `path`, none when it has no object there. */
function knownKeys(format: z.ZodType, path: Path): string[] {
  let at: unknown = format;
  for (const step of path) {
    const inner = unwrap(at);
    if (inner instanceof z.ZodArray) at = inner.element;
    else if (inner instanceof z.ZodObject) {
      at = Object.hasOwn(inner.shape, step) ? inner.shape[step] : undefined;
    } else return [];
  }
  const object = unwrap(at);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function unwrap(format: unknown): unknown {
  return format instanceof z.ZodOptional ? unwrap(format.unwrap()) : format;
}

function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, step) => {
    if (Array.isArray(value)) return value[step as number];
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, root);
}

/** Whether the object at `path` is one of those that name secrets. */
function namesSecrets(path: Path): boolean {
  return path.at(-1) === "auth" || (path.at(-1) === "env" && path.at(-2) === "auth");
}

function isSecretName(path: Path): boolean {
  return path.includes("auth") && !namesSecrets(path);
}

/** What stands where a secret's name is wanted may be a secret, so it is never repeated. */
function secretNameProblem(found: JsonValue, wanted: string): string {
  if (typeof found !== "string") return `found ${kindOf(found)}; ${wanted} is wanted`;
  if (/^connector_\w*$/i.test(found) && found !== found.toUpperCase()) {
    return `found a name with lower-case letters; ${wanted} is wanted`;
  }
  return `found text that is no secret's name; a file never holds a value, ${wanted} is wanted`;
}
