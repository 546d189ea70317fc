/**
 * A file as the checks read it: perhaps wrong in any part, so every part is read for what it is and never assumed.
 * Pure.
 */

import { type ArgumentsSchema, readArgumentsSchema } from "../arguments.ts";
import { ACCESS, type Access, type Kind, KINDS } from "../format.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { limitHints, nearest } from "../words.ts";

/** Where a file comes from. A seeded one ships with Framed and may name the secrets of a built-in client. */
export type Origin = "file" | "seeded";

export interface Draft {
  readonly file: JsonObject;
  readonly origin: Origin;
  /** What the file says it is, else what its keys look like. */
  readonly kind: Kind;
  /** Whether `kind` is what the file says. */
  readonly kindSaid: boolean;
  readonly access: Access | null;
  readonly arguments: DraftArguments;
  /** The capabilities of the file, as far as they are a list; `null` when it has none or its kind has none. */
  readonly capabilities: readonly JsonValue[] | null;
}

/** What the file's `arguments` declare, as far as it can be told. */
export interface DraftArguments {
  readonly problems: readonly Problem[];
  /** `null` when there is no schema, or one with problems. */
  readonly schema: ArgumentsSchema | null;
  readonly names: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  /** Whether a name that is not declared may be right all the same. */
  readonly open: boolean;
  /** The declared name that another one was meant to be; only so many are looked for. */
  readonly near: (name: string) => string | null;
}

/** Reads `file` once for all checks. */
export function readDraft(file: JsonObject, origin: Origin): Draft {
  const said = KINDS.find((kind) => kind === file.kind);
  const kind = said ?? guessKind(file);
  return {
    file,
    origin,
    kind,
    kindSaid: said !== undefined,
    access: ACCESS.find((one) => one === file.access) ?? null,
    arguments: readArguments(file, kind),
    capabilities: kind === "mcp" || file.capabilities === undefined ? null : listOf(file.capabilities),
  };
}

/** `value` when it is an object, else an empty one. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** `value` when it is a list, else an empty one. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A misspelt kind says more than the keys; without either a file is the one that needs the fewest. */
function guessKind(file: JsonObject): Kind {
  const meant = typeof file.kind === "string" ? nearest(file.kind, KINDS) : null;
  if (meant !== null) return meant as Kind;
  if (Object.hasOwn(file, "mcp")) return "mcp";
  return Object.hasOwn(file, "request") || Object.hasOwn(file, "auth") ? "request" : "fixture";
}

function readArguments(file: JsonObject, kind: Kind): DraftArguments {
  const path: Path = ["arguments"];
  const found = file.arguments;
  if (found === undefined) {
    // An mcp file needs none: its server says what its tools take.
    const names = new Set<string>();
    return { problems: [], schema: null, names, required: new Set(), open: kind === "mcp", near: () => null };
  }
  const { schema, problems } = readArgumentsSchema(found, path);
  if (schema !== null) {
    const { names, required } = schema;
    return { problems, schema, names, required, open: takesOthers(objectOf(found)), near: limitHints(names) };
  }
  const { properties, required } = objectOf(found);
  const names = new Set(Object.keys(objectOf(properties)));
  return {
    problems,
    schema: null,
    names,
    near: limitHints(names),
    required: new Set(listOf(required).filter((name) => typeof name === "string")),
    open: takesOthers(objectOf(found)),
  };
}

/** Whether arguments may be there that are not written out by name. */
function takesOthers({ additionalProperties, patternProperties }: JsonObject): boolean {
  return additionalProperties === true || isJsonObject(additionalProperties) ||
    isJsonObject(patternProperties);
}
