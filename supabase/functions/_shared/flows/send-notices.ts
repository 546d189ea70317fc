/** The tick's notices: tells the webhooks of workspaces that something waits, where it still does. */

import type { EgressRefusal, UpstreamAnswer } from "../egress/guarded-fetch.ts";
import { nextAttemptAt } from "../notices/back-off.ts";
import { messageBody } from "../notices/message.ts";
import { signedHeaders } from "../notices/signature.ts";
import {
  type Attempted,
  forgetEnded,
  type OutgoingMessage,
  settleTurn,
  takeTurn,
  type Turn,
} from "../notices/store.ts";
import type { Result } from "../outcome/result.ts";
import { addWork, NO_WORK, type Share, type Work } from "../outcome/work.ts";
import { readRetryAfter } from "../results/retry-after.ts";
import { openSecrets } from "../secrets/vault.ts";
import { meterEgress } from "./meter.ts";
import { SIGNING_SECRET } from "./set-webhook.ts";
import type { TickMeans } from "./tick.ts";

/** What the job works with. */
export type NoticeMeans = Pick<TickMeans, "db" | "egress" | "keyRing" | "consoleUrl">;

/** What is the machine's, unless a test says otherwise. */
export interface Machine {
  /** Says when a message goes out: receivers compare it with their own clock, whatever the tick's says. */
  readonly clock?: () => Date;
  readonly random?: () => number;
  readonly attemptTimeoutMs?: number;
}

/** Everything of one attempt: a receiver that wants to do more does it after it has answered. */
const ATTEMPT_TIMEOUT_MS = 10_000;
/** Of an answer, which nobody looks at: its status says it all. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Turns that are taken at once, of webhooks that do well and of those that fail. */
const TURNS_AT_ONCE = { well: 16, failing: 8 };
/** Notices that are forgotten by one statement. */
const FORGET_BATCH = 1_000;

/**
 * Tells every webhook that has something due, one turn of a workspace at a time, longest due first. Webhooks that fail
 * have turns of their own, so that however many hang, the others are told meanwhile.
 *
 * Each attempt is in the database before it is made, and a retry has the same id: a tick that dies in between, or whose
 * lease ran out, makes a second attempt of the same message and never another message. Two ticks at once take different
 * turns. Counts messages: delivered as done, to be tried again as waiting, given up as failed.
 */
export async function sendNotices(means: NoticeMeans, share: Share, machine: Machine = {}): Promise<Work> {
  let work = NO_WORK;
  const broken: unknown[] = [];
  const players: Promise<void>[] = [];

  /** Takes turns until none is due. Whoever got one has another beside, so that a tick with nothing to tell asks twice. */
  async function takeTurns(failing: boolean, beside: number): Promise<void> {
    for (let others = beside;;) {
      if (!share.hasTime()) return void (work = { ...work, more: true });
      const turn = await takeTurn(means.db, { now: share.now, failing });
      if (turn === null) return;
      if (others > 0) start(failing, others - 1);
      others = 0;
      const played = await playTurn(turn, { means, share, machine });
      work = addWork(work, played);
      // It does well again: what else is due to it may come after whoever asked for those that do.
      if (failing && played.done > 0) start(false, 0);
    }
  }
  function start(failing: boolean, beside: number): void {
    players.push(takeTurns(failing, beside).catch((error) => void broken.push(error)));
  }

  start(false, TURNS_AT_ONCE.well - 1);
  start(true, TURNS_AT_ONCE.failing - 1);
  // More may start while one is waited for.
  for (let index = 0; index < players.length; index++) await players[index];
  if (broken.length > 0) throw broken[0];
  while (
    share.hasTime() && await forgetEnded(means.db, { now: share.now, limit: FORGET_BATCH }) === FORGET_BATCH
  );
  return work;
}

interface Playing {
  readonly means: NoticeMeans;
  readonly share: Share;
  readonly machine: Machine;
}

/** Sends the messages of one turn, side by side, and writes down what became of them. */
async function playTurn(turn: Turn, { means, share, machine }: Playing): Promise<Work> {
  if (turn.messages.length === 0) return NO_WORK;
  const secret = await openSigningSecret(turn, { means, share });
  const attempted = new Map(
    await Promise.all(turn.messages.map(async (message): Promise<[string, Attempted]> => {
      const answered = secret.ok
        ? await send(turn, { message, secret: secret.value, means, share, machine })
        : { status: secret.refusal };
      return [message.id, judge(answered, { message, share, machine })];
    })),
  );
  const isOurs = await settleTurn(means.db, { turn, attempted, now: share.now });
  if (!isOurs) return { ...NO_WORK, claimed: attempted.size, waiting: attempted.size };
  return [...attempted.values()].map(workOf).reduce(addWork, NO_WORK);
}

/** The signing secret, or the reason there is none to be had. */
async function openSigningSecret(
  { workspaceId, ...sealed }: Turn,
  { means: { keyRing }, share }: Pick<Playing, "means" | "share">,
): Promise<Result<string, "store_unavailable" | "internal">> {
  if (keyRing === null) return { ok: false, refusal: "store_unavailable" };
  const stored = { ...sealed, name: SIGNING_SECRET, host: "", is_credential: true };
  try {
    const opened = await openSecrets([stored], { keyRing, workspaceId });
    return { ok: true, value: opened.get(SIGNING_SECRET)! };
  } catch (error) {
    share.report(error, { workspace_id: workspaceId });
    return { ok: false, refusal: "internal" };
  }
}

/** What one attempt was answered. */
interface Answered {
  /** The HTTP status, or the reason there is none. */
  readonly status: number | string;
  readonly askedSeconds?: number | undefined;
}

async function send(
  { workspaceId, url }: Turn,
  { message, secret, means: { egress, consoleUrl }, share, machine }:
    & Playing
    & { message: OutgoingMessage; secret: string },
): Promise<Answered> {
  const { clock = () => new Date(), attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = machine;
  const body = messageBody({ ...message, workspaceId }, { consoleUrl });
  const sentAt = clock();
  const headers: [string, string][] = [
    ["Content-Type", "application/json"],
    ...signedHeaders(body, { secret, messageId: message.id, sentAt }),
  ];
  const metered = meterEgress(egress, { workspaceId });
  try {
    const answer = await metered.egress.send({ method: "POST", url, headers, body }, {
      host: new URL(url).host,
      timeoutMs: attemptTimeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    });
    return readAnswer(answer, sentAt);
  } catch (error) {
    share.report(error, { workspace_id: workspaceId });
    return { status: "internal" };
  } finally {
    metered.end();
  }
}

function readAnswer(answer: Result<UpstreamAnswer, EgressRefusal>, at: Date): Answered {
  if (answer.ok) {
    const { status, headers } = answer.value;
    return { status, askedSeconds: readRetryAfter(headers, { nowMs: at.getTime() }) };
  }
  const { reason, status, retryAfterSeconds } = answer.refusal;
  // Nobody reads the body, so one that is too long or cannot be unpacked takes nothing from a message that arrived.
  if (status !== undefined && reason !== "upstream_refused_redirect") return { status };
  return { status: reason, askedSeconds: retryAfterSeconds };
}

function judge(
  { status, askedSeconds }: Answered,
  { message, share: { now }, machine: { random = Math.random } }: Omit<Playing, "means"> & {
    message: OutgoingMessage;
  },
): Attempted {
  const text = String(status);
  if (typeof status === "number" && status >= 200 && status < 300) {
    return { became: "delivered", status: text };
  }
  if (status === 410) return { became: "gone", status: text };
  const next = nextAttemptAt(message.attempts, {
    now,
    random: random(),
    ...(askedSeconds === undefined ? {} : { askedSeconds }),
  });
  return next === null
    ? { became: "failed", status: text }
    : { became: "waiting", status: text, nextAttemptAt: next };
}

function workOf({ became }: Attempted): Work {
  const one = { ...NO_WORK, claimed: 1 };
  switch (became) {
    case "delivered":
      return { ...one, done: 1 };
    case "waiting":
      return { ...one, waiting: 1 };
    case "failed":
    case "gone":
      return { ...one, failed: 1 };
    default:
      became satisfies never;
      throw new TypeError("unknown outcome");
  }
}
