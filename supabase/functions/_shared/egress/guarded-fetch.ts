/**
 * The one way out: a request goes to the host of its tool, at a public address that was judged, over a connection to
 * that very address, within its time, and comes back within its size. No redirect is followed, nothing is sent twice,
 * no proxy of the environment is used. Which URLs and addresses are public is decided by `url.ts` and `address.ts`.
 */

import type { OutgoingRequest } from "../definition/request/request-template.ts";
import { type Refusal, refuse, type Result } from "../outcome/result.ts";
import { judgeAddress } from "./address.ts";
import { createBreaker, type Tried } from "./breaker.ts";
import {
  CONNECT_TIMEOUT_MS,
  createConnections,
  MAX_CONNECTIONS_PER_HOST,
  type Route,
} from "./connections.ts";
import { ACCEPTED_ENCODINGS, decodeBody, type Grow, readContentEncoding } from "./decode.ts";
import { type AnswerHead, exchange, type FindEnd, Refused, type WireAnswer } from "./exchange.ts";
import { type Deadline, startDeadline, untilAborted } from "./deadline.ts";
import {
  describeFailure,
  type EgressRefusal,
  leftAloneRefusal,
  neverItsTurn,
  timedOut,
  tooLarge,
  tooManyWait,
} from "./failure.ts";
import { type AnswerRoom, createLongAnswers } from "./long-answers.ts";
import { isLoopback, type LocalUpstreams } from "./local-upstreams.ts";
import { type Judge, readLiteral, type Resolve, resolveBySystem, resolvePublic } from "./resolve.ts";
import { createTurns, type GiveBack } from "./turns.ts";
import { judgeUrl } from "./url.ts";

export type { EgressRefusal } from "./failure.ts";

/** The answer of the other system, whatever its status. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Decoded, at most `maxBytes`. */
  readonly body: Uint8Array;
}

/** What may be asked of one `send`. */
export interface SendOptions {
  /** The only host the request may go to, with its port unless that is 443. */
  readonly host: string;
  /** For everything together: its turn, DNS, connecting, TLS, head and body. */
  readonly timeoutMs: number;
  /** Of the decoded body. */
  readonly maxBytes: number;
  /** One new connection for this request alone, so that an idle one that was just closed is no doubt about a write. */
  readonly fresh?: boolean;
  /** Asked right before the first byte would leave: what it refuses is not sent. */
  readonly mayLeave?: () => Refusal | null;
  /** Whose request it is: workspaces that wait for the same host take turns. */
  readonly workspaceId?: string;
  /** Called when it is the request's turn at its host: what came before was waiting. */
  readonly onTurn?: () => void;
  /**
   * Told true once the head of an answer is there; false where the host could not be reached, by what counts against a host,
   * or is left alone for that. Not told where the request says nothing of its host.
   */
  readonly onHost?: (answered: boolean) => void;
  /** Told how to give back the room of the answer once it is not held any more; not asked, it is given back with the answer. */
  readonly onHeld?: (giveBack: GiveBack) => void;
  /** Of an answer that may go on after what was asked for has come: says when that is whole. What follows is not read. */
  readonly findEnd?: FindEnd;
  /** When it aborts, the connection is cut and `send` rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** The way out. */
export interface Egress {
  /**
   * Sends `request` at most once and returns its answer, whatever the status, but for a redirect.
   *
   * At most 12 requests are under way to one host, 8 of one workspace; 1,024 more wait for their turn, 512 of one, and
   * workspaces take turns; what comes on top is refused with `rate_limited`. Of answers longer than 256 KiB the process
   * holds 24 MiB at once, 16 of one workspace; others are read on when there is room; of those with more than 10,000
   * values 600,000 values, 400,000 of one workspace. A host that could not be reached 5 times in a row is left alone for
   * 15 s (`upstream_unreachable` with the time to wait), in this process.
   *
   * Refuses, each with `sent` saying whether the request may have left: `address_refused`, `host_refused` (nothing was
   * sent), `upstream_unreachable`, `upstream_refused_redirect` (a 3xx that names a place), `upstream_too_large`,
   * `upstream_bad_answer` (no valid HTTP, or an encoding that was not asked for or does not decode), `upstream_timed_out`.
   */
  send(request: OutgoingRequest, options: SendOptions): Promise<Result<UpstreamAnswer, EgressRefusal>>;
  /** Cuts everything that is open. */
  close(): Promise<void>;
}

/** What an egress is made with. All of it is for the local stack and for tests. */
export interface EgressOptions {
  readonly resolve?: Resolve;
  /** Hosts whose connection goes to a loopback address instead of what DNS says. Every other check stays. */
  readonly upstreams?: LocalUpstreams;
  /** PEM of the authorities that sign for `upstreams`, in place of the system's own; nothing else is trusted by them. */
  readonly extraCa?: string;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/** Requests under way at one host, and those that wait for their turn: what one of them holds meanwhile is its own body. */
const HOST_ROOM = {
  atOnce: { all: MAX_CONNECTIONS_PER_HOST, each: 8 },
  waiting: { all: 1_024, each: 512 },
};

/** The way out of a deployment, and of the local stack. Throws when an upstream is not on loopback. */
export function createEgress(options: EgressOptions = {}): Egress {
  return createEgressTrusting({ judge: judgeAddress, ca: undefined }, options);
}

/**
 * For the tests of the connection itself, which need a real server and have only loopback to run one on: addresses are
 * judged by `judge` and certificates by `ca`. Nothing but a test file may call this.
 */
export function createEgressTrusting(
  { judge, ca }: { judge: Judge; ca: string | undefined },
  { resolve = resolveBySystem, upstreams = new Map(), extraCa, now = () => performance.now() }: EgressOptions,
): Egress {
  for (const [host, target] of upstreams) {
    if (!isLoopback(target)) throw new TypeError(`The upstream of ${host} is not a loopback address`);
  }
  const connections = createConnections();
  const turns = createTurns(HOST_ROOM);
  const findRoom = createLongAnswers();
  const breaker = createBreaker({ now });

  async function send(
    request: OutgoingRequest,
    options: SendOptions,
  ): Promise<Result<UpstreamAnswer, EgressRefusal>> {
    const verdict = judgeUrl(request.url);
    if (!verdict.ok) {
      return unsent(refuse("address_refused", { detail: `The address is refused: ${verdict.why}.` }));
    }
    const { url, host: name } = verdict;
    if (url.host !== options.host) {
      return unsent(refuse("host_refused", {
        detail:
          `The request goes to ${url.host}, but this tool may reach ${options.host} only. Nothing was sent.`,
      }));
    }
    const deadline = startDeadline(options);
    try {
      const turn = await takeTurn(options, deadline);
      if (!turn.ok) return turn;
      try {
        const outgoing = { ...request, url: url.href, headers: withDefaults(request.headers) };
        options.onTurn?.();
        return await tryHost({ url, name, request: outgoing, options, deadline });
      } finally {
        turn.value();
      }
    } finally {
      deadline.end();
    }
  }

  async function takeTurn(
    options: SendOptions,
    deadline: Deadline,
  ): Promise<Result<GiveBack, EgressRefusal>> {
    try {
      const { workspaceId = "" } = options;
      const giveBack = await turns.take(options.host, { workspaceId, signal: deadline.signal });
      return giveBack === null
        ? unsent({ refusal: tooManyWait(options.host) })
        : { ok: true, value: giveBack };
    } catch (error) {
      if (deadline.hasPassed()) return { ok: false, refusal: neverItsTurn(options) };
      throw error;
    }
  }

  /** One try, which the breaker hears about however it ends. */
  async function tryHost(attempt: Attempt): Promise<Result<WireAnswer, EgressRefusal>> {
    const { host } = attempt.options;
    const leftAlone = breaker.ask(host);
    if (leftAlone !== null) {
      attempt.options.onHost?.(false);
      return unsent({ refusal: leftAloneRefusal(host, leftAlone) });
    }
    const triedAt = now();
    let tried: Tried = "unknown";
    try {
      const answer = await resolveAndSend(attempt);
      tried = triedOf(answer, now() - triedAt);
      if (typeof tried === "object") attempt.options.onHost?.(false);
      return answer;
    } finally {
      breaker.report(host, tried);
    }
  }

  async function resolveAndSend(attempt: Attempt): Promise<Result<WireAnswer, EgressRefusal>> {
    const { url, name, options, deadline } = attempt;
    const progress: Progress = { sent: false, status: undefined };
    try {
      const route = await untilAborted(findRoute(url, name), deadline.signal);
      return route.ok ? await sendAlong(route.value, { attempt, progress }) : unsent(route);
    } catch (error) {
      if (deadline.hasPassed()) return { ok: false, refusal: timedOut(options, { sent: progress.sent }) };
      options.signal?.throwIfAborted();
      if (error instanceof Refused) return { ok: false, refusal: { ...error.refusal, ...seen(progress) } };
      return { ok: false, refusal: describeFailure(error, { host: url.host, sent: progress.sent }) };
    }
  }

  async function findRoute(url: URL, host: string): Promise<Result<Route>> {
    const serverName = readLiteral(host) === null ? host : null;
    const local = upstreams.get(url.host);
    if (local !== undefined) {
      const { protocol, hostname, port } = local;
      const target = {
        protocol: protocol === "http:" ? "http:" : "https:",
        address: readLiteral(hostname) ?? hostname,
        port: port || (protocol === "http:" ? "80" : "443"),
      } as const;
      return { ok: true, value: { origin: url.origin, serverName, targets: [target], ca: extraCa } };
    }
    const addresses = await resolvePublic(host, { resolve, judge });
    if (!addresses.ok) return addresses;
    const targets = addresses.value.map((address) => ({
      protocol: "https:",
      address,
      port: url.port || "443",
    } as const));
    return { ok: true, value: { origin: url.origin, serverName, targets, ca } };
  }

  async function sendAlong(
    route: Route,
    { attempt: { request, options, deadline }, progress }: { attempt: Attempt; progress: Progress },
  ): Promise<Result<WireAnswer, EgressRefusal>> {
    const fresh = options.fresh ? connections.freshTo(route) : null;
    const { host, maxBytes, workspaceId = "", onHeld } = options;
    const room = findRoom({ workspaceId, signal: deadline.signal, maxBytes });
    onHeld?.(room.giveBack);
    try {
      const answer = await exchange(fresh?.dispatcher ?? connections.keptTo(route), request, {
        signal: deadline.signal,
        onSend: () => {
          const refusal = options.mayLeave?.() ?? null;
          progress.sent ||= refusal === null;
          return refusal;
        },
        judge: (head) => {
          progress.status = head.status;
          options.onHost?.(true);
          expectLength(head, room);
          return judgeHead(head, { request, host, maxBytes });
        },
        judgeLength: (bytes) => bytes > maxBytes ? tooLarge(host, maxBytes) : null,
        grow: room.grow,
        findEnd: options.findEnd,
      });
      const decoded = await decodeAnswer(answer, { host, maxBytes, grow: room.grow });
      if (decoded.ok) await room.open(decoded.value.body);
      return decoded.ok ? decoded : { ok: false, refusal: { ...decoded.refusal, ...seen(progress) } };
    } finally {
      if (onHeld === undefined) room.giveBack();
      await fresh?.end();
    }
  }

  return { send, close: () => connections.close() };
}

/** How far a request came. */
interface Progress {
  sent: boolean;
  /** Of the answer, once its head is there. */
  status: number | undefined;
}

function seen({ sent, status }: Progress): Pick<EgressRefusal, "sent" | "status"> {
  return status === undefined ? { sent } : { sent, status };
}

/** A request that has its turn. */
interface Attempt {
  readonly url: URL;
  /** Of the host, without port. */
  readonly name: string;
  readonly request: OutgoingRequest;
  readonly options: SendOptions;
  readonly deadline: Deadline;
}

/**
 * What a try tells of its host. Only what no request can bring about by itself counts against a host, so that nobody
 * takes it from others: it could not be reached, or within a fair time no request could be sent.
 */
function triedOf(answer: Result<unknown, EgressRefusal>, tookMs: number): Tried {
  if (answer.ok || answer.refusal.sent) return "reached";
  const { reason, detail = "" } = answer.refusal;
  const isDead = reason === "upstream_unreachable" ||
    (reason === "upstream_timed_out" && tookMs >= CONNECT_TIMEOUT_MS);
  return isDead ? { failed: detail } : "unknown";
}

/** What already the head of an answer rules out. A 304 names no other place; its Location is not one to go to. */
function judgeHead(
  { status, headers }: AnswerHead,
  { request, host, maxBytes }: { request: OutgoingRequest; host: string; maxBytes: number },
): Refusal | null {
  if (status >= 300 && status < 400 && status !== 304 && headers.has("location")) {
    return {
      reason: "upstream_refused_redirect",
      detail: `${host} answered ${status} and names another place. A redirect is never followed.`,
      hint: "Put the final address into the tool's URL.",
    };
  }
  if (readContentEncoding(headers.get("content-encoding")) === null) {
    return {
      reason: "upstream_bad_answer",
      detail:
        `${host} answered in a content encoding that was not asked for; asked for is ${ACCEPTED_ENCODINGS}.`,
    };
  }
  const hasBody = request.method !== "HEAD" && status !== 204 && status !== 304;
  return hasBody && Number(headers.get("content-length")) > maxBytes ? tooLarge(host, maxBytes) : null;
}

/** A length that is said is the one that comes, or the answer is refused; of a packed answer it says nothing. */
function expectLength({ headers }: AnswerHead, room: AnswerRoom): void {
  const length = headers.get("content-length");
  const isPacked = readContentEncoding(headers.get("content-encoding")) !== "identity";
  if (length !== null && /^\d+$/.test(length) && !isPacked) room.expect(Number(length));
}

async function decodeAnswer(
  answer: WireAnswer,
  { host, maxBytes, grow }: { host: string; maxBytes: number; grow: Grow },
): Promise<Result<WireAnswer>> {
  const encoding = readContentEncoding(answer.headers.get("content-encoding"))!;
  const body = await decodeBody(answer.body, { encoding, maxBytes, grow });
  if (body === "too_large") return { ok: false, refusal: tooLarge(host, maxBytes) };
  if (body === "unreadable") {
    const detail = `The body of the answer of ${host} is not valid ${encoding}, which it says it is.`;
    return refuse("upstream_bad_answer", { detail });
  }
  return { ok: true, value: { ...answer, body } };
}

function withDefaults(headers: OutgoingRequest["headers"]): OutgoingRequest["headers"] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const defaults: OutgoingRequest["headers"] = [
    ["Accept-Encoding", ACCEPTED_ENCODINGS],
    ["User-Agent", "Framed-Tools/1"],
  ];
  return [...headers, ...defaults.filter(([name]) => !names.has(name.toLowerCase()))];
}

function unsent<T>({ refusal }: { refusal: Refusal }): Result<T, EgressRefusal> {
  return { ok: false, refusal: { ...refusal, sent: false } };
}
