/**
 * One call of a tool: its arguments held against the file, and the request it makes. Pure.
 * Whether the call runs or waits is `gate/`'s business; where a credential comes from is the caller's.
 */

import { ok, refuse, type Result } from "../outcome/result.ts";
import { type ArgumentsSchema, compileArguments } from "./arguments.ts";
import { requestOf } from "./call-request.ts";
import { findObstacle, MAX_VALUE_LEVELS } from "./arguments/limits.ts";
import { count } from "./words.ts";
import type { FramedTool, RequestTool } from "./format.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { formatProblems, type Path, type Problem } from "./problem.ts";
import { type PreparedRequest, prepareRequest } from "./request.ts";

/** What a caller says: the arguments, and beside them the capability and operation of a tool that declares some. */
export interface ToolCall {
  readonly args: JsonObject;
  readonly capability?: string;
  readonly operation?: string;
}

/** Of the arguments of one call, as compact JSON in UTF-8. */
const MAX_ARGUMENTS_BYTES = 64 * 1024;

const ARGS: Path = ["args"];

/**
 * Whether the arguments of `call` are what `tool` takes: an object of at most 64 KiB that obeys the file's schema,
 * for an mcp tool `{ action, tool?, arguments? }`. Refuses `bad_arguments` with every problem found. The capability
 * beside them is `decideCapability`'s business. Where `LATE` stands for a value, only what no value could make right is
 * a problem.
 */
export function checkCall(tool: FramedTool, call: ToolCall): Result<void> {
  const problems = argumentsProblems(tool, call.args);
  if (problems.length === 0) return ok(undefined);
  return refuse("bad_arguments", {
    detail: `The arguments are not what ${tool.slug} takes.`,
    problems: formatProblems(problems, "args"),
  });
}

/**
 * The one request that `call` makes, with credentials still to be placed: the capability's own for the operation,
 * else the tool's. Refuses what `checkCall` refuses, and arguments that fit no request.
 */
export function prepareCall(tool: RequestTool, call: ToolCall): Result<PreparedRequest> {
  const checked = checkCall(tool, call);
  return checked.ok ? prepareRequest(requestOf(tool, call), call.args) : checked;
}

function argumentsProblems(tool: FramedTool, args: JsonObject): Problem[] {
  const unfit = findUnfit(args);
  if (unfit !== null) return [unfit];
  const schema = argumentsOf(tool);
  if (tool.kind !== "mcp" && schema !== null) return schema.check(args, { path: ARGS });
  return isJsonObject(args) ? mcpProblems(args, schema) : [{ path: ARGS, says: "an object is wanted" }];
}

/** What makes `args` more than any tool takes, whatever its schema says: 64 KiB, or 64 levels. `null` when nothing does. */
export function findUnfit(args: JsonObject): Problem | null {
  const obstacle = findObstacle(args, { maxBytes: MAX_ARGUMENTS_BYTES, maxLevels: MAX_VALUE_LEVELS });
  if (obstacle?.kind === "bytes") {
    return { path: ARGS, says: `more than ${count(MAX_ARGUMENTS_BYTES, "byte")} as compact JSON; send less` };
  }
  if (obstacle?.kind === "levels") {
    return {
      path: ARGS,
      says: `more than ${MAX_VALUE_LEVELS} levels of lists and objects; make them flatter`,
    };
  }
  return null;
}

/** `{ action: "list" }`, or `{ action: "call", tool, arguments? }` with the inner arguments the file allows. */
function mcpProblems(args: JsonObject, inner: ArgumentsSchema | null): Problem[] {
  if (args.action !== "list" && args.action !== "call") {
    return [{ path: [...ARGS, "action"], says: '"list" or "call" is wanted' }];
  }
  const known = args.action === "list" ? ["action"] : ["action", "tool", "arguments"];
  const problems: Problem[] = Object.keys(args).filter((key) => !known.includes(key)).slice(0, 20).map((
    key,
  ) => ({
    path: [...ARGS, key],
    says: `not a key of ${args.action}; ${known.join(", ")} ${known.length === 1 ? "is" : "are"} taken`,
  }));
  if (args.action === "list") return problems;
  if (typeof args.tool !== "string" || args.tool === "") {
    problems.push({ path: [...ARGS, "tool"], says: "the name of one of the server's tools is wanted" });
  }
  const path = [...ARGS, "arguments"];
  const passed = args.arguments ?? {};
  if (!isJsonObject(passed)) problems.push({ path, says: "an object of arguments is wanted" });
  else if (inner !== null) problems.push(...inner.check(passed, { path }));
  return problems;
}

const compiled = new WeakMap<object, ArgumentsSchema>();

/** The compiled `arguments` of the file, `null` when an mcp file has none. Compiled once per file in memory. */
export function argumentsOf(tool: FramedTool): ArgumentsSchema | null {
  if (tool.arguments === undefined) return null;
  const known = compiled.get(tool.arguments);
  if (known !== undefined) return known;
  const schema = compileArguments(tool.arguments as JsonObject);
  compiled.set(tool.arguments, schema);
  return schema;
}
