/** Kind `request`: one HTTP call to the tool's own host. */

import type { ToolCall } from "../definition/call.ts";
import type { RequestTool } from "../definition/format.ts";
import { type OutgoingRequest, placeCredentials, type PreparedRequest } from "../definition/request.ts";
import type { EgressRefusal, UpstreamAnswer } from "../egress/guarded-fetch.ts";
import { ok, type Refusal, refuse, type Result } from "../outcome/result.ts";
import { resultFormatOf } from "../results/leaving.ts";
import { readNextPage } from "../results/next-page.ts";
import { readAnswer, readFailure } from "../results/read-answer.ts";
import { readRetryAfter } from "../results/retry-after.ts";
import {
  type Answer,
  type Credentials,
  endUnsent,
  type Execute,
  type Executed,
  type Landing,
  type Means,
} from "./kind.ts";

/** The most an answer may hold, decoded, in bytes. */
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;

/**
 * Sends the one request the call makes and reads its answer.
 *
 * Takes the request with the arguments filled in, so that wrong ones opened no secret. What comes back is free of the
 * credentials that went out, in an answer and in a refusal alike.
 */
export const executeRequest: Execute<RequestTool, { request: PreparedRequest }> = async (
  tool,
  { call, request, means },
): Promise<Executed> => {
  const opened = await means.openCredentials();
  if (!opened.ok) return endUnsent(opened);
  const credentials = opened.value;
  const outgoing = placeCredentials(request, credentials.values, { secretNames: credentials.names });
  if (!outgoing.ok) return endUnsent(outgoing);

  const sent = await means.egress.send(withIdempotencyKey(outgoing.value, { request, means }), {
    host: request.host,
    timeoutMs: means.timeLeftMs(),
    maxBytes: MAX_ANSWER_BYTES,
    ...(means.fresh === true ? { fresh: true } : {}),
  });
  if (!sent.ok) {
    return { landing: landingOfRefusal(sent.refusal), answered: redacted(sent.refusal, credentials) };
  }
  const answered = readUpstream(sent.value, { tool, call, means, credentials, sentUrl: outgoing.value.url });
  return { landing: landingOf(sent.value.status), answered };
};

function withIdempotencyKey(
  outgoing: OutgoingRequest,
  { request: { idempotencyHeader }, means: { idempotencyKey = null } }: {
    request: PreparedRequest;
    means: Pick<Means, "idempotencyKey">;
  },
): OutgoingRequest {
  if (idempotencyHeader === null || idempotencyKey === null) return outgoing;
  return { ...outgoing, headers: [...outgoing.headers, [idempotencyHeader, idempotencyKey]] };
}

/** What a complete answer's status says: 2xx took it, whatever the body; 408 and 5xx leave open whether; all else did not. */
function landingOf(status: number): Landing {
  if (status >= 200 && status <= 299) return "applied";
  return status === 408 || status >= 500 ? "unknown" : "failed";
}

/** Without a complete answer nobody can tell, but for an answer whose head came and whose body is only not to be read. */
function landingOfRefusal({ sent, status }: EgressRefusal): Landing {
  if (!sent) return "failed";
  return status === undefined ? "unknown" : landingOf(status);
}

function readUpstream(
  { status, headers, body }: UpstreamAnswer,
  { tool, call, means, credentials, sentUrl }: {
    tool: RequestTool;
    call: ToolCall;
    means: Pick<Means, "now">;
    credentials: Credentials;
    sentUrl: string;
  },
): Result<Answer> {
  const contentType = headers.get("content-type");
  const { redact } = credentials;
  if (status < 200 || status > 299) {
    // Of a sensitive call nothing the other system says is told on or kept, also where it says no.
    const said = tool.access === "sensitive" ? null : readFailure(body, { contentType, redact: redact.text });
    return failed(status, {
      said,
      retryAfterSeconds: readRetryAfter(headers, { nowMs: means.now().getTime() }),
    });
  }
  const read = readAnswer(body, { contentType, redact });
  if (!read.ok) return read;
  const { rows, fields } = resultFormatOf(tool, call);
  if ((rows !== undefined || fields !== undefined) && read.value !== null && typeof read.value !== "object") {
    return refuse("upstream_bad_answer", {
      detail: "The file says which rows or fields leave, but what was answered is one text or value.",
    });
  }
  const next = nextPage(tool, { call, link: headers.get("link"), sentUrl, redact });
  return ok<Answer>({
    value: read.value,
    answersWith: "live system",
    ...(next === undefined ? {} : { next }),
  });
}

/** `readNextPage` of addresses without credentials: split into parameters first, a short one would not be known. */
function nextPage(
  tool: RequestTool,
  { call, link, sentUrl, redact }: {
    call: ToolCall;
    link: string | null;
    sentUrl: string;
    redact: Credentials["redact"];
  },
): Answer["next"] {
  if (link === null) return undefined;
  const next = readNextPage(tool, { call, link: redact.text(link), sentUrl: redact.text(sentUrl) });
  return next === undefined ? undefined : redact.json(next) as Answer["next"];
}

function failed(
  status: number,
  { said, retryAfterSeconds }: { said: string | null; retryAfterSeconds: number | undefined },
): Result<never> {
  const answered = `The other system answered ${status}.`;
  return refuse("upstream_failed", {
    detail: said === null ? answered : `${answered} It said: ${said}`,
    ...(retryAfterSeconds === undefined
      ? {}
      : { retryAfterSeconds, hint: `It asks to be left alone for ${retryAfterSeconds} s.` }),
  });
}

function redacted(refusal: Refusal, { redact }: Credentials): Result<never> {
  return {
    ok: false,
    refusal: {
      ...refusal,
      ...(refusal.detail === undefined ? {} : { detail: redact.text(refusal.detail) }),
    },
  };
}
