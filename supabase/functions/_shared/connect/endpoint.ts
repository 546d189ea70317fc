/**
 * One address that speaks MCP to programs of both eras, the 2026-07-28 revision and those of 2025, with no session: each
 * request is answered by a server of its own. What the servers offer is not its business.
 */

import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** Makes the server that answers one request. */
export type BuildServer = (request: Request) => Server | McpServer;

export interface Endpoint {
  /** Answers a request whose body was read already. */
  answer(request: Request, body: unknown): Promise<Response>;
}

/**
 * Serves what `build` makes. `streams` says for which bodies a program of 2025 gets a stream, so that it hears something
 * before the answer; it costs more, and nothing can be taken back once it has begun. Others get one answer. A program of
 * 2026 gets a stream as soon as there is something to say.
 */
export function createEndpoint(
  { build, streams }: { build: BuildServer; streams: (body: unknown) => boolean },
): Endpoint {
  const handler = createMcpHandler(({ requestInfo }) => build(requestInfo!));
  return {
    async answer(request, body) {
      const isAtOnce = request.method === "POST" && !streams(body) && await isLegacyRequest(request, body);
      // A signal that has aborted tells nobody who asks it later.
      if (request.signal.aborted) return nobodyThere();
      return isAtOnce
        ? await answerAtOnce(build(request), { request, body })
        : await handler.fetch(request, { parsedBody: body });
    },
  };
}

async function answerAtOnce(
  server: Server | McpServer,
  { request, body }: { request: Request; body: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  // Whoever is gone hears no answer: what is under way for them is told so, and nobody waits for it here.
  const { signal } = request;
  const gone = Promise.withResolvers<Response>();
  const leave = () => {
    server.close();
    gone.resolve(nobodyThere());
  };
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([transport.handleRequest(request, { parsedBody: body }), gone.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
    server.close();
  }
}

/** For the log: who would have read it is gone. */
function nobodyThere(): Response {
  return new Response(null, { status: 499 });
}
