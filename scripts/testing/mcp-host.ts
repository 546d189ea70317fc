/** Programs that speak MCP to Connect, as a person's own AI does: the official client of either era, and bare messages. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JsonObject, JsonValue } from "../../supabase/functions/_shared/definition/json.ts";

/** The revisions: the newest, and the last with a handshake. */
export const ERAS = ["2026-07-28", "2025-11-25"] as const;
export type Era = (typeof ERAS)[number];

/** Where Connect is served, over a real socket. */
export interface ServedConnect {
  readonly url: URL;
  close(): Promise<void>;
}

/** Serves what `fetch` answers on loopback; Connect is under `path`. */
export function serveOnLoopback(
  fetch: (request: Request) => Promise<Response>,
  path = "/api/connect/mcp",
): ServedConnect {
  const stop = new AbortController();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, signal: stop.signal, onListen() {} }, fetch);
  return {
    url: new URL(path, `http://127.0.0.1:${server.addr.port}`),
    async close() {
      stop.abort();
      await server.finished;
    },
  };
}

/** What a host tool answered, as a client has it. */
export interface HostAnswer {
  readonly isError: boolean;
  readonly body: JsonObject;
  readonly text: string;
}

/** The official client, signed in by `headers`. */
export interface Host {
  readonly client: Client;
  call(name: string, args?: JsonObject, options?: Parameters<Client["callTool"]>[1]): Promise<HostAnswer>;
  close(): Promise<void>;
}

export async function openHost(
  url: URL,
  { era, headers }: { era: Era; headers: Record<string, string> },
): Promise<Host> {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy" as const;
  const client = new Client({ name: "test-host", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return {
    client,
    async call(name, args = {}, options) {
      const answered = await client.callTool({ name, arguments: args }, options);
      const [content] = answered.content;
      return {
        isError: answered.isError === true,
        body: answered.structuredContent as JsonObject,
        text: content?.type === "text" ? content.text : "",
      };
    },
    close: () => client.close(),
  };
}

/** A message of either era as its bytes go out, for what no client sends. */
export function messageOf(
  { era, method, params = {}, id = 1 }: { era: Era; method: string; params?: JsonObject; id?: JsonValue },
): { headers: Record<string, string>; body: string } {
  const _meta = {
    ...params._meta as JsonObject,
    "io.modelcontextprotocol/protocolVersion": era,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const isModern = era === "2026-07-28";
  return {
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": era,
      ...(isModern ? { "mcp-method": method } : {}),
      ...(isModern && typeof params.name === "string" ? { "mcp-name": params.name } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: isModern ? { ...params, _meta } : params }),
  };
}
