/**
 * What of an answer the client of an MCP server is handed: what a session is made of, and nothing beside it. The client
 * holds an answer to its shape, copies it more than once and reports each fault in it, which for a long answer of faults
 * takes seconds; so what is wrong at length is refused before it. Pure.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import { grouped } from "../definition/words.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { MISSHAPEN, UNSUPPORTED_REVISION } from "./mcp-error.ts";

/** The most tools of one server. */
export const MAX_TOOLS = 1_000;
/** The most contents of one result, and entries of all lists inside them. */
const MAX_CONTENTS = 1_000;
const MAX_ENTRIES = 5_000;
/** The most revisions of the protocol that are looked at. */
const MAX_REVISIONS = 100;
/** The most entries of a list of names that are none, before they are refused unreported. */
const MAX_FAULTS = 100;

/**
 * The answer to a request of `method` without what nobody here reads. Refuses `upstream_too_large` for more than 1,000
 * tools on one page, more than 1,000 contents of a result or more than 5,000 entries of lists in them;
 * `upstream_bad_answer` for tools, contents and names that are none. What else is misshapen is the client's to refuse.
 */
export function handOver(method: unknown, { jsonrpc, id, result, error }: JsonObject): Result<JsonObject> {
  if (isObject(error)) return ok({ jsonrpc: jsonrpc!, id: id!, error: plainError(error) });
  if (!isObject(result)) return misshapen();
  const read = RESULTS[method as string]?.(result) ?? ok({});
  return read.ok ? ok({ jsonrpc: jsonrpc!, id: id!, result: read.value }) : read;
}

/** An error as far as the session goes on by it: of its data only which revisions the server speaks. */
export function plainError({ code = null, message = null, data = null }: JsonObject): JsonObject {
  const supported = isJsonObject(data) ? data.supported : null;
  return {
    code,
    message,
    ...(code === UNSUPPORTED_REVISION ? { data: { supported: revisionsIn(supported) } } : {}),
  };
}

const RESULTS: Readonly<Record<string, (result: JsonObject) => Result<JsonObject>>> = {
  "server/discover": (result) =>
    ok({
      ...only(result, ["resultType"]),
      supportedVersions: revisionsIn(result.supportedVersions),
      capabilities: capabilitiesIn(result.capabilities),
    }),
  initialize: ({ protocolVersion = null, capabilities, serverInfo = null }) =>
    ok({
      protocolVersion,
      capabilities: capabilitiesIn(capabilities),
      serverInfo: isJsonObject(serverInfo) ? only(serverInfo, ["name", "version"]) : serverInfo,
    }),
  "tools/list": pageOf,
  "tools/call": calledOf,
};

/** A page of a list. How long it may be kept, and by whom, is decided here: it is read anew when we want it. */
function pageOf(result: JsonObject): Result<JsonObject> {
  const { tools = null } = result;
  const page = { ...only(result, ["resultType", "nextCursor"]), ttlMs: 0, cacheScope: "private" };
  if (!Array.isArray(tools)) return misshapen();
  if (tools.length > MAX_TOOLS) {
    return tooLarge(`The server lists more than ${grouped(MAX_TOOLS)} tools.`);
  }
  if (!tools.every(isJsonObject)) return misshapen();
  const faults = tools.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])
    .reduce((sum: number, schema) => sum + faultsIn(schema), 0);
  return faults > MAX_FAULTS ? misshapen() : ok({ ...page, tools: tools.map(toolOf) });
}

/** How many of the names that a schema requires are none. */
function faultsIn(schema: JsonValue | undefined): number {
  const required = isObject(schema) ? schema.required : null;
  return Array.isArray(required) ? required.filter((name) => typeof name !== "string").length : 0;
}

/** A hint that is not the very boolean is no hint, and nothing for the whole list to be unreadable by. */
function toolOf(tool: JsonObject): JsonObject {
  const told = only(tool, ["name", "title", "description", "inputSchema", "outputSchema"]);
  const { annotations = null } = tool;
  if (!isJsonObject(annotations)) return told;
  const kept = Object.entries(annotations).filter(([key, value]) =>
    key.endsWith("Hint") ? typeof value === "boolean" : key !== "title" || typeof value === "string"
  );
  return { ...told, annotations: Object.fromEntries(kept) };
}

function calledOf(result: JsonObject): Result<JsonObject> {
  // What it asks for is not looked at, since it is not given.
  if (result.resultType === "input_required") return ok({ resultType: "input_required", requestState: "" });
  const { content } = result;
  if (Array.isArray(content)) {
    if (content.length > MAX_CONTENTS) {
      return tooLarge(`Its result is made of more than ${grouped(MAX_CONTENTS)} contents.`);
    }
    if (!content.every((one) => isJsonObject(one) && typeof one.type === "string")) return misshapen();
    if (entriesIn(content, MAX_ENTRIES) > MAX_ENTRIES) {
      return tooLarge(
        `The contents of its result hold lists of more than ${grouped(MAX_ENTRIES)} entries together.`,
      );
    }
  }
  return ok(only(result, ["resultType", "content", "structuredContent", "isError"]));
}

/** How many entries the lists in the value have together; more than `limit` are not counted on. */
function entriesIn(value: JsonValue, limit: number): number {
  if (value === null || typeof value !== "object") return 0;
  let entries = Array.isArray(value) ? value.length : 0;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (entries > limit) break;
    entries += entriesIn(inner, limit);
  }
  return entries;
}

/** The beginning of a list of revisions; null where it is none. */
function revisionsIn(listed: JsonValue | undefined): string[] | null {
  if (!Array.isArray(listed)) return null;
  const revisions = listed.slice(0, MAX_REVISIONS);
  return revisions.every((one) => typeof one === "string") ? revisions : null;
}

function capabilitiesIn(told: JsonValue | undefined): JsonObject | null {
  if (!isObject(told)) return null;
  return isObject(told.tools) ? { tools: {} } : {};
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value);
}

function only(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key): [string, JsonValue][] => Object.hasOwn(object, key) ? [[key, object[key]!]] : []),
  );
}

function misshapen(): Result<never> {
  return refuse("upstream_bad_answer", { detail: MISSHAPEN });
}

function tooLarge(detail: string): Result<never> {
  return refuse("upstream_too_large", {
    detail,
    hint: "Ask for less at once, or ask its operator for an address that answers less.",
  });
}
