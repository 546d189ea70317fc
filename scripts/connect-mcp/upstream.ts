/** Connect, as the host's side asks it: which tools there are, and calls of them. */

import {
  type CallToolResult,
  Client,
  type Implementation,
  type ListToolsResult,
  type Progress,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { VERSION } from "../runner/version.ts";
import type { Fetch } from "./authorization-server.ts";
import { Failure, failureIn } from "./failure.ts";

/** What goes along with a request of the host. */
export interface Passing {
  /** What the host says beside it, as far as it is not about its own connection. */
  readonly meta: Record<string, unknown>;
  readonly signal: AbortSignal;
  /** Null where the host did not ask to hear of it. */
  readonly onProgress: ((progress: Progress) => void) | null;
}

export interface Upstream {
  /** What Connect says of itself. */
  readonly info: Implementation;
  readonly instructions: string | undefined;
  listTools(params: { cursor?: string }, passing: Passing): Promise<ListToolsResult>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    passing: Passing,
  ): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** The fetch below ends everything in its own time and in words. */
const TIMEOUT_MS = 3_600_000;

/** Nothing of an answer is judged here: that is for the host. */
const NO_VALIDATION = {
  getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined } as never),
};

/** Connects, in the newest revision of the protocol that Connect speaks. Fails in words. */
export async function connectUpstream(serverUrl: string, fetch: Fetch): Promise<Upstream> {
  const transport = new StreamableHTTPClientTransport(new URL(serverUrl), {
    fetch,
    reconnectionOptions: {
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
  });
  const client = new Client({ name: "connect-mcp", title: "Framed connect-mcp", version: VERSION }, {
    capabilities: {},
    jsonSchemaValidator: NO_VALIDATION,
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false },
  });
  // What goes wrong with a request rejects it; there is nothing else to hear of.
  client.onerror = () => {};
  try {
    await client.connect(transport, { timeout: TIMEOUT_MS });
  } catch (error) {
    throw failureIn(error) ??
      new Failure(`${serverUrl} does not speak MCP as Connect does. Check FRAMED_API_BASE.`);
  }
  const options = ({ signal, onProgress }: Passing) => ({
    signal,
    timeout: TIMEOUT_MS,
    ...(onProgress === null ? {} : { onprogress: onProgress }),
  });
  return {
    info: client.getServerVersion() ?? { name: "framed-connect", version: VERSION },
    instructions: client.getInstructions(),
    listTools: (params, passing) =>
      client.request({ method: "tools/list", params: { ...params, ...metaOf(passing) } }, options(passing)),
    callTool: ({ name, ...params }, passing) =>
      client.callTool({ name, ...params, ...metaOf(passing) }, {
        ...options(passing),
        // Without it the client would list the tools by itself, and send a call a second time.
        toolDefinition: { name, inputSchema: { type: "object" } },
      }),
    close: () => client.close(),
  };
}

function metaOf({ meta }: Passing): { _meta?: Record<string, unknown> } {
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}
