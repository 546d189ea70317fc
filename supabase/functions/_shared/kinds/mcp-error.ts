/** Why a session with an MCP server came to nothing, in words for the caller. It is given the client's classes. Pure. */

import { HIDDEN_CHARACTERS } from "../definition/hidden.ts";
import { isJsonObject, type JsonObject } from "../definition/json.ts";
import type { Refusal } from "../outcome/result.ts";
import { readJson } from "../results/read-json.ts";

/** The classes of the client, which are loaded when a session is. */
export type ClientErrors = Pick<
  typeof import("@modelcontextprotocol/client"),
  "ProtocolError" | "SdkError" | "UnsupportedProtocolVersionError"
>;

/** An answer whose status says that it failed. */
export interface FailedAnswer {
  readonly status: number;
  /** The whole body, without credentials; empty where it is no text. */
  readonly body: string;
  /** The beginning of what it says, for people; null where it says nothing. */
  readonly said: string | null;
  readonly retryAfterSeconds: number | undefined;
}

/** What a session came to. */
export interface ReadError {
  readonly refusal: Refusal;
  /** Whether the server answered by an error of JSON-RPC, so that it is known to have refused. */
  readonly byProtocol: boolean;
}

/** The most characters of a server's own words that are told on. */
const MAX_SAID = 500;

/** By which a server says which revisions it speaks instead. */
export const UNSUPPORTED_REVISION = -32022;

/** What an answer that failed says: an error of JSON-RPC in its body counts as that. */
export function readFailedAnswer({ status, body, said, retryAfterSeconds }: FailedAnswer): ReadError {
  const error = errorIn(body);
  if (error?.code === UNSUPPORTED_REVISION) return otherRevision();
  const answered = `The server answered ${status}`;
  const detail = error !== null
    ? `${answered}: ${describe(error.code as number, error.message)}`
    : said === null
    ? `${answered}.`
    : `${answered}. It said: ${said}`;
  return {
    byProtocol: error !== null,
    refusal: {
      reason: "upstream_failed",
      detail,
      ...(status === 401 || status === 403
        ? { hint: "It does not let this tool in: check that its secret is the right one and still good." }
        : {}),
      ...(retryAfterSeconds === undefined
        ? {}
        : { retryAfterSeconds, hint: `It asks to be left alone for ${retryAfterSeconds} s.` }),
    },
  };
}

/** What the client threw, where that is the server's doing; null where it is ours. */
export function readClientError(
  error: unknown,
  { ProtocolError, SdkError, UnsupportedProtocolVersionError }: ClientErrors,
): ReadError | null {
  if (error instanceof UnsupportedProtocolVersionError) return otherRevision();
  if (error instanceof ProtocolError) {
    const detail = `The server answered with ${describe(error.code, error.message)}`;
    return { byProtocol: true, refusal: { reason: "upstream_failed", detail } };
  }
  if (error instanceof SdkError) return unread(readSdkError(error.code, error.data));
  if (!(error instanceof Error)) return null;
  if (/protocol version is not supported/.test(error.message)) return otherRevision();
  return /ZodError$/.test(error.name) ? unread(badAnswer(MISSHAPEN)) : null;
}

export const MISSHAPEN = "Its answer does not have the shape that the protocol gives it.";

function readSdkError(code: string, data: unknown): Refusal {
  switch (code) {
    case "UNSUPPORTED_RESULT_TYPE":
      return badAnswer(
        isJsonObject(data) && data.resultType === "input_required"
          ? "It asks for more input before it goes on (input_required), and is not given any."
          : "Its result is of a type that is not known here.",
      );
    case "REQUEST_TIMEOUT":
      return { reason: "upstream_timed_out", detail: "The server did not answer in time." };
    default:
      return badAnswer(MISSHAPEN);
  }
}

function otherRevision(): ReadError {
  return unread(
    badAnswer(
      "It speaks a revision of the protocol that is not spoken here: 2026-07-28 and earlier ones are.",
    ),
  );
}

function unread(refusal: Refusal): ReadError {
  return { byProtocol: false, refusal };
}

function badAnswer(detail: string): Refusal {
  return { reason: "upstream_bad_answer", detail };
}

/** The error of JSON-RPC in the body of an answer that failed; null where there is none. */
export function errorIn(body: string): JsonObject | null {
  const read = readJson(body);
  const message = read.ok && Array.isArray(read.value) ? read.value[0] : read.ok ? read.value : undefined;
  if (!isJsonObject(message) || message.jsonrpc !== "2.0" || !isJsonObject(message.error)) return null;
  return typeof message.error.code === "number" ? message.error : null;
}

function describe(code: number, message: unknown): string {
  const said = typeof message === "string" ? clipSaid(message) : "";
  return said === "" ? `error ${code}.` : `error ${code}: ${said}`;
}

/** The beginning of what a server says, on one line, with nothing that hides or turns text around. */
export function clipSaid(text: string): string {
  const line = text.slice(0, 8 * MAX_SAID).replace(HIDDEN_CHARACTERS, " ").replace(/ +/g, " ").trim();
  const points = [...line];
  return points.length <= MAX_SAID ? line : `${points.slice(0, MAX_SAID).join("")}…`;
}

/** The refusal with nothing in its words that `redact` takes out. */
export function redactedRefusal(refusal: Refusal, redact: (text: string) => string): Refusal {
  const { detail, hint } = refusal;
  return {
    ...refusal,
    ...(detail === undefined ? {} : { detail: redact(detail) }),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
  };
}
