/** The two servers that the suite is run against, on loopback: the endpoint with the suite's fixtures, and Connect itself. */

import { ownPlaces, refuseForeign } from "../../supabase/functions/_shared/connect/caller-place.ts";
import { createEndpoint } from "../../supabase/functions/_shared/connect/endpoint.ts";
import { forbid, refuseMessage } from "../../supabase/functions/_shared/connect/protocol-error.ts";
import { readJson } from "../../supabase/functions/_shared/http/body.ts";
import { buildFixtureServer } from "./fixture-server.ts";

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** The endpoint as it serves Connect, over the suite's fixtures and without keys: the suite presents none. */
export function serveFixtures(): Served {
  const endpoint = createEndpoint({ build: buildFixtureServer, streams: () => true });
  return serve(async (request, origin) => {
    const foreign = refuseForeign(request, ownPlaces({ urls: [origin], consoleOrigins: [] }));
    if (foreign !== null) return forbid(foreign);
    if (request.method !== "POST") return await endpoint.answer(request, undefined);
    const body = await readJson(request);
    return body.ok ? await endpoint.answer(request, body.value.value) : refuseMessage(body.refusal);
  });
}

/** Connect, with `key` on every request. */
export function serveConnectTo(
  fetch: (request: Request) => Promise<Response>,
  { path, key }: { path: string; key: string },
): Served {
  return serve((request) => {
    const headers = new Headers(request.headers);
    headers.set("x-framed-api-key", key);
    return fetch(
      new Request(new URL(path, request.url), { method: request.method, headers, body: request.body }),
    );
  });
}

/** Answers on loopback until it is closed. */
export function serve(answer: (request: Request, origin: string) => Promise<Response>): Served {
  const stop = new AbortController();
  const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, signal: stop.signal },
    (request) => answer(request, origin),
  );
  const origin: string = `http://127.0.0.1:${server.addr.port}`;
  return {
    url: `${origin}/mcp`,
    async close() {
      stop.abort();
      await server.finished;
    },
  };
}
