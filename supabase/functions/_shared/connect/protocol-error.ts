/** What is answered where a request is no message of the protocol, in the words of JSON-RPC. Pure. */

import { isJsonObject, type JsonValue } from "../definition/json.ts";
import { REASONS } from "../outcome/reason.ts";
import type { Refusal } from "../outcome/result.ts";

/** Of JSON-RPC. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** The first of those that an implementation may give a meaning to. */
const REFUSED = -32000;

/** For a request that is not looked at, whatever it says. Source: MCP, Streamable HTTP, "Security warning". */
export function forbid(message: string): Response {
  return protocolError(403, { code: REFUSED, message });
}

/** For a body that is refused, under the id of its request where one can be read. */
export function refuseMessage(refusal: Refusal, message: JsonValue = null): Response {
  const { status, title } = REASONS[refusal.reason];
  const { detail, problems = [] } = refusal;
  const id = isJsonObject(message) ? message.id : null;
  return protocolError(status, {
    code: refusal.reason === "bad_json" ? PARSE_ERROR : INVALID_REQUEST,
    message: [detail ?? `${title}.`, ...problems].join("\n"),
  }, typeof id === "string" || typeof id === "number" ? id : null);
}

function protocolError(
  status: number,
  error: { code: number; message: string },
  id: string | number | null = null,
): Response {
  return Response.json({ jsonrpc: "2.0", error, id }, { status });
}
