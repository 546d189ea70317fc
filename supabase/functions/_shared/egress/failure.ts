/** What went wrong on the way, in words for the caller: which step failed, and nothing of how we are built. Pure. */

import type { Refusal } from "../outcome/result.ts";
import type { LeftAlone } from "./breaker.ts";

/** A refusal of the egress, which also says whether the other system may have got the request. */
export interface EgressRefusal extends Refusal {
  /** False only when no byte of the request can have left; a write that was not sent has not happened. */
  readonly sent: boolean;
  /** Of an answer that came and is refused for what it is, not for ending too early. */
  readonly status?: number;
}

/**
 * The refusal for an error of a connection or of reading an answer. `sent` is what was seen of the request itself.
 * An error that is not the other system's doing is thrown on.
 */
export function describeFailure(
  error: unknown,
  { host, sent }: { host: string; sent: boolean },
): EgressRefusal {
  const { code, text } = readError(error);
  if (isOurs(error, code)) throw error;
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return {
      reason: "upstream_too_large",
      detail: `The head of the answer of ${host} is larger than 32 KiB.`,
      sent,
    };
  }
  if (isCertificateError(code, text)) {
    return {
      reason: "upstream_unreachable",
      detail: `The TLS certificate of ${host} is not valid for it: ${
        whyCertificate(code, text)
      }. Nothing was sent.`,
      hint: "The other system needs a certificate of a public authority for exactly this host.",
      // The handshake ends before the first byte of a request; Deno 2.1.4 reports it only later.
      sent: false,
    };
  }
  if (isProtocolError(error, code)) {
    return { reason: "upstream_bad_answer", detail: `What ${host} answered is not valid HTTP.`, sent };
  }
  const detail = sent
    ? `${host} closed the connection before its answer was complete.`
    : `No connection to ${host}: ${whyUnconnected(code, text)}. Nothing was sent.`;
  return {
    reason: "upstream_unreachable",
    detail,
    hint: "Check that the other system is up, then try again.",
    sent,
  };
}

/** For a request that did not have its whole answer in time. */
export function timedOut(
  { host, timeoutMs }: { host: string; timeoutMs: number },
  { sent }: { sent: boolean },
): EgressRefusal {
  return {
    reason: "upstream_timed_out",
    detail: `${host} did not answer in full within ${timeoutMs / 1000} s.`,
    hint: "Ask for less at once, or try again later.",
    sent,
  };
}

/** For a request that spent its time waiting for others to the same host. */
export function neverItsTurn({ host, timeoutMs }: { host: string; timeoutMs: number }): EgressRefusal {
  return {
    reason: "upstream_timed_out",
    detail: `Other calls to ${host} took all of the ${timeoutMs / 1000} s this one had. Nothing was sent.`,
    hint: "Ask for less at once, or try again later.",
    sent: false,
  };
}

/** For a request that would be one too many to wait for a host. */
export function tooManyWait(host: string): Refusal {
  return {
    reason: "rate_limited",
    detail: `Too many calls to ${host} wait for their turn already. Nothing was sent.`,
    hint: "Ask for less at once, or try again later.",
    retryAfterSeconds: 5,
  };
}

/** For an answer that would be one too many to wait for room. */
export function tooManyLong(): Refusal {
  return {
    reason: "rate_limited",
    detail: "Too many long answers are read at once already, so this one was not read to its end.",
    hint: "Ask for fewer rows or fields at once, or try again later.",
    retryAfterSeconds: 5,
  };
}

/** For a request to a host that nobody could reach of late. */
export function leftAloneRefusal(host: string, { retryAfterSeconds, lastFailure }: LeftAlone): Refusal {
  return {
    reason: "upstream_unreachable",
    detail:
      `${host} could not be reached several times in a row and is left alone for now. Nothing was sent. The last time: ${lastFailure}`,
    hint: `Check that the other system is up. It is tried again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  };
}

/** For an answer over its limit, however it was packed. */
export function tooLarge(host: string, maxBytes: number): Refusal {
  return {
    reason: "upstream_too_large",
    detail: `The answer of ${host} is larger than ${maxBytes} bytes, unpacked.`,
    hint: "Ask for fewer rows or fields at once.",
  };
}

function isOurs(error: unknown, code: string): boolean {
  return !(error instanceof Error) || error instanceof TypeError || error instanceof RangeError ||
    code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED";
}

function isProtocolError(error: unknown, code: string): boolean {
  return code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" ||
    (error instanceof Error && (error.name === "HTTPParserError" || error.message === "bad upgrade"));
}

function isCertificateError(code: string, text: string): boolean {
  return /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_PURPOSE|HOSTNAME_MISMATCH)/.test(
    code,
  ) ||
    text.includes("invalid peer certificate");
}

function whyCertificate(code: string, text: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || text.includes("NotValidForName")) {
    return "it is for another name";
  }
  if (code === "CERT_HAS_EXPIRED" || /Expired/.test(text)) return "it has expired";
  if (code === "CERT_NOT_YET_VALID" || text.includes("NotValidYet")) return "it is not valid yet";
  if (/SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/.test(code) || /UnknownIssuer|BadSignature/.test(text)) {
    return "no known authority vouches for it";
  }
  return "it does not pass the check";
}

function whyUnconnected(code: string, text: string): string {
  if (code === "ECONNREFUSED") return "the port is closed";
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH") return "there is no way to its network";
  if (code === "ETIMEDOUT" || text === "connect timeout") return "it does not take the connection in time";
  if (/SSL|TLS|EPROTO/.test(code) || /tls|ssl|corrupt message|handshake|alert/i.test(text)) {
    return "it does not speak TLS as it should";
  }
  return "the connection was cut while it was made";
}

function readError(error: unknown): { code: string; text: string } {
  if (!(error instanceof Error)) return { code: "", text: "" };
  const { code } = error as Error & { code?: unknown };
  return { code: typeof code === "string" ? code : "", text: error.message };
}
