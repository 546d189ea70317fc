/** Requests to Connect: with who calls, to that address alone, and in words where they come to nothing. */

import { setTimeout } from "node:timers";
import type { Credential } from "./credential.ts";
import type { Fetch } from "./authorization-server.ts";
import { Failure, whyUnreachable } from "./failure.ts";

/** Longer than Connect takes for a call, and for a sign-in's own requests. */
export const CALL_MS = 120_000;
export const SIGN_IN_REQUEST_MS = 30_000;
/** The most of an answer that failed that is read for what it says. */
const MAX_SAID = 64 * 1024;

/** An answer that leads elsewhere. */
export class Redirected extends Failure {}

/**
 * A `fetch` that follows no redirect, so that nothing goes to another address than was meant, and fails in words where
 * there is no answer.
 */
export function plainFetch({ timeoutMs }: { timeoutMs: number }): Fetch {
  return async function fetchPlainly(url, init = {}) {
    const { origin } = new URL(url);
    let response: Response;
    try {
      response = await fetch(url, { ...init, redirect: "manual", signal: endedBy(init.signal, timeoutMs) });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new Failure(`${origin} cannot be reached: ${whyUnreachable(error)}.`);
    }
    if (response.status < 300 || response.status >= 400) return response;
    await response.body?.cancel();
    throw new Redirected(
      `${origin} answers with a redirect, which is not followed: set FRAMED_API_BASE to where it leads.`,
    );
  };
}

/** The end of a request. By hand, since Node 20 may collect a signal of `AbortSignal.any` that nobody else holds. */
function endedBy(signal: AbortSignal | null | undefined, timeoutMs: number): AbortSignal {
  const end = new AbortController();
  setTimeout(() => end.abort(new DOMException("", "TimeoutError")), timeoutMs).unref();
  if (signal?.aborted) end.abort(signal.reason);
  signal?.addEventListener("abort", () => end.abort(signal.reason), { once: true });
  return end.signal;
}

/**
 * The same with the credential's header; one that Connect turns away is renewed once. What fails is told in the words of
 * Connect's own answer, but for answers of the protocol, which are for who asked.
 */
export function connectFetch({ credential, fetch }: { credential: Credential; fetch: Fetch }): Fetch {
  return async function fetchFromConnect(url, init = {}) {
    const send = ([name, value]: readonly [string, string]) => {
      const headers = new Headers(init.headers);
      headers.set(name, value);
      return fetch(url, { ...init, headers });
    };
    let header = await unlessAborted(credential.header(), init.signal);
    let response = await send(header);
    if (response.status === 401) {
      await response.body?.cancel();
      header = await unlessAborted(credential.header(header), init.signal);
      response = await send(header);
    }
    // By a 400 Connect says what it makes of a message; whoever sent it reads that.
    if (response.status <= 400) return response;
    throw new Failure(await wordsOf(response));
  };
}

/** A call that is taken back waits for nobody's sign-in. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return await work;
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** What an answer says of why it failed: a problem of the API, an error of JSON-RPC, or what kind of answer it is. */
async function wordsOf(response: Response): Promise<string> {
  const body = await readObject(response);
  const { title, detail, hint } = body;
  const error = typeof body.error === "object" && body.error !== null
    ? body.error as { message?: unknown }
    : {};
  const said = [title, detail, hint, error.message].filter((word) => typeof word === "string");
  const wait = response.headers.get("retry-after");
  if (said.length === 0) {
    const kind = response.headers.get("content-type")?.split(";", 1)[0]?.trim() || "no content type";
    return `${
      new URL(response.url).origin
    } answered ${response.status} with ${kind}, which is no answer of Connect.`;
  }
  const words = said.map((word) => /[.!?]$/.test(word) ? word : `${word}.`).join(" ");
  return wait !== null && /^\d{1,5}$/.test(wait) ? `${words} Try again in ${wait} s.` : words;
}

async function readObject(response: Response): Promise<Record<string, unknown>> {
  try {
    const text = await response.text();
    const value: unknown = text.length > MAX_SAID ? null : JSON.parse(text);
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch {
    return {};
  }
}
