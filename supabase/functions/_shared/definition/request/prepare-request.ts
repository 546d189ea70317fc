/** One request of a file, filled with the arguments of a call. Pure. */

import { judgeUrl } from "../../egress/url.ts";
import { ok, refuse, type Result } from "../../outcome/result.ts";
import type { JsonObject } from "../json.ts";
import { formatProblems, type Problem } from "../problem.ts";
import { defaultBody, fillBody } from "./body.ts";
import { ARGUMENTS, type Filling, fillingOf } from "./filling.ts";
import { fillHeaders } from "./headers.ts";
import { type HoledText, withStandIns } from "./holes.ts";
import { hostOf } from "./host.ts";
import { fillQuery } from "./query.ts";
import { idempotencyHeaderOf, METHODS_WITH_BODY, usedArguments } from "./request-parts.ts";
import type { PreparedRequest, RequestTemplate } from "./request-template.ts";
import { lengthIn, overfull, type Part, type Room, tooLong } from "./room.ts";
import { fillAddress, splitUrl } from "./url.ts";

/**
 * The request that `args` make of the template, with credentials still to be placed. Filling happens once. Refuses
 * `bad_arguments` with a line for each argument that does not fit its place, `host_refused` when an argument leads to
 * another owner's host, `address_refused` when the address is not one that may be called. Takes a template that
 * passed `checkRequest` and arguments that obey the file's schema.
 */
export function prepareRequest(request: RequestTemplate, args: JsonObject): Result<PreparedRequest> {
  const filled = fillRequest(request, args);
  if (filled.problems.length > 0) {
    return refuse("bad_arguments", {
      detail: "The arguments do not fit the request.",
      problems: formatProblems(filled.problems, "args"),
    });
  }
  return finish(request, filled);
}

/**
 * What of the given `args` fits no call of `request`, each below `args`: what `prepareRequest` refuses, but for what is
 * absent. For examples, which may be a part of a call. What is filled is taken from `budget`; when it is used up nothing
 * is filled and found any more.
 */
export function findMisfits(
  request: RequestTemplate,
  { args, budget }: { args: JsonObject; budget: FillBudget },
): Problem[] {
  if (budget.left <= 0) return [];
  const filled = fillRequest(request, args);
  budget.left -= lengthIn(filled.room);
  if (filled.problems.length > 0) {
    return filled.problems.filter(({ path: [, name] }) => name === undefined || Object.hasOwn(args, name));
  }
  const finished = finish(request, filled);
  if (finished.ok) return [];
  return [{ path: ARGUMENTS, says: `the call is refused: ${finished.refusal.detail}` }];
}

/** Characters that may still be filled, in all requests it is used for. */
export interface FillBudget {
  left: number;
}

/** The parts of `request` that are too long by what the file itself writes there, in words. */
export function findOverlong(request: RequestTemplate): { part: Part; says: string }[] {
  return overfull(fillRequest(request, {}).room).map((part) => ({
    part,
    says: `makes ${tooLong(part)} with no argument in it; no call could be sent, a shorter one is wanted`,
  }));
}

interface FilledRequest extends Pick<PreparedRequest, "headers" | "body"> {
  readonly problems: readonly Problem[];
  readonly room: Room;
  /** `null` where an argument leads to another owner's host. */
  readonly address: HoledText | null;
  readonly query: HoledText | null;
}

function fillRequest(request: RequestTemplate, args: JsonObject): FilledRequest {
  const parts = splitUrl(request.url);
  if (parts === null) throw new TypeError("A request is filled that did not pass the check");
  const filling = fillingOf(args);
  return {
    problems: filling.problems,
    room: filling.room,
    address: fillAddress(parts, filling),
    query: fillQuery({ inUrl: parts.query, query: request.query }, filling),
    headers: fillHeaders(request.headers ?? {}, filling),
    body: prepareBody(request, filling),
  };
}

function finish(
  request: RequestTemplate,
  { address, query, headers, body }: FilledRequest,
): Result<PreparedRequest> {
  if (address === null) {
    return refuse("host_refused", { detail: "An argument leads to a host that is not the tool's own." });
  }
  const url = query === null ? address : [...address, "?", ...query];
  const verdict = judgeUrl(withStandIns(url));
  if (!verdict.ok) {
    return refuse("address_refused", { detail: `The filled address is refused: ${verdict.why}.` });
  }
  const hasType = headers.some(([name]) => name.toLowerCase() === "content-type");
  return ok({
    method: request.method,
    host: hostOf(verdict.url.href),
    url,
    headers: body === null || hasType ? headers : [...headers, ["Content-Type", [contentType(request)]]],
    body,
    idempotencyHeader: idempotencyHeaderOf(request),
  });
}

function prepareBody(request: RequestTemplate, filling: Filling): HoledText | null {
  const format = request.body_format ?? "json";
  if (request.body !== undefined) return fillBody(request.body, { format, filling });
  if (!METHODS_WITH_BODY.has(request.method)) return null;
  const elsewhere = usedArguments(request);
  const rest = Object.entries(filling.args).filter(([name]) => !elsewhere.has(name));
  return defaultBody(Object.fromEntries(rest), { format, filling });
}

function contentType({ body_format }: RequestTemplate): string {
  return body_format === "form" ? "application/x-www-form-urlencoded" : "application/json";
}
