/** What of one request both its check and its filling ask: what its texts refer to, what it sends by default. Pure. */

import { CREDENTIAL_KEYS, type CredentialKey } from "../credentials.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { type Piece, readTemplate } from "../template.ts";
import { argumentsOfQuery } from "./query.ts";
import type { RequestTemplate } from "./request-template.ts";
import { splitUrl } from "./url.ts";

/** The methods that send the arguments used nowhere else when no body is written. */
export const METHODS_WITH_BODY: ReadonlySet<unknown> = new Set(["POST", "PUT", "PATCH"]);
const DEFAULT_IDEMPOTENCY_HEADER = "Idempotency-Key";

/** The credentials that `request` places anywhere. */
export function usedCredentials(request: RequestTemplate): ReadonlySet<CredentialKey> {
  const used = piecesIn(request).map((piece) => piece.kind === "credential" ? piece.key : null);
  return new Set(CREDENTIAL_KEYS.filter((key) => used.includes(key)));
}

/** Which argument fills each query parameter that is filled by one argument and nothing else, by the parameter's name. */
export function argumentsInQuery({ url, query }: RequestTemplate): ReadonlyMap<string, string> {
  return argumentsOfQuery({ inUrl: splitUrl(url)?.query ?? "", query });
}

/** The header that carries the idempotency key of a write, `null` for none. */
export function idempotencyHeaderOf(request: JsonObject | RequestTemplate): string | null {
  const { method, idempotency_header: name } = request;
  if (typeof name === "string" || name === null) return name;
  return method === "POST" || method === "PATCH" ? DEFAULT_IDEMPOTENCY_HEADER : null;
}

/** The arguments that any text of the request names. */
export function usedArguments(request: JsonObject | RequestTemplate): ReadonlySet<string> {
  return new Set(piecesIn(request).flatMap((piece) => piece.kind === "argument" ? [piece.name] : []));
}

/** Whether the request has no body written and sends the arguments used nowhere else as one. */
export function defaultsToArguments({ method, body }: RequestTemplate): boolean {
  return METHODS_WITH_BODY.has(method) && body === undefined;
}

/** The pieces of every text of the request, but for braces that are wrong. */
function piecesIn({ url, headers, query, body }: JsonObject | RequestTemplate): Piece[] {
  return textsIn([url, headers, query, body] as JsonValue[]).flatMap((text) => readTemplate(text).pieces);
}

function textsIn(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
