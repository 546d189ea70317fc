/**
 * The way to one MCP server as its client sees it: shaped like `fetch`, and leading out through the guarded way only.
 * What goes out is the few messages a call is made of, to the address in the file, with the headers of the file; what
 * comes in is one whole answer to each, or a refusal.
 */

import type { JsonObject } from "../definition/json.ts";
import type { OutgoingRequest } from "../definition/request.ts";
import type { EgressRefusal, SendOptions, UpstreamAnswer } from "../egress/guarded-fetch.ts";
import type { Refusal } from "../outcome/result.ts";
import { decodeText, readContentType } from "../results/answer-text.ts";
import { readFailure } from "../results/read-answer.ts";
import { readRetryAfter } from "../results/retry-after.ts";
import type { Means } from "./kind.ts";
import { errorIn, type FailedAnswer, redactedRefusal } from "./mcp-error.ts";
import { handOver, plainError } from "./mcp-result.ts";
import { EVENT_STREAM, readAnswerTo, type RequestId, untilAnswered } from "./mcp-message.ts";

/** The most one answer may hold, decoded, in bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** The most all pages of a list may hold together, in bytes: more than is told of tools, for what is not. */
const MAX_LIST_BYTES = 2 * MAX_ANSWER_BYTES;
/** For the end of a session to be told, in milliseconds: nobody waits for what comes of it. */
const GOODBYE_MS = 2_000;

/** What is sent at all. What a server asks back, and whatever else its client would answer by itself, is not. */
const SENT: ReadonlySet<unknown> = new Set([
  "server/discover",
  "initialize",
  "notifications/initialized",
  "tools/list",
  "tools/call",
]);

/** A refusal on its way through a client that knows no results. */
export class Unanswered extends Error {
  override name = "Unanswered";
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
  }
}

/** The wire of one session. */
export interface Wire {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Why the last request has no answer that could be read on; null where it has one. */
  refused(): Refusal | null;
  /** The last answer, where its status says that it failed. */
  failed(): FailedAnswer | null;
  /** What the way out threw, which is no answer of the server's; null where it threw nothing. */
  thrown(): { readonly error: unknown } | null;
  /** Whether a `tools/call` may have reached the server. */
  hasCalled(): boolean;
}

/** What a wire is made with. */
export interface WireEnds {
  /** A request to the server, credentials and all: its address and the headers that every message carries. */
  readonly outgoing: OutgoingRequest;
  /** The only host there is, with its port. */
  readonly host: string;
  readonly means: Pick<Means, "egress" | "timeLeftMs" | "now" | "fresh">;
  /** Takes the call's credentials out of a text. */
  readonly redact: (text: string) => string;
}

/**
 * A wire on which nothing was sent yet. Lets through one `tools/call`, whoever asks for a second, over a connection of
 * its own where the call is `fresh`. Every answer is held to 1 MiB, all pages of a list to 2 MiB,
 * and to the time the call has left; a stream of events
 * is over with the answer in it.
 */
export function openWire({ outgoing, host, means, redact }: WireEnds): Wire {
  let refused: Refusal | null = null;
  let failed: FailedAnswer | null = null;
  let thrown: { readonly error: unknown } | null = null;
  let mayCall = true;
  let hasCalled = false;
  let listedBytes = 0;

  /** What a refusal quotes may be the server's words, whichever part of its answer it is about. */
  function fail(refusal: Refusal): never {
    const told = redactedRefusal(refusal, redact);
    refused = told;
    throw new Unanswered(told);
  }

  async function send(
    { method, headers, body }: Pick<OutgoingRequest, "method" | "headers" | "body">,
    options: Partial<SendOptions>,
  ) {
    const named = new Set(headers.map(([name]) => name.toLowerCase()));
    const own = outgoing.headers.filter(([name]) => !named.has(name.toLowerCase()));
    // A packed stream cannot be told to be whole before it ends.
    const all: OutgoingRequest["headers"] = [...own, ...headers, ["Accept-Encoding", "identity"]];
    try {
      return await means.egress.send({ method, url: outgoing.url, headers: all, body }, {
        host,
        timeoutMs: means.timeLeftMs(),
        maxBytes: MAX_ANSWER_BYTES,
        ...options,
      });
    } catch (error) {
      thrown = { error };
      throw error;
    }
  }

  async function post(message: JsonObject, headers: OutgoingRequest["headers"]): Promise<Response> {
    const isCall = message.method === "tools/call";
    if (isCall && !mayCall) fail({ reason: "internal", detail: "A call is sent once." });
    if (isCall) {
      mayCall = false;
      hasCalled = true;
    }
    const id = (message.id ?? null) as RequestId | null;
    const sent = await send({ method: "POST", headers, body: JSON.stringify(message) }, {
      ...(isCall && means.fresh === true ? { fresh: true } : {}),
      ...(id === null ? {} : { findEnd: (head) => isOpenStream(head) ? untilAnswered(id) : null }),
    });
    if (isCall) hasCalled = sent.ok || sent.refusal.sent;
    if (!sent.ok) fail(withoutSent(sent.refusal));
    const { status } = sent.value;
    if (status > 599) {
      fail({ reason: "upstream_bad_answer", detail: `It answered ${status}, which is no status.` });
    }
    if (status < 200 || status > 299) {
      failed = readFailed(sent.value, { redact, nowMs: means.now().getTime() });
      const error = errorIn(failed.body);
      const handed = error === null ? null : JSON.stringify({ jsonrpc: "2.0", id, error: plainError(error) });
      return new Response(status === 304 ? null : handed, { status });
    }
    if (id === null) return new Response(null, { status: 202 });
    if (sent.value.body.byteLength === 0) {
      fail({
        reason: "upstream_bad_answer",
        detail: `It took ${String(message.method)} with status ${status} and answered nothing.`,
      });
    }
    const contentType = sent.value.headers.get("content-type");
    const answer = readAnswerTo(id, { body: sent.value.body, contentType, redact });
    if (!answer.ok) fail(answer.refusal);
    if (message.method === "tools/list") listedBytes += sent.value.body.byteLength;
    if (listedBytes > MAX_LIST_BYTES) {
      fail({
        reason: "upstream_too_large",
        detail: "The server answers more than 2 MiB for the pages of its list.",
      });
    }
    const handed = handOver(message.method, answer.value);
    if (!handed.ok) fail(handed.refusal);
    const session = sent.value.headers.get("mcp-session-id");
    return Response.json(
      handed.value,
      session === null ? {} : { headers: { "mcp-session-id": session } },
    );
  }

  return {
    refused: () => refused,
    failed: () => failed,
    thrown: () => thrown,
    hasCalled: () => hasCalled,
    async fetch(_url, { method = "GET", headers, body } = {}) {
      // There is one address, whatever the client believes it is.
      refused = failed = null;
      const listed: OutgoingRequest["headers"] = [...new Headers(headers)];
      if (method === "DELETE") {
        const timeoutMs = Math.min(GOODBYE_MS, means.timeLeftMs());
        await send({ method, headers: listed, body: null }, { timeoutMs });
        return new Response(null, { status: 204 });
      }
      // A stream of the server's own messages is not listened to.
      if (method !== "POST" || typeof body !== "string") return new Response(null, { status: 405 });
      const message = JSON.parse(body) as JsonObject;
      if (!SENT.has(message.method)) return new Response(null, { status: 202 });
      return await post(message, listed);
    },
  };
}

function isOpenStream({ status, headers }: Pick<UpstreamAnswer, "status" | "headers">): boolean {
  const isPlain = /^(?:identity)?$/i.test(headers.get("content-encoding")?.trim() ?? "");
  return status >= 200 && status <= 299 && isPlain &&
    readContentType(headers.get("content-type")).type === EVENT_STREAM;
}

/** A failing answer, whose body its client reads too: the protocol lets a server say there which versions it speaks. */
function readFailed(
  { status, headers, body }: UpstreamAnswer,
  { redact, nowMs }: { redact: (text: string) => string; nowMs: number },
): FailedAnswer {
  const contentType = headers.get("content-type");
  const decoded = decodeText(body, readContentType(contentType));
  return {
    status,
    body: decoded.ok ? redact(decoded.text) : "",
    said: readFailure(body, { contentType, redact }),
    retryAfterSeconds: readRetryAfter(headers, { nowMs }),
  };
}

function withoutSent({ sent: _sent, status: _status, ...said }: EgressRefusal): Refusal {
  return said;
}
