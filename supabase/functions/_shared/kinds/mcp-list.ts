/** The tools of one MCP server, as it tells of them now. */

import type { ListToolsResult } from "@modelcontextprotocol/client";
import type { McpTool } from "../definition/format.ts";
import { isAllVisible } from "../definition/hidden.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { grouped } from "../definition/words.ts";
import type { ServerList, ToldTool } from "../inner-tools/inner-tool.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import type { Means } from "./kind.ts";
import { inSession, type Session } from "./mcp-client.ts";
import { hasUsableHeaders } from "./mcp-headers.ts";
import { MAX_TOOLS } from "./mcp-result.ts";

const MAX_PAGES = 20;
/** Of all that is told of all tools, as compact JSON in UTF-16 units. */
const MAX_CHARS = 1024 * 1024;
/** Of all that is told of all tools: it is values, and not characters, that fill a process when a list is read back. */
const MAX_VALUES = 50_000;
const MAX_NAME = 128;

/**
 * Asks the tool's server for its tools, page by page, whatever it said before of how long its list is good.
 *
 * Opens the tool's secrets. Refuses what the way there refuses; `upstream_too_large` for more than 1,000 tools, more
 * than 20 pages, more than 1 MiB or more than 50,000 values together; `upstream_bad_answer` for two tools of one name, a name that cannot be
 * shown, and a page that leads back to one that was read. A tool that wants arguments in headers in a way that the protocol
 * does not have (2026-07-28), or that holds what is no character of any text, is left out. Nothing that is told holds a credential of the call.
 */
export async function listServerTools(tool: McpTool, means: Means): Promise<Result<ServerList>> {
  const opened = await means.openCredentials();
  if (!opened.ok) return opened;
  const credentials = opened.value;
  const { result } = await inSession(tool, { means, credentials, era: null }, async (session) => {
    const read = await readPages(session);
    return read.ok ? ok({ era: session.era, tools: read.value }) : read;
  });
  if (!result.ok || !result.value.ok) return result.ok ? result.value : result;
  const { era, tools } = result.value.value;
  const free = tools.map((told) =>
    credentials.redact.json(told as unknown as JsonObject) as unknown as ToldTool
  );
  return judgeNames(free.filter(isText), { era });
}

async function readPages(session: Session): Promise<Result<ToldTool[]>> {
  const tools: ToldTool[] = [];
  const cursors = new Set<string>();
  let chars = 0;
  let values = 0;
  let cursor: string | undefined;
  for (let page = 1;; page++) {
    const { tools: listed, nextCursor } = await session.listTools(cursor);
    tools.push(...listed.map(toldOf).filter(({ inputSchema }) => isCallable(inputSchema, session)));
    chars += JSON.stringify(listed).length;
    values += countValues(listed as unknown as JsonValue);
    if (tools.length > MAX_TOOLS) return tooLarge(`lists more than ${grouped(MAX_TOOLS)} tools`);
    if (chars > MAX_CHARS) return tooLarge("tells more than 1 MiB of its tools");
    if (values > MAX_VALUES) return tooLarge(`tells of its tools in more than ${grouped(MAX_VALUES)} values`);
    if (nextCursor === undefined) return ok(tools);
    if (cursors.has(nextCursor)) {
      return bad("Its list never ends: a page leads back to one that was read before.");
    }
    if (page === MAX_PAGES) return tooLarge(`has more than ${MAX_PAGES} pages of tools`);
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
}

/** NUL and halves of pairs, as JSON writes what it may not hold bare: neither is a text to the store, in a key or a value. */
const NO_TEXT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** What the store cannot take is not there either: no text of it is changed for what its digest is bound to. */
function isText(told: ToldTool): boolean {
  return !NO_TEXT.test(JSON.stringify(told));
}

function countValues(value: JsonValue): number {
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}

/** What cannot be called as the protocol wants it is not there: no call of it is sent, and the others are not lost by it. */
function isCallable(inputSchema: JsonObject, { era }: Session): boolean {
  return era === "legacy" || hasUsableHeaders(inputSchema);
}

function toldOf(
  { name, title, description, inputSchema, outputSchema, annotations }: ListToolsResult["tools"][number],
): ToldTool {
  return {
    name,
    title: title ?? null,
    description: description ?? null,
    inputSchema: inputSchema as JsonObject,
    outputSchema: (outputSchema ?? null) as JsonObject | null,
    annotations: (annotations ?? {}) as JsonObject,
  };
}

/** A name is what a person accepts and a call names: each is there once, and all of it can be seen. */
function judgeNames(tools: readonly ToldTool[], { era }: Pick<ServerList, "era">): Result<ServerList> {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (name === "" || [...name].length > MAX_NAME || !isAllVisible(name)) {
      return bad(
        `It names a tool in a way that cannot be shown: from 1 to ${MAX_NAME} visible characters are wanted.`,
      );
    }
    if (names.has(name)) return bad("It lists two tools of the same name.");
    names.add(name);
  }
  return ok({ era, tools });
}

function tooLarge(what: string): Result<never> {
  return refuse("upstream_too_large", {
    detail: `The server ${what}.`,
    hint: "Ask its operator for an address that lists fewer.",
  });
}

function bad(detail: string): Result<never> {
  return refuse("upstream_bad_answer", { detail });
}
