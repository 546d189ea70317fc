/** Kind `mcp`: the list of an outside server's tools, and one call of one of them. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { McpTool } from "../definition/format.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import type { Era } from "../inner-tools/inner-tool.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { type Answer, endUnsent, type Execute, type Executed, type Landing } from "./kind.ts";
import { type Ended, inSession } from "./mcp-client.ts";
import { clipSaid } from "./mcp-error.ts";

/** What was found out of the server before a call of it is executed. */
export type AskedServer =
  /** For `list`: the answer. */
  | { readonly listed: JsonValue }
  /** For `call`: what its server tells of the tool that it names. */
  | { readonly era: Era; readonly inputSchema: JsonObject };

/**
 * Answers the list that was found out already, or calls the one tool, once.
 *
 * A complete result without `isError` landed; `isError` or an error of the protocol did not; whatever else came of a
 * call that may have reached the server leaves open whether. What the server answers is data: its structured content
 * where it gives some, else its list of contents, free of the call's credentials.
 */
export const executeMcp: Execute<McpTool, { server: AskedServer }> = async (
  tool,
  { call: { args }, server, means },
): Promise<Executed> => {
  if ("listed" in server) {
    return { landing: "applied", answered: ok({ value: server.listed, answersWith: "live system" }) };
  }
  const opened = await means.openCredentials();
  if (!opened.ok) return endUnsent(opened);
  const { redact } = opened.value;
  const call = {
    name: args.tool as string,
    args: isJsonObject(args.arguments) ? args.arguments : {},
    inputSchema: server.inputSchema,
  };
  const ended = await inSession(
    tool,
    { means, credentials: opened.value, era: server.era },
    (session) => session.callTool(call),
  );
  const answered: Result<Answer> = ended.result.ok ? readResult(ended.result.value, redact) : ended.result;
  return {
    landing: landingOf(ended),
    answered: tool.access === "sensitive" ? withoutWords(answered) : answered,
  };
};

/** Of a sensitive call nothing the server says is told on or kept, also where it says no. */
function withoutWords(answered: Result<Answer>): Result<Answer> {
  if (answered.ok || answered.refusal.reason !== "upstream_failed") return answered;
  const detail = "The server or its tool failed. What it said of a sensitive call is not told.";
  return { ok: false, refusal: { ...answered.refusal, detail } };
}

function landingOf({ result, hasCalled, byProtocol }: Ended<CallToolResult>): Landing {
  if (result.ok) return result.value.isError === true ? "failed" : "applied";
  return !hasCalled || byProtocol ? "failed" : "unknown";
}

function readResult(
  { structuredContent, content, isError }: CallToolResult,
  redact: { text(text: string): string; json(value: JsonValue): JsonValue },
): Result<Answer> {
  if (isError !== true) {
    const value = redact.json((structuredContent ?? content) as JsonValue);
    return ok({ value, answersWith: "live system" });
  }
  const said = clipSaid(redact.text(content.map((part) => part.type === "text" ? part.text : "").join(" ")));
  return refuse("upstream_failed", {
    detail: said === ""
      ? "The tool of the server failed."
      : `The tool of the server failed. It said: ${said}`,
  });
}
