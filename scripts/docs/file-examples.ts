/** The files and parts of files on a page, and the requests they make, each held against the code. */

import { assert, assertEquals } from "@std/assert";
import {
  checkCall,
  type FramedTool,
  type JsonObject,
  placeCredentials,
  prepareCall,
  readFramedTool,
  type ToolCall,
} from "../../supabase/functions/_shared/framed-tool.ts";
import type { Example } from "./examples.ts";

/** What the page says is pasted, by the place in `auth`. */
const PASTED = new Map(
  [["secret", "pasted-value"], ["clientId", "framed"], ["administrationId", "123"]] as const,
);

/**
 * The tool a `json` example is: whole, or `part`, some keys of a file of kind `request` in place of the smallest one's. Fails
 * unless it passes the check.
 */
export function readTool({ marker, text }: Example): FramedTool {
  const result = readFramedTool(marker === "part" ? JSON.stringify(complete(JSON.parse(text))) : text);
  assert(result.ok, `is refused:\n${result.ok ? "" : result.problems.join("\n")}`);
  return result.tool;
}

/** Fails unless the check refuses the example, with exactly the lines of `told`. */
export function assertRefused({ text }: Example, told: string): void {
  const result = readFramedTool(JSON.stringify(complete(JSON.parse(text))));
  assert(!result.ok, "passes the check");
  assertEquals(result.problems, told.split("\n"));
}

/** Fails unless the call in the first line of an `http` example makes exactly the request below it. */
export function assertSends(tool: FramedTool, { text }: Example): void {
  assert(tool.kind === "request");
  const [first = "", ...lines] = text.split("\n");
  const prepared = prepareCall(tool, readCall(first));
  assert(prepared.ok, JSON.stringify(prepared));
  const placed = placeCredentials(prepared.value, PASTED);
  assert(placed.ok, JSON.stringify(placed));
  const { method, url, headers, body } = placed.value;
  const sent = [
    `${method} ${url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ["", body]),
  ];
  assertEquals(lines, sent);
}

/** Fails unless the call in the first line of a `text` example is refused with the reason and lines below it. */
export function assertCallRefused(tool: FramedTool, { text }: Example): void {
  const [first = "", reason, ...problems] = text.split("\n");
  const call = readCall(first);
  const checked = tool.kind === "request" ? prepareCall(tool, call) : checkCall(tool, call);
  assert(!checked.ok, "is not refused");
  assertEquals([checked.refusal.reason, ...checked.refusal.problems ?? []], [reason, ...problems]);
}

/** Whether a block begins with a call: `# {…}`, or `# contact.read get {…}`. */
export function startsWithCall({ text }: Example): boolean {
  return text.startsWith("# ");
}

function readCall(line: string): ToolCall {
  const parts = /^# (?:(\S+\.read) (\S+) )?(\{.*\})$/.exec(line);
  assert(parts !== null, `is no call: ${line}`);
  const [, capability, operation, args = ""] = parts;
  const named = capability === undefined ? {} : { capability, operation: operation! };
  return { args: JSON.parse(args), ...named };
}

/** The part, its keys in their order, and after them what the smallest file has beside them. */
function complete(part: JsonObject): JsonObject {
  const args = { type: "object", properties: {} };
  const request = { method: "GET", url: "https://ledger.example/api/invoices" };
  const fixtures = [{ response: { rows: [] } }];
  const smallest = {
    format: "framed-tool/1",
    slug: "example",
    name: "Example",
    description: "An example.",
    kind: "request",
    access: "read",
    arguments: args,
    request,
    fixtures,
  };
  const missing = Object.entries(smallest).filter(([key]) => !Object.hasOwn(part, key));
  return { ...part, ...Object.fromEntries(missing) };
}
