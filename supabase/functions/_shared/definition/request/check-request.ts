/** Every problem of one request of a file. Pure. */

import { isJsonObject, type JsonObject } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { checkBody } from "./body.ts";
import { checkContentType } from "./content-type.ts";
import { checkHeaders, checkIdempotencyHeader } from "./headers.ts";
import { overridesMethod } from "./names.ts";
import { checkQuery } from "./query.ts";
import { idempotencyHeaderOf, METHODS_WITH_BODY, usedArguments } from "./request-parts.ts";
import type { RequestContext } from "./request-template.ts";
import { checkUrl, splitUrl } from "./url.ts";

/**
 * Every problem of one request: its address, headers, query and body by themselves, and what they refer to. Passes
 * over what does not have the shape of a request template, which the format tells.
 */
export function checkRequest(
  request: unknown,
  { path, context }: { path: Path; context: RequestContext },
): Problem[] {
  if (!isJsonObject(request)) return [];
  const { method, url, headers, query, body } = request;
  const format = request.body_format === "form" ? "form" : "json";
  const at = (key: string): Path => [...path, key];
  const parts = typeof url === "string" ? splitUrl(url) : null;
  return [
    ...(typeof url === "string" ? checkUrl(url, { path: at("url"), context }) : []),
    ...checkHeaders(headers, { path: at("headers"), context }),
    ...(sendsBody(request) ? checkContentType(headers, { format, path: at("headers") }) : []),
    ...checkQuery({ inUrl: parts?.query ?? "", from: parts?.queryAt ?? 0, query }, { path, context }),
    ...(body === undefined
      ? checkDefaultBody(request, { path: at("body"), context })
      : checkBody(body, { path: at("body"), context, format })),
    ...checkBodyPlace(method, { path: at("body"), body }),
    ...checkIdempotencyHeader(idempotencyHeaderOf(request), { path: at("idempotency_header"), headers }),
  ];
}

function sendsBody({ method, body }: JsonObject): boolean {
  return METHODS_WITH_BODY.has(method) || (body !== undefined && method === "DELETE");
}

function checkBodyPlace(method: unknown, { path, body }: { path: Path; body: unknown }): Problem[] {
  if (body === undefined || (method !== "GET" && method !== "HEAD")) return [];
  return [{ path, says: `${method} sends no body; leave it out, or write POST` }];
}

/** An argument that only the body carries becomes one of its keys, and a key may say another method. */
function checkDefaultBody(
  request: JsonObject,
  { path, context }: { path: Path; context: RequestContext },
): Problem[] {
  if (!METHODS_WITH_BODY.has(request.method)) return [];
  const elsewhere = usedArguments(request);
  return [...context.names].filter((name) => overridesMethod(name) && !elsewhere.has(name)).map((name) => ({
    path,
    says: `would send the argument ${name}, which makes another method of the call; rename the argument`,
  }));
}
