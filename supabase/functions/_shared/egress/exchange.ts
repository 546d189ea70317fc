/** One request and its answer over a connection: what went out, what came back, and how much of it is wanted. */

import { setImmediate } from "node:timers";
import type { Dispatcher } from "undici";
import type { OutgoingRequest } from "../definition/request/request-template.ts";
import type { Refusal } from "../outcome/result.ts";
import { concatBytes, type Grow } from "./decode.ts";

/** The first part of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
}

/** An answer whose body is as it came over the wire. */
export interface WireAnswer extends AnswerHead {
  readonly body: Uint8Array;
}

/** Why an exchange ended early by our own will. */
export class Refused extends Error {
  override name = "Refused";
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
  }
}

/**
 * Asked for an answer when its head is there: null where it is whole when the other system ends it, or what is told each
 * piece of the body as it comes over the wire and says whether the answer is whole with it.
 */
export type FindEnd = (head: AnswerHead) => ((piece: Uint8Array) => boolean) | null;

/** Heads that may come before the one of the answer (100, 103). */
const MAX_INTERIM_HEADS = 10;

/**
 * Sends `request` once and resolves with its whole answer.
 *
 * `onSend` is called right before the first byte may leave, and nothing leaves where it refuses. `judge` sees the head of the answer, `judgeLength` the
 * length of the body so far; either ends the exchange by returning a refusal, thrown as `Refused`, as more than 10 heads
 * before that of the answer do. `grow` sees the length too: nothing more is read until what it returns has come about.
 * Where `findEnd` says that the answer is whole, what follows is not read and the connection is cut.
 * An abort of `signal` cuts the connection and rejects with its reason. Everything else that goes wrong rejects with
 * what undici says.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: OutgoingRequest,
  { signal, onSend, judge, judgeLength, grow, findEnd }: {
    signal: AbortSignal;
    onSend: () => Refusal | null;
    judge: (head: AnswerHead) => Refusal | null;
    judgeLength: (bytes: number) => Refusal | null;
    grow: Grow;
    findEnd?: FindEnd | undefined;
  },
): Promise<WireAnswer> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let interimHeads = 0;
  let head: AnswerHead | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let hasEnded = false;
  let isLast: ReturnType<FindEnd> = null;

  /** What comes first decides; what arrives of the answer after a cut is not looked at. */
  function end(settle: () => void): void {
    if (hasEnded) return;
    hasEnded = true;
    settle();
  }
  function cutAnd(settle: () => void): void {
    // Not at once: Deno 2.1.4 never closes a socket that is destroyed while it hands over what it has read.
    end(() =>
      setImmediate(() => {
        controller?.abort(new Error("cut"));
        settle();
      })
    );
  }
  const cut = (reason: unknown) => cutAnd(() => reject(reason));
  const onAbort = () => cut(signal.reason);
  signal.addEventListener("abort", onAbort);

  const { pathname, search } = new URL(request.url);
  dispatcher.dispatch({
    path: pathname + search,
    method: request.method,
    headers: request.headers.flat(),
    body: request.body,
  }, {
    onRequestStart(started) {
      // Whoever would begin it a second time finds it sent already.
      if (hasEnded || controller !== undefined) return started.abort(new Error("cut"));
      controller = started;
      const refusal = onSend();
      if (refusal === null) return;
      end(() => reject(new Refused(refusal)));
      started.abort(new Error("cut"));
    },
    onResponseStart(_, status, headers) {
      if (hasEnded) return;
      if (status < 200) {
        if (++interimHeads > MAX_INTERIM_HEADS) cut(new Refused(tooManyHeads()));
        return;
      }
      try {
        head = { status, headers: readHeaders(headers) };
      } catch {
        const detail = "The head of the answer holds a header that is none.";
        return cut(new Refused({ reason: "upstream_bad_answer", detail }));
      }
      const refusal = judge(head);
      if (refusal !== null) return cut(new Refused(refusal));
      isLast = findEnd?.(head) ?? null;
    },
    onResponseData(_, chunk) {
      if (hasEnded) return;
      length += chunk.length;
      const refusal = judgeLength(length);
      if (refusal !== null) return cut(new Refused(refusal));
      chunks.push(chunk);
      if (isLast?.(chunk)) return cutAnd(() => resolve({ ...head!, body: concatBytes(chunks, length) }));
      const room = grow(length);
      if (room === null) return;
      controller!.pause();
      room.then(() => controller!.resume(), cut);
    },
    onResponseEnd() {
      end(() => resolve({ ...head!, body: concatBytes(chunks, length) }));
    },
    onResponseError(_, error) {
      end(() => reject(error));
    },
  });
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}

function tooManyHeads(): Refusal {
  const detail = `More than ${MAX_INTERIM_HEADS} heads came before the one of the answer.`;
  return { reason: "upstream_bad_answer", detail };
}

function readHeaders(raw: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return headers;
}
