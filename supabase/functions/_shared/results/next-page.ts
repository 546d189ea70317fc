/** Where a list goes on, from the `Link` header of its answer, in the words of the tool's own arguments. Pure. */

import { checkCall, type ToolCall } from "../definition/call.ts";
import { requestOf } from "../definition/call-request.ts";
import type { RequestTool } from "../definition/format.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { argumentsInQuery } from "../definition/request.ts";

/** Parameters that say how much a page holds: repeating or adding one leads to no other page. */
const SIZE =
  /^(per_?page|page_?size|page\[size\]|limit|size|count|max_?results|max_?items|\$top|rows|take)$/i;

/** Parameters that lead from a page to the next; an address with more is no such step. */
const MAX_CHANGED = 10;
/** How often one header may have all arguments held against the schema, each time as long as for a call. */
const MAX_CHECKS = 10;

/**
 * The arguments that read the page a `Link` header calls `next`: those of the call, with what its address asks for
 * differently. Null where there is such a page and the tool's arguments cannot ask for it; undefined where there is none.
 *
 * Only the link's query is read, never followed: a parameter counts where the request fills it with exactly one argument,
 * and its value only as the file's schema takes it. A link that asks for anything else anew, or for more than 10 things,
 * is one the arguments cannot ask for, since without that they might read the same page again. At most 10 checks of the
 * arguments, whatever the header holds. No address and no credential comes out. Source: RFC 8288.
 */
export function readNextPage(
  tool: RequestTool,
  { call, link, sentUrl }: { call: ToolCall; link: string | null; sentUrl: string },
): JsonObject | null | undefined {
  const target = link === null ? null : findNext(link);
  if (target === null || !URL.canParse(target, sentUrl)) return undefined;
  const sent = valuesByName(new URL(sentUrl).searchParams);
  const changed = [...valuesByName(new URL(target, sentUrl).searchParams)]
    .filter(([name, values]) => !isSame(values, sent.get(name) ?? []));
  if (changed.length > MAX_CHANGED) return null;
  const filled = argumentsInQuery(requestOf(tool, call));
  if (changed.some(([name]) => !filled.has(name) && !SIZE.test(name))) return null;
  let checksLeft = MAX_CHECKS;
  const isTaken = (args: JsonObject) => checksLeft-- > 0 && checkCall(tool, { ...call, args }).ok;
  let args = call.args;
  let leadsOn = false;
  for (const [name, values] of changed) {
    const isSize = SIZE.test(name);
    const argument = filled.get(name);
    const next = argument === undefined ? null : fitted(args, { argument, values, isTaken });
    if (next === null && !isSize) return null;
    args = next ?? args;
    leadsOn ||= !isSize;
  }
  return leadsOn ? args : null;
}

function valuesByName(parameters: URLSearchParams): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of parameters) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  return byName;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((value, at) => value === others[at]);
}

/** The arguments with `argument` as the schema takes it; null where it takes none of what the text can mean. */
function fitted(
  before: JsonObject,
  { argument, values, isTaken }: {
    argument: string;
    values: readonly string[];
    isTaken: (args: JsonObject) => boolean;
  },
): JsonObject | null {
  for (const value of readings(values, before[argument])) {
    const args = { ...before, [argument]: value };
    if (isTaken(args)) return args;
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
