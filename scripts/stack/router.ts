/**
 * Which part of the stack answers a path: `/api`, `/functions/v1/<name>`, `/auth/v1`, Connect's metadata at the root, and
 * the console there. Does no work of its own.
 */

import { problemResponse } from "../../supabase/functions/_shared/http/problem.ts";
import type { Refusal } from "../../supabase/functions/_shared/outcome/result.ts";
import type { ConsoleHandler } from "../console/serve.ts";
import type { FunctionHandler } from "./functions.ts";

export interface Parts {
  readonly functions: ReadonlyMap<string, FunctionHandler>;
  readonly signIn: FunctionHandler;
  readonly console?: ConsoleHandler;
}

const FUNCTIONS_ROOT = "/functions/v1/";
const OF_CONNECT =
  /^\/\.well-known\/(?:oauth-protected-resource|oauth-authorization-server|openid-configuration)(?:\/|$)/;

/** Answers everything until the stack is ready. */
export function answerStarting(): Response {
  return problem({
    reason: "store_unavailable",
    detail: "The stack is starting. Try again in a moment.",
    retryAfterSeconds: 1,
  });
}

/** The handler of the whole stack. */
export function createRouter(
  { functions, signIn, console: answerConsole = () => null }: Parts,
): (request: Request) => Response | Promise<Response> {
  return function route(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/auth/v1" || pathname.startsWith("/auth/v1/")) return signIn(request);
    const [name, path] = target(pathname);
    const handler = name === null ? undefined : functions.get(name);
    if (handler !== undefined) return handler(asDelivered(request, path));
    const page = name === null ? answerConsole(request) : null;
    if (page !== null) return page;
    return problem({
      reason: "not_found",
      detail: name === null ? "No such path." : `There is no function ${JSON.stringify(name)}.`,
      hint: `Paths are /api/…, ${FUNCTIONS_ROOT}<name>/… and /auth/v1/…; functions are ${
        [...functions.keys()].join(", ")
      }.`,
    });
  };
}

/** The function a path is for, and the path it sees, which begins with its name. */
function target(pathname: string): [name: string | null, path: string] {
  if (pathname === "/api" || pathname.startsWith("/api/")) return ["api", pathname];
  // The root is ours here, so that what clients look for there is Connect's.
  if (OF_CONNECT.test(pathname)) return ["connect", `/connect${pathname}`];
  if (!pathname.startsWith(FUNCTIONS_ROOT)) return [null, pathname];
  const path = pathname.slice(FUNCTIONS_ROOT.length - 1);
  return [path.split("/")[1]!, path];
}

/** As the platform hands a request on: the path from the function's name, the client's address in its header, its end. */
function asDelivered(request: Request, path: string): Request {
  const url = new URL(request.url);
  url.pathname = path;
  const headers = new Headers(request.headers);
  headers.set("x-forwarded-for", "127.0.0.1");
  const delivered = new Request(url, { method: request.method, headers, body: request.body });
  // That the client is gone, for who asks: Deno warns of a signal that is looked at, as a copy of the whole would do.
  Object.defineProperty(delivered, "signal", { get: () => request.signal });
  return delivered;
}

function problem(refusal: Refusal): Response {
  return problemResponse(refusal, `req_${crypto.randomUUID().replaceAll("-", "")}`);
}
