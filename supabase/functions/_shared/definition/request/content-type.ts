/** The body a request sends, and the Content-Type its file writes beside it: one has to be what the other says. Pure. */

import { isJsonObject } from "../json.ts";
import type { Path, Problem } from "../problem.ts";

const JSON_TYPE = /^\s*(?:application|text)\/(?:[a-z0-9.-]+\+)?json\s*(?:;.*)?$/i;
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;.*)?$/i;

/** What is wrong with a Content-Type that is written out, on a request whose body goes as `format`. */
export function checkContentType(
  headers: unknown,
  { format, path }: { format: "json" | "form"; path: Path },
): Problem[] {
  if (!isJsonObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) => {
    if (name.toLowerCase() !== "content-type" || typeof value !== "string" || value.includes("{")) return [];
    if ((format === "json" ? JSON_TYPE : FORM_TYPE).test(value)) return [];
    const says = format === "json"
      ? 'the body is sent as JSON; a type such as application/json is wanted, or body_format "form" for form fields'
      : "the body is sent as form fields; application/x-www-form-urlencoded is wanted, or leave the header out";
    return [{ path: [...path, name], says }];
  });
}
