/** The endpoints of the authorization server that a client talks to: register, authorize, token, revoke. */

import { beginAuthorization, registerClient } from "../_shared/flows/authorize.ts";
import { exchangeToken, revokePresented } from "../_shared/flows/exchange-token.ts";
import {
  type App,
  createRoutes,
  occasionOf,
  refusalOfError,
  type RequestContext,
} from "../_shared/http/app.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { readFormBody } from "../_shared/http/form-body.ts";
import type { CallServices } from "../_shared/http/services.ts";
import { registeredClient } from "../_shared/oauth/client.ts";
import { createClientDocuments } from "../_shared/oauth/client-document.ts";
import { fault, type OAuthFault } from "../_shared/oauth/oauth-fault.ts";
import { admitStranger } from "../_shared/oauth/store.ts";
import { type Asked, bucketsOf } from "../_shared/oauth/strangers.ts";
import type { Refusal } from "../_shared/outcome/result.ts";

/** The routes, under any roof: what a client is told always names the issuer's own. */
export function oauthRoutes(services: CallServices): App {
  const app = createRoutes();
  const { db, connect, egress, consoleUrl } = services;
  const findDescribed = createClientDocuments(egress);

  app.post("/register", async (c) => {
    const busy = await refuseBusy(c, services, "register");
    if (busy !== null) return busy;
    const body = await readJsonBody(c.req.raw);
    if (!body.ok) return answerFault(faultOf(body.refusal, "invalid_client_metadata"));
    const client = await registerClient({ db }, body.value);
    return "error" in client
      ? answerFault(client)
      : Response.json(registeredClient(client, services.now()), { status: 201 });
  });

  app.get("/authorize", async (c) => {
    const busy = await refuseBusy(c, services, "authorize");
    if (busy !== null) return busy;
    const begun = await beginAuthorization({ db, connect, findDescribed }, new URL(c.req.url).searchParams);
    switch (begun.goesTo) {
      case "nowhere":
        return answerFault(begun.fault);
      case "client":
        return goTo(begun.location);
      case "consent":
        return goTo(`${consoleUrl}/connect/consent?request=${begun.requestId}`);
      default:
        return begun satisfies never;
    }
  });

  app.post("/token", async (c) => {
    const busy = await refuseBusy(c, services, "token");
    if (busy !== null) return busy;
    const form = await readFormBody(c.req.raw);
    if (!form.ok) return answerFault(faultOf(form.refusal, "invalid_request"));
    const tokens = await exchangeToken({ db, place: connect, form: form.value, occasion: occasionOf(c) });
    return "error" in tokens
      ? answerFault(tokens)
      : Response.json(tokens, { headers: { pragma: "no-cache" } });
  });

  app.post("/revoke", async (c) => {
    const busy = await refuseBusy(c, services, "token");
    if (busy !== null) return busy;
    const form = await readFormBody(c.req.raw);
    if (!form.ok) return answerFault(faultOf(form.refusal, "invalid_request"));
    const wrong = await revokePresented({ db, form: form.value, occasion: occasionOf(c) });
    return wrong === null ? Response.json({}) : answerFault(wrong);
  });

  app.onError((error, c) => {
    const { reason, detail, hint, retryAfterSeconds } = refusalOfError(c, error);
    const isAway = reason === "store_unavailable";
    const told = fault(isAway ? "temporarily_unavailable" : "server_error", [detail, hint].join(" "));
    return answerFault(told, {
      status: isAway ? 503 : 500,
      headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    });
  });
  return app;
}

/** Answers 429 where this address, or everyone together, asks too often. */
async function refuseBusy(c: RequestContext, { db }: CallServices, asked: Asked): Promise<Response | null> {
  const address = c.req.header("x-forwarded-for")?.split(",", 1)[0]?.trim() ?? "";
  const wait = await admitStranger(db, bucketsOf(asked, address));
  if (wait === 0) return null;
  const seconds = Math.max(1, Math.ceil(wait));
  return answerFault(
    fault("temporarily_unavailable", `Too many requests. Try again in ${seconds} s.`),
    { status: 429, headers: { "retry-after": String(seconds) } },
  );
}

/** A fault as OAuth's clients read it. Source: RFC 6749 §5.2. */
function answerFault(
  { error, description }: OAuthFault,
  { status = 400, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json({ error, error_description: description }, { status, headers });
}

function faultOf({ detail, problems }: Refusal, error: OAuthFault["error"]): OAuthFault {
  return fault(error, [detail, ...problems ?? []].join(" "));
}

/** Sends the browser on. The address goes to nobody else: it may hold what the client wants to keep to itself. */
function goTo(location: string): Response {
  return new Response(null, { status: 302, headers: { location, "referrer-policy": "no-referrer" } });
}
