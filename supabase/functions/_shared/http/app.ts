/**
 * The HTTP app every function is: request id, problem answers, CORS for the console's origins, 404 and 405 in words.
 * Routes are the functions' own.
 */

import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { SignInUnavailable } from "../auth/session.ts";
import { isStoreUnavailable } from "../db/client.ts";
import { causeOf, stackOf } from "../outcome/cause.ts";
import type { Reason } from "../outcome/reason.ts";
import { type Refusal, refuse, type Result } from "../outcome/result.ts";
import type { Occasion } from "../flows/occasion.ts";
import { problemResponse } from "./problem.ts";
import type { Services } from "./services.ts";

export interface AppEnv {
  Variables: { requestId: string; startedAt: number; refused?: Reason };
}
export type App = Hono<AppEnv>;
export type RequestContext = Context<AppEnv>;

/** The request a change belongs to, for its log row. */
export function occasionOf(c: RequestContext): Occasion {
  const startedAt = c.get("startedAt");
  return { requestId: c.get("requestId"), elapsedMs: () => Math.round(performance.now() - startedAt) };
}

/** What a function adds to an app: its routes, relative to the roof they stand under. */
export type Routes = (services: Services) => App;

/** An empty set of routes. */
export function createRoutes(): App {
  return new Hono<AppEnv>();
}

/** How an app differs from others. */
export interface AppOptions {
  /** Whether pages of any origin may ask for a path: what a program in a browser needs to sign in. No path with a session. */
  readonly isOpen?: (path: string) => boolean;
}

/** What pages of any origin may send and see. There are no cookies, so that they ask as nobody but themselves. */
const OPEN_CORS = {
  allowMethods: ["GET", "POST"],
  allowHeaders: ["authorization", "content-type", "x-framed-api-key", "mcp-protocol-version"],
  exposeHeaders: ["x-request-id", "retry-after", "www-authenticate"],
  maxAge: 600,
};

/**
 * An app that serves `routes` under `/<name>`, as a path looks to an edge function.
 *
 * Every answer carries `X-Request-Id`, and `Cache-Control: no-store`. Anything thrown becomes `internal`, or
 * `store_unavailable` where the database or sign-in is away; the cause goes to the log under the request id.
 */
export function createHttpApp(
  name: string,
  services: Services,
  routes: readonly Routes[],
  { isOpen = () => false }: AppOptions = {},
): App {
  const app = new Hono<AppEnv>();
  app.use("*", async function requestId(c, next) {
    c.set("requestId", `req_${crypto.randomUUID().replaceAll("-", "")}`);
    c.set("startedAt", performance.now());
    await next();
    // On the answer itself: c.header() would make a new one for each header.
    const { headers } = c.res;
    if (c.req.method === "HEAD") await tellLength(c.res);
    headers.set("x-request-id", c.get("requestId"));
    headers.set("cache-control", "no-store");
    headers.set("x-content-type-options", "nosniff");
  });
  const { telemetry } = services;
  if (telemetry !== null) {
    app.use("*", function traceRequest(c, next) {
      const { method } = c.req;
      return telemetry.traceRequest(
        { method, traceparent: c.req.header("traceparent") ?? null },
        async () => {
          await next();
          return {
            requestId: c.get("requestId"),
            // What answers GET answers HEAD.
            route: findRoute(app, method === "HEAD" ? "GET" : method, c.req.path)?.slice(`/${name}`.length) ??
              null,
            status: c.res.status,
            outcome: c.get("refused") ?? "ok",
          };
        },
      );
    });
  }
  const toConsole = cors({
    origin: (origin) => services.consoleOrigins.includes(origin) ? origin : null,
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: ["authorization", "content-type", "x-framed-api-key", "apikey", "x-client-info"],
    exposeHeaders: ["x-request-id", "retry-after"],
    maxAge: 600,
  });
  const toAnyone = cors({ ...OPEN_CORS, origin: "*" });
  app.use("*", (c, next) => isOpen(c.req.path) ? toAnyone(c, next) : toConsole(c, next));
  app.use("*", async function refuseNul(c, next) {
    // No text in the store can hold it, so nothing by such a name exists, and asking would only break the query.
    if (/%00/i.test(c.req.url)) return answerRefusal(c, NUL_IN_ADDRESS);
    await next();
  });
  for (const route of routes) app.route(`/${name}`, route(services));
  app.notFound((c) => {
    const allowed = METHODS.filter((method) => findRoute(app, method, c.req.path) !== null);
    return allowed.length === 0 ? answerRefusal(c, NO_SUCH_PATH) : answerRefusal(
      c,
      refuse("method_not_allowed", {
        detail: `This path takes ${allowed.join(", ")}; the request was ${c.req.method}.`,
      }).refusal,
      { allow: allowed.join(", ") },
    );
  });
  app.onError((error, c) => answerRefusal(c, refusalOfError(c, error)));
  return app;
}

/** What is said of an error that nobody expected. Its cause goes to our log, under the id of the request. */
export function refusalOfError(c: RequestContext, error: unknown): Refusal {
  const about = { level: "error", request_id: c.get("requestId") };
  if (isStoreUnavailable(error) || error instanceof SignInUnavailable) {
    console.error(JSON.stringify({ ...about, event: "store_unavailable", cause: causeOf(error) }));
    return {
      reason: "store_unavailable",
      ...(error instanceof SignInUnavailable ? SIGN_IN_AWAY : storeAway(c.req.method)),
      retryAfterSeconds: 2,
    };
  }
  console.error(
    JSON.stringify({ ...about, event: "internal", cause: causeOf(error), stack: stackOf(error) }),
  );
  return { reason: "internal", detail: "The cause is in our log under the request id." };
}

/** A body as this request's answer, with the request's id in it. */
export function answerJson(c: RequestContext, body: object, status = 200): Response {
  return Response.json({ ...body, request_id: c.get("requestId") }, { status });
}

/** A result as this request's answer: its value through `answer`, or its refusal. */
export function answerResult<T>(
  c: RequestContext,
  result: Result<T>,
  answer: (value: T) => Response,
): Response {
  return result.ok ? answer(result.value) : answerRefusal(c, result.refusal);
}

/** The refusal as this request's answer. */
export function answerRefusal(
  c: RequestContext,
  refusal: Refusal,
  headers: Record<string, string> = {},
): Response {
  c.set("refused", refusal.reason);
  return problemResponse(refusal, c.get("requestId"), headers);
}

/** Says how long the body is that goes to nobody; without it the server would say 0. An export is not read for that. */
async function tellLength(answer: Response): Promise<void> {
  if (!/\bjson$/.test(answer.headers.get("content-type") ?? "")) return;
  const body = await answer.clone().arrayBuffer();
  answer.headers.set("content-length", String(body.byteLength));
}

const SIGN_IN_AWAY = {
  detail: "Sign-in could not be asked just now, so nothing was done.",
  hint: "Try again in a moment.",
};

/** What is known where the store went away, perhaps between doing a thing and saying so: whether to ask again is safe. */
function storeAway(method: string): { detail: string; hint: string } {
  const detail = "The store could not be asked just now, or could not say how it ended.";
  switch (method) {
    case "GET":
    case "HEAD":
      return { detail, hint: "Try again in a moment: this only reads." };
    case "PUT":
    case "PATCH":
    case "DELETE":
      return { detail, hint: "Try again in a moment: done twice, this comes to the same as done once." };
    default:
      return {
        detail,
        hint:
          "A read and a definition are safe to send again in a moment. Look first whether anything else was done.",
      };
  }
}

const NO_SUCH_PATH: Refusal = { reason: "not_found", detail: "No such path." };
const NUL_IN_ADDRESS: Refusal = { reason: "bad_request", detail: "The address holds a NUL character." };
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The path a request's route is registered under; null where none takes it. */
function findRoute(app: App, method: string, path: string): string | null {
  const [handlers] = app.router.match(method, path);
  // Middleware matches every path; a route is a handler registered for this very method.
  return handlers.find(([[, route]]) => route.method === method)?.[0][1].path ?? null;
}
