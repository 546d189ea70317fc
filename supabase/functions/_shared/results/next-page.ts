/** Where a list goes on, from the `Link` header of its answer, in the words of the tool's own arguments. Pure. */

import { checkCall, type ToolCall } from "../definition/call.ts";
import { requestOf } from "../definition/call-request.ts";
import type { RequestTool } from "../definition/format.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { argumentsInQuery } from "../definition/request.ts";

/** Parameters that say how much a page holds: repeating or adding one leads to no other page. */
const SIZE =
  /^(per_?page|page_?size|page\[size\]|limit|size|count|max_?results|max_?items|\$top|rows|take)$/i;

/**
 * The arguments that read the page a `Link` header calls `next`: those of the call, with what its address asks for
 * differently. Null where there is such a page and the tool's arguments cannot ask for it; undefined where there is none.
 *
 * Only the link's query is read, never followed: a parameter counts where the request fills it with exactly one argument,
 * and its value only as the file's schema takes it. A link that asks for anything else anew is one the arguments cannot
 * ask for, since without that they might read the same page again. No address and no credential comes out. Source: RFC 8288.
 */
export function readNextPage(
  tool: RequestTool,
  { call, link, sentUrl }: { call: ToolCall; link: string | null; sentUrl: string },
): JsonObject | null | undefined {
  const target = link === null ? null : findNext(link);
  if (target === null || !URL.canParse(target, sentUrl)) return undefined;
  const [asked, sent] = [new URL(target, sentUrl).searchParams, new URL(sentUrl).searchParams];
  const filled = argumentsInQuery(requestOf(tool, call));
  let args = call.args;
  let leadsOn = false;
  for (const name of new Set(asked.keys())) {
    const values = asked.getAll(name);
    if (isSame(values, sent.getAll(name))) continue;
    const isSize = SIZE.test(name);
    const argument = filled.get(name);
    const next = argument === undefined ? null : fitted(tool, { call: { ...call, args }, argument, values });
    if (next === null && !isSize) return null;
    args = next ?? args;
    leadsOn ||= !isSize;
  }
  return leadsOn ? args : null;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((value, at) => value === others[at]);
}

/** The arguments with `argument` as the schema takes it; null where it takes none of what the text can mean. */
function fitted(
  tool: RequestTool,
  { call, argument, values }: { call: ToolCall; argument: string; values: readonly string[] },
): JsonObject | null {
  for (const value of readings(values, call.args[argument])) {
    const args = { ...call.args, [argument]: value };
    if (checkCall(tool, { ...call, args }).ok) return args;
  }
  return null;
}

/** What a query's texts can mean, as the argument was given before first. NUL is no text of a call's. */
function readings(values: readonly string[], before: JsonValue | undefined): JsonValue[] {
  if (values.some((value) => value.includes("\0"))) return [];
  const [text = ""] = values;
  const typed = values.map(typedValue);
  if (values.length > 1) return [[...values], typed];
  return typeof before === "string"
    ? [text, typed[0]!, [text], typed]
    : Array.isArray(before)
    ? [[text], typed]
    : [typed[0]!, text, [text], typed];
}

function typedValue(text: string): JsonValue {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}

/** The target of the first link whose relations hold `next`; null where there is none. */
function findNext(header: string): string | null {
  for (let at = header.indexOf("<"); at >= 0; at = header.indexOf("<", at)) {
    const end = header.indexOf(">", at);
    if (end < 0) return null;
    const parametersEnd = endOfLink(header, end + 1);
    const relations = /(?:^|;)\s{0,20}rel\s{0,20}=\s{0,20}(?:"([^"]*)"|([^\s;,"]+))/i.exec(
      header.slice(end + 1, parametersEnd),
    );
    const named = (relations?.[1] ?? relations?.[2] ?? "").toLowerCase().split(/\s/);
    if (named.includes("next")) return header.slice(at + 1, end);
    at = parametersEnd;
  }
  return null;
}

/** Where the parameters of a link end: at the comma before the next one that stands in no quotes. */
function endOfLink(header: string, from: number): number {
  for (let at = from, quoted = false; at < header.length; at++) {
    const char = header[at];
    if (char === '"') quoted = !quoted;
    else if (char === "\\" && quoted) at++;
    else if (char === "," && !quoted) return at;
  }
  return header.length;
}
