/** What a tool that writes looks up with another tool: its follow-up's check and its preview, held against the workspace. */

import type { PrincipalHere } from "../auth/principal.ts";
import { capabilitiesOf } from "../definition/capability.ts";
import { argumentsOf } from "../definition/call.ts";
import type { FramedTool } from "../definition/format.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import { findPlaceholders } from "../definition/placeholder.ts";
import type { Path, Problem } from "../definition/problem.ts";
import type { Transaction } from "../db/transaction.ts";
import { type InnerTool, runsOnCall } from "../gate/effect.ts";
import { toGate } from "../inner-tools/inner-tool.ts";
import { findInnerTool } from "../inner-tools/store.ts";
import { findToolVisibleTo } from "../tools/store.ts";
import type { Tool } from "../tools/tool.ts";
import { READS_ONLY } from "./read-as-worker.ts";

interface Lookup {
  readonly tool: string;
  readonly args: JsonObject;
}

/** What is held against a lookup of the tool that it names. */
type LookedUp = Pick<Tool, "file" | "runs_as_read">;

/** A lookup with the tool that it names, and what that tool's server says of its own that is called. */
interface Found {
  readonly path: Path;
  readonly found: LookedUp | null;
  readonly inner: InnerTool;
}

/**
 * What keeps the lookups of `tool` from ever running on the workspace: the tool is not there for who defines it, waits for a
 * person, is called by a capability (which a lookup cannot name), or does not take the arguments by their names. Of an mcp
 * tool what its server last listed counts; the server is not asked, so what it never listed is judged at each lookup. An
 * mcp tool may look something up by itself, and is judged by the file that is defined.
 */
export async function findLookupProblems(
  tx: Transaction,
  { principal, tool }: { principal: PrincipalHere; tool: FramedTool },
): Promise<Problem[]> {
  const lookups: [Path, Lookup | undefined][] = [
    [["follow_up", "check"], tool.follow_up?.check as Lookup | undefined],
    [["preview"], tool.preview as Lookup | undefined],
  ];
  const problems: Problem[] = [];
  for (const [path, lookup] of lookups) {
    if (lookup === undefined) continue;
    const found: LookedUp | null = lookup.tool === tool.slug
      ? { file: tool, runs_as_read: false }
      : await findToolVisibleTo(tx, { principal, slug: lookup.tool });
    const inner = await findInner(tx, {
      workspaceId: principal.workspace.id,
      file: found?.file,
      args: lookup.args,
    });
    problems.push(...judgeLookup(lookup, { path, found, inner }));
  }
  return problems;
}

/** What stops it for good: that nobody has looked at a tool yet is no reason, since somebody will. */
async function findInner(
  tx: Transaction,
  { workspaceId, file, args: { tool: name } }: {
    workspaceId: string;
    file: FramedTool | undefined;
    args: JsonObject;
  },
): Promise<InnerTool> {
  if (file?.kind !== "mcp" || typeof name !== "string") return READS_ONLY;
  const known = await findInnerTool(tx, { workspaceId, url: file.mcp.url, name });
  return known === null ? READS_ONLY : { ...toGate(known), quarantined: false };
}

function judgeLookup({ tool, args }: Lookup, { path, found, inner }: Found): Problem[] {
  const at = [...path, "tool"];
  if (found === null) {
    return [{ path: at, says: `no tool ${tool} is on the workspace; define the one that reads first` }];
  }
  const { file, runs_as_read } = found;
  if (capabilitiesOf(file) !== undefined) {
    return [{
      path: at,
      says: `${tool} is called by a capability, which cannot be named here; another tool is wanted`,
    }];
  }
  if (!runsOnCall({ tool: file, call: { args }, runsAsRead: runs_as_read, inner })) {
    return [{ path: at, says: `${tool} waits for an approval; a tool that runs on the call is wanted` }];
  }
  if (file.kind !== "mcp") return judgeNames(args, { tool, file, path: [...path, "args"] });
  const problems = judgeServerCall(args, [...path, "args"]);
  if (problems.length > 0 || !isJsonObject(args.arguments ?? {})) return problems;
  return args.action === "list" ? [] : judgeNames((args.arguments ?? {}) as JsonObject, {
    tool,
    file,
    path: [...path, "args", "arguments"],
  });
}

/** Which of the server's tools is called is written out: no answer of another system chooses it. */
function judgeServerCall(args: JsonObject, path: Path): Problem[] {
  const { action, tool, arguments: inner } = args;
  if (action !== "list" && action !== "call") {
    return [{ path: [...path, "action"], says: '"list" or "call" is wanted, written out' }];
  }
  const taken = action === "list" ? ["action"] : ["action", "tool", "arguments"];
  const problems: Problem[] = Object.keys(args).filter((key) => !taken.includes(key)).map((key) => ({
    path: [...path, key],
    says: `not a key of ${action}; ${taken.join(", ")} ${taken.length === 1 ? "is" : "are"} taken`,
  }));
  if (action === "list") return problems;
  if (typeof tool !== "string" || tool === "" || isFilled(tool)) {
    problems.push({
      path: [...path, "tool"],
      says: "the name of one of the server's tools is wanted, written out",
    });
  }
  if (inner !== undefined && !isJsonObject(inner) && !isFilled(inner)) {
    problems.push({ path: [...path, "arguments"], says: "an object of arguments is wanted" });
  }
  return problems;
}

function isFilled(value: JsonValue): boolean {
  return findPlaceholders(value).length > 0;
}

/** Values are filled in later, so only their names can be held against the other tool now. */
function judgeNames(
  args: JsonObject,
  { tool, file, path }: { tool: string; file: FramedTool; path: Path },
): Problem[] {
  const schema = argumentsOf(file);
  if (schema === null) return [];
  const { additionalProperties, patternProperties } = file.arguments as JsonObject;
  const takesOthers = schema.open || isJsonObject(additionalProperties) || isJsonObject(patternProperties);
  const unknown = takesOthers ? [] : Object.keys(args).filter((name) => !schema.names.has(name));
  const missing = [...schema.required].filter((name) => !Object.hasOwn(args, name));
  return [
    ...unknown.map((name) => ({ path: [...path, name], says: `${tool} declares no argument of this name` })),
    ...missing.map((name) => ({ path, says: `${tool} cannot be called without ${name}` })),
  ];
}
