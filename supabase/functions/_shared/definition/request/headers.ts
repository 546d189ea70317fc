/** The headers of a request: checked, and filled. Pure. */

import { isJsonObject } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { checkTemplate, piecesOf, readTemplate } from "../template.ts";
import { carriesSchemeValue, isBrokenBasic, isCredentialValue } from "./credential-value.ts";
import { type Filling, fillPieces, note, put } from "./filling.ts";
import { type HoledText, isHeaderText } from "./holes.ts";
import { isCredentialHeader, refuseHeaderName } from "./names.ts";
import type { RequestContext, RequestTemplate } from "./request-template.ts";

const SAYS_IN_HEADER = "only printable ASCII can stand in a header: no line break, no letter outside ASCII";

/** What is wrong with `headers`. A value that is no text is passed over: the format tells. */
export function checkHeaders(
  headers: unknown,
  { path, context }: { path: Path; context: RequestContext },
): Problem[] {
  if (!isJsonObject(headers)) return [];
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const says: string[] = [];
    const refused = refuseHeaderName(name);
    if (refused !== null) says.push(refused);
    if (seen.has(name.toLowerCase())) says.push("is given twice, in another case; keep one of them");
    seen.add(name.toLowerCase());
    if (typeof value === "string") says.push(...checkValue(value, { name, context }));
    return says.map((says) => ({ path: [...path, name], says }));
  });
}

/** What is wrong with `idempotency_header` beside `headers`. */
export function checkIdempotencyHeader(
  name: unknown,
  { path, headers }: { path: Path; headers: unknown },
): Problem[] {
  if (typeof name !== "string") return [];
  const refused = refuseHeaderName(name) ??
    (isCredentialHeader(name) || /^(?:content-type|accept)$/i.test(name)
      ? "is a header with a meaning of its own"
      : null);
  if (refused !== null) {
    return [{ path, says: `${refused}; a name such as Idempotency-Key is wanted, or null for none` }];
  }
  const taken = isJsonObject(headers) &&
    Object.keys(headers).some((key) => key.toLowerCase() === name.toLowerCase());
  if (!taken) return [];
  return [{
    path,
    says: "is also one of headers, but Framed sets it; leave one of the two out, or write null here",
  }];
}

/** The filled headers in the file's order. A header whose argument is absent is left out. */
export function fillHeaders(
  headers: NonNullable<RequestTemplate["headers"]>,
  filling: Filling,
): [name: string, value: HoledText][] {
  const judged = new Set<string>();
  const judge = (text: string, path: Path) => {
    // One argument may stand in thousands of headers, and is read through once.
    if (!judged.has(String(path)) && !isHeaderText(text)) {
      note({ path, says: `stands in a header; ${SAYS_IN_HEADER}` }, filling);
    }
    judged.add(String(path));
  };
  return Object.entries(headers).flatMap(([name, value]): [string, HoledText][] => {
    const filled = fillPieces(piecesOf(value), { filling, place: "header", encode: (text) => text, judge });
    if (filled === null) return [];
    put(name, { part: "headers", filling });
    return [[name, filled]];
  });
}

function checkValue(value: string, { name, context }: { name: string; context: RequestContext }): string[] {
  const secretive = isCredentialHeader(name) || carriesSchemeValue(value);
  const problems = checkTemplate(readTemplate(value), { context, secretive });
  if (!isHeaderText(value)) problems.push(SAYS_IN_HEADER);
  if (isCredentialHeader(name) && !isCredentialValue(value)) {
    problems.push(
      "carries a credential by its name; only a scheme word and placeholders are wanted, such as Bearer {{secret}}, never the value and never {name}",
    );
  } else if (isBrokenBasic(value)) {
    problems.push(
      "Basic takes user:password as one base64; Basic {{secret|base64}} is wanted, the secret being user:password",
    );
  } else if (carriesSchemeValue(value)) {
    problems.push(
      "a credential is written out behind its scheme word; a placeholder such as {{secret}} is wanted",
    );
  }
  return problems;
}
