/** Connect over a socket for a test's workspace, with the steps that a client, a browser and a person take. */

import { createHash } from "node:crypto";
import { createApp as createApi } from "../../supabase/functions/api/app.ts";
import { createApp as createConnect } from "../../supabase/functions/connect/app.ts";
import { createApp as createWorkspace } from "../../supabase/functions/workspace/app.ts";
import { createEgress, type Egress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { type CallServices, createServices } from "../../supabase/functions/_shared/http/services.ts";
import { createRouter } from "../stack/router.ts";
import { NO_LIMITS } from "./limits.ts";
import { CRON_SECRET, type TestWorkspace } from "./workspace.ts";

/** Where the console is said to be: no page stands there. */
export const CONSOLE = "https://console.example";

export interface TestConnect {
  /** Where all of it is served. */
  readonly origin: string;
  readonly issuer: string;
  readonly services: CallServices;
  close(): Promise<void>;
}

/**
 * Serves Connect with the functions around it, as the local stack does; without `rootIsOurs` under `/functions/v1`
 * alone, as a project of Supabase does. Sessions are not signed: `session.<person's id>`.
 */
export async function openTestConnect(
  { database }: Pick<TestWorkspace, "database">,
  { rootIsOurs = true, egress = createEgress() }: { rootIsOurs?: boolean; egress?: Egress } = {},
): Promise<TestConnect> {
  let route: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    return rootIsOurs || pathname.startsWith("/functions/v1/") ? route(request) : NOTHING_HERE.clone();
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const issuer = `${origin}/functions/v1/connect`;
  const opened = await createServices({
    databaseUrl: database.url,
    databaseConnections: 10,
    supabaseUrl: origin,
    publishableKey: "unused",
    consoleUrl: CONSOLE,
    consoleOrigins: [CONSOLE],
    connect: { issuer, roofs: { connect: issuer, api: `${origin}/api/connect` } },
    limits: NO_LIMITS,
  });
  const services: CallServices = {
    ...opened,
    egress,
    verifySession: (token) =>
      Promise.resolve(token.startsWith("session.") ? token.slice("session.".length) : null),
  };
  const apps = {
    api: createApi({ ...services, cronSecret: CRON_SECRET, takesNow: true }),
    connect: createConnect(services),
    workspace: createWorkspace(services),
  };
  route = createRouter({
    functions: new Map(
      Object.entries(apps).map((
        [name, app],
      ) => [name, (request: Request) => app.fetch(fromElsewhere(request))]),
    ),
    signIn: () => NOTHING_HERE.clone(),
  });
  return {
    origin,
    issuer,
    services,
    async close() {
      await server.shutdown();
      await opened.close();
      await egress.close();
    },
  };
}

/** As if each request came from an address of its own, or the one in its `x-test-address`: no test uses up another's limits. */
function fromElsewhere(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("x-forwarded-for", headers.get("x-test-address") ?? crypto.randomUUID());
  return new Request(request.url, { method: request.method, headers, body: request.body });
}

const NOTHING_HERE = new Response("Nothing here", { status: 404 });

/** A verifier and the challenge of it. */
export function makePkce(): { verifier: string; challenge: string } {
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Registers a client; its id. */
export async function register(
  { issuer }: TestConnect,
  metadata: Record<string, unknown> = { redirect_uris: [REDIRECT], client_name: "A host" },
): Promise<string> {
  const response = await fetch(`${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(metadata),
  });
  const body = await response.json();
  if (response.status !== 201) throw new Error(JSON.stringify(body));
  return body.client_id;
}

/** Where a client of these tests is sent to. */
export const REDIRECT = "https://host.example/callback";

/** What a client asks with, as far as it is not as usual. */
export interface Asked {
  readonly client_id: string;
  readonly redirect_uri?: string;
  readonly code_challenge: string;
  readonly [parameter: string]: string | undefined;
}

/** The address a browser is sent to begin with. */
export function authorizeUrl({ issuer }: TestConnect, asked: Asked): string {
  const usual = {
    response_type: "code",
    redirect_uri: REDIRECT,
    code_challenge_method: "S256",
    state: "the state",
    resource: `${issuer}/mcp`,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...usual, ...asked })) {
    if (value !== undefined) query.set(name, value);
  }
  return `${issuer}/authorize?${query}`;
}

/** Where a browser is sent on to; the body where it is not. */
export async function follow(url: string | URL): Promise<URL | { status: number; body: unknown }> {
  const response = await fetch(url, { redirect: "manual" });
  const location = response.headers.get("location");
  if (location !== null) {
    await response.body?.cancel();
    return new URL(location);
  }
  return { status: response.status, body: await response.json() };
}

/** The id of the request for consent that an authorization leads to. */
export async function begin(url: string | URL): Promise<string> {
  const followed = await follow(url);
  if (!(followed instanceof URL) || !followed.href.startsWith(`${CONSOLE}/connect/consent?request=`)) {
    throw new Error(followed instanceof URL ? followed.href : JSON.stringify(followed));
  }
  return followed.searchParams.get("request")!;
}

/** Asks what is consented to, or with `decision` decides it, as the person. */
export async function consent(
  { issuer }: TestConnect,
  { requestId, as, decision }: { requestId: string; as: string | null; decision?: unknown },
) {
  const response = await fetch(`${issuer}/consent/${requestId}`, {
    method: decision === undefined ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      ...(as === null ? {} : { authorization: `Bearer session.${as}` }),
    },
    ...(decision === undefined ? {} : { body: JSON.stringify(decision) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Posts a form to an endpoint. */
export async function post(
  { issuer }: TestConnect,
  endpoint: "token" | "revoke",
  form: Record<string, string>,
) {
  const response = await fetch(`${issuer}/${endpoint}`, { method: "POST", body: new URLSearchParams(form) });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A code as a client gets it, from the person's consent, with all it is redeemed with. */
export async function obtainCode(
  connect: TestConnect,
  { as, workspaceId, clientId }: { as: string; workspaceId: string; clientId?: string },
): Promise<Record<"grant_type" | "code" | "client_id" | "redirect_uri" | "code_verifier", string>> {
  const client_id = clientId ?? await register(connect);
  const { verifier, challenge } = makePkce();
  const requestId = await begin(authorizeUrl(connect, { client_id, code_challenge: challenge }));
  const { body } = await consent(connect, {
    requestId,
    as,
    decision: { decision: "allow", workspace_id: workspaceId },
  });
  const code = new URL(body.redirect_to).searchParams.get("code")!;
  return {
    grant_type: "authorization_code",
    code,
    client_id,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  };
}

/** Tokens as a client gets them in the end, with its id. */
export async function obtainTokens(
  connect: TestConnect,
  options: { as: string; workspaceId: string; clientId?: string },
): Promise<{ client_id: string; access_token: string; refresh_token: string }> {
  const form = await obtainCode(connect, options);
  const { status, body } = await post(connect, "token", form);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { client_id: form.client_id, ...body };
}
