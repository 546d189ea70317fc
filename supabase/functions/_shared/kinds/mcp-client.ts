/**
 * A session with one MCP server: the official client on a wire of ours. It negotiates the protocol's revision, builds
 * the messages and holds the answers to their shape; everything it would do by itself beside that is off. It is loaded
 * when a session is opened, and not before.
 */

import type { CallToolResult, Client, ListToolsResult } from "@modelcontextprotocol/client";
import type { JsonObject } from "../definition/json.ts";
import type { McpTool } from "../definition/format.ts";
import { type OutgoingRequest, placeCredentials, prepareRequest } from "../definition/request.ts";
import type { Era } from "../inner-tools/inner-tool.ts";
import type { Result } from "../outcome/result.ts";
import type { Credentials, Means } from "./kind.ts";
import { readClientError, type ReadError, readFailedAnswer, redactedRefusal } from "./mcp-error.ts";
import { openWire, type Wire } from "./mcp-wire.ts";

/** A client that is connected, for as long as the work with it takes. */
export interface Session {
  readonly era: Era;
  listTools(cursor: string | undefined): Promise<ListToolsResult>;
  callTool(call: { name: string; args: JsonObject; inputSchema: JsonObject }): Promise<CallToolResult>;
}

/** How work in a session ended: with what it gave, or with why it did not, and whether a call may have reached the server. */
export interface Ended<T> {
  readonly result: Result<T>;
  readonly hasCalled: boolean;
  /** Whether the server answered by an error of the protocol, so that it is known to have refused. */
  readonly byProtocol: boolean;
}

/** What a session is opened with. */
export interface SessionMeans {
  readonly means: Pick<Means, "egress" | "timeLeftMs" | "now" | "fresh">;
  readonly credentials: Credentials;
  /** Which generation the server spoke a short while ago; null where that has to be found out. */
  readonly era: Era | null;
}

/** No schema of a server is compiled: what it lists is checked by our own reader, what it answers is data. */
const NO_VALIDATION = {
  getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined } as never),
};

/** What a server of the present revision said a short while ago, as far as a call needs it. */
const MODERN = {
  kind: "modern",
  discover: {
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
  },
} as const;

/**
 * Runs `work` in a session with the tool's server and ends the session. Nothing is sent before the credentials stand in
 * the headers of the file. What comes back, in refusals too, is free of them but for what a value of an answer escapes.
 */
export async function inSession<T>(
  tool: McpTool,
  { means, credentials, era }: SessionMeans,
  work: (session: Session) => Promise<T>,
): Promise<Ended<T>> {
  const server = addressOf(tool, credentials);
  if (!server.ok) return { result: server, hasCalled: false, byProtocol: false };
  const { outgoing, host } = server.value;
  const wire = openWire({ outgoing, host, means, redact: credentials.redact.text });
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const transport = new StreamableHTTPClientTransport(new URL(outgoing.url), {
    fetch: wire.fetch,
    reconnectionOptions: {
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
  });
  const client = new Client({ name: "framed-tools", version: "1" }, {
    capabilities: {},
    jsonSchemaValidator: NO_VALIDATION,
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false },
  });
  // Whatever goes wrong beside an answer is not our caller's; what goes wrong with one rejects.
  client.onerror = () => {};
  // The wire ends everything in time; the client's own clock would only tell of it in other words.
  const timeout = means.timeLeftMs() + 5_000;
  try {
    const prior = era === null ? {} : { prior: era === "modern" ? MODERN : { kind: "legacy" as const } };
    await client.connect(transport, { timeout, ...prior } as Parameters<Client["connect"]>[1]);
    const value = await work(sessionOf(client, { timeout }));
    return { result: { ok: true, value }, hasCalled: wire.hasCalled(), byProtocol: false };
  } catch (error) {
    return await endedBy(error, { wire, redact: credentials.redact.text });
  } finally {
    await transport.terminateSession().catch(() => {});
    await client.close().catch(() => {});
  }
}

function sessionOf(client: Client, { timeout }: { timeout: number }): Session {
  return {
    era: client.getProtocolEra() === "modern" ? "modern" : "legacy",
    listTools: (cursor) =>
      client.request(
        { method: "tools/list", ...(cursor === undefined ? {} : { params: { cursor } }) },
        { timeout },
      ),
    callTool: ({ name, args, inputSchema }) =>
      client.callTool({ name, arguments: args }, {
        timeout,
        // Without it the client would list the tools by itself, and send a call a second time.
        toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
      }),
  };
}

/** Where the server is, and the headers of every message to it. */
function addressOf(
  { mcp: { url, auth, headers } }: McpTool,
  { values, names }: Credentials,
): Result<{ outgoing: OutgoingRequest; host: string }> {
  const bearer: Record<string, string> = auth === undefined ? {} : { Authorization: "Bearer {{secret}}" };
  const prepared = prepareRequest({
    method: "POST",
    url,
    headers: headers ?? bearer,
    body: {},
    idempotency_header: null,
  }, {});
  if (!prepared.ok) return prepared;
  const outgoing = placeCredentials(prepared.value, values, { secretNames: names });
  return outgoing.ok
    ? { ok: true, value: { outgoing: outgoing.value, host: prepared.value.host } }
    : outgoing;
}

async function endedBy(
  error: unknown,
  { wire, redact }: { wire: Wire; redact: (text: string) => string },
): Promise<Ended<never>> {
  const hasCalled = wire.hasCalled();
  const thrown = wire.thrown();
  if (thrown !== null) throw thrown.error;
  const refused = wire.refused();
  if (refused !== null) return { result: { ok: false, refusal: refused }, hasCalled, byProtocol: false };
  const failed = wire.failed();
  const read = failed !== null
    ? readFailedAnswer(failed)
    : readClientError(error, await import("@modelcontextprotocol/client"));
  // What is broken here stays visible as that, but not at the price of a call whose end nobody would be told.
  if (read === null && !hasCalled) throw error;
  const { refusal, byProtocol } = read ?? UNREADABLE;
  return { result: { ok: false, refusal: redactedRefusal(refusal, redact) }, hasCalled, byProtocol };
}

const UNREADABLE: ReadError = {
  refusal: { reason: "upstream_bad_answer", detail: "Its answer is not what the protocol says." },
  byProtocol: false,
};
