/** The one answer of JSON-RPC 2.0 to a request, in what an MCP server answered over HTTP. Pure. */

import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import { grouped } from "../definition/words.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { decodeText, readContentType } from "../results/answer-text.ts";
import { MAX_ANSWER_VALUES, quoteBareMarkers, readJson } from "../results/read-json.ts";
import { createEventReader } from "./mcp-events.ts";

/** What identifies a request of ours: the SDK gives it a number, or a text for its first question. */
export type RequestId = string | number;

export const EVENT_STREAM = "text/event-stream";

/** Whether `message` answers the request, by a result or an error. */
function answers(message: JsonValue, id: RequestId): message is JsonObject {
  return isJsonObject(message) && message.jsonrpc === "2.0" && message.id === id &&
    Object.hasOwn(message, "result") !== Object.hasOwn(message, "error");
}

/**
 * Told the body of a stream of events in pieces, says whether the answer to the request, or one that is refused for its
 * size, is among what has come. Parses only what may be one.
 */
export function untilAnswered(id: RequestId): (piece: Uint8Array) => boolean {
  const decoder = new TextDecoder();
  const reader = createEventReader();
  return (piece) =>
    reader.push(decoder.decode(piece, { stream: true })).some((data) => {
      if (!/"(?:result|error)"/.test(data)) return false;
      const read = readJson(data);
      return read.ok ? answers(read.value, id) : read.why === "too_many";
    });
}

/**
 * The answer to request `id` in a body with a 2xx status: of JSON, of a list of messages, or of a stream of events, of
 * which all else is left out. `redact` sees the text before it is taken apart.
 *
 * Refuses `upstream_bad_answer` in words: a web page, another type, bytes that are no text, no JSON, more than 200
 * levels, no JSON-RPC, an answer to another request, a stream that ends without one; `upstream_too_large` more than 200,000
 * values.
 */
export function readAnswerTo(
  id: RequestId,
  { body, contentType, redact }: {
    body: Uint8Array;
    contentType: string | null;
    redact: (text: string) => string;
  },
): Result<JsonObject> {
  // Before it is lower-cased and cut: after that a credential in it is not known as one.
  const content = readContentType(contentType === null ? null : redact(contentType));
  if (content.type === "text/html") {
    return bad("It answered with a web page (HTML), which no MCP server does.", {
      hint:
        "Check the address and the secret: a page in the place of an answer is mostly a sign-in or an error page.",
    });
  }
  if (content.type !== EVENT_STREAM && content.type !== "application/json") {
    return bad(`It answered with ${content.type || "no type"}; JSON or a stream of events is wanted.`);
  }
  const decoded = decodeText(body, content);
  if (!decoded.ok) return bad(decoded.says);
  const text = redact(decoded.text);
  return content.type === EVENT_STREAM ? answerInEvents(id, text) : answerInJson(id, text, decoded.text);
}

function answerInJson(id: RequestId, text: string, written: string): Result<JsonObject> {
  const read = readJson(text === written ? text : quoteBareMarkers(text));
  if (!read.ok) {
    if (read.why === "too_many") return tooMany();
    return bad(
      read.why === "too_deep"
        ? "Its answer is JSON of more than 200 levels."
        : "It says its answer is JSON, but it does not parse.",
    );
  }
  const messages = Array.isArray(read.value) ? read.value : [read.value];
  const found = messages.find((message) => answers(message, id));
  if (found !== undefined) return ok(found as JsonObject);
  const [only] = messages;
  // What could not be told apart from any request is about the only one there was.
  if (messages.length === 1 && isUnaddressedError(only)) {
    return ok({ jsonrpc: "2.0", id, error: only.error! });
  }
  return bad(
    messages.some(isAnswer)
      ? "It answered another request than the one it was asked: the id is not the one that was sent."
      : "Its answer is no message of JSON-RPC 2.0, which MCP is made of.",
  );
}

/** An error without an id: the server could not, or would not, read what it was sent. */
export function isUnaddressedError(
  message: JsonValue | undefined,
): message is JsonObject & { error: JsonObject } {
  return isJsonObject(message) && isJsonObject(message.error) && typeof message.error.code === "number" &&
    (message.id === null || message.id === undefined);
}

function isAnswer(message: JsonValue): boolean {
  return isJsonObject(message) && message.jsonrpc === "2.0" &&
    (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"));
}

function answerInEvents(id: RequestId, text: string): Result<JsonObject> {
  const reader = createEventReader();
  const events = [...reader.push(text), ...reader.end()];
  let answeredOther = false;
  let asked = false;
  for (const data of events) {
    const read = readJson(data);
    if (!read.ok && read.why === "too_many") return tooMany();
    if (!read.ok) continue;
    if (answers(read.value, id)) return ok(read.value);
    if (isAnswer(read.value)) answeredOther = true;
    else if (isJsonObject(read.value) && Object.hasOwn(read.value, "id")) asked = true;
  }
  if (answeredOther) {
    return bad("Its stream answered another request than the one it was asked, and ended.");
  }
  return bad(
    asked
      ? "Its stream asked something back, which is never answered here, and ended without an answer."
      : "Its stream of events ended without an answer.",
  );
}

function tooMany(): Result<never> {
  return refuse("upstream_too_large", {
    detail: `Its answer is JSON of more than ${grouped(MAX_ANSWER_VALUES)} values.`,
  });
}

function bad(detail: string, more: { hint?: string } = {}): Result<never> {
  return refuse("upstream_bad_answer", { detail, ...more });
}
