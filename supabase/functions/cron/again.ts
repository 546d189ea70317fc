/** One tick more: a tick that left work behind has the function asked again at once, without anybody waiting for it. */

import type { Work } from "../_shared/outcome/work.ts";

/** Says how many ticks that asked for the next one came before; a tick from outside says nothing. */
export const DEPTH_HEADER = "x-framed-tick-depth";

/** Ticks that one from outside brings about at most. The next minute's begins anew. */
export const MAX_DEPTH = 30;

/** Longer than a tick takes, in milliseconds. */
const ANSWER_TIMEOUT_MS = 60_000;

/** How another tick is asked for. */
export interface Again {
  /** Where. Redirects are not followed: the secret goes to this address only. */
  readonly url: string;
  /** Aborts when the process is about to end: nothing is asked for then. */
  readonly ending?: AbortSignal;
  /** Keeps the process for what outlasts the answer. On the edge the platform does where this is left out. */
  readonly waitUntil?: (work: Promise<void>) => void;
}

/** Where the functions of a project are asked for a tick. */
export function tickUrlOf(supabaseUrl: string): string {
  return `${supabaseUrl.replace(/\/+$/, "")}/functions/v1/cron/tick`;
}

/** How deep in its chain a tick is. What is no number ends the chain. */
export function readDepth(header: string | undefined): number {
  if (header === undefined) return 0;
  return /^\d{1,3}$/.test(header) ? Number(header) : MAX_DEPTH;
}

/**
 * Whether what is left is worth another tick now: some of this one's work went well, and the chain is not too long. What
 * only failed, or only was in the way, is for the next minute.
 */
export function goesOn({ more, claimed, failed }: Work, depth: number): boolean {
  return more && claimed > failed && depth < MAX_DEPTH;
}

/**
 * Asks for another tick, by the same clock where the caller said one. Returns at once. Nobody is told what came of the tick
 * but its own log; `report` takes why it was not asked for, in words without the secret.
 */
export function askAgain(
  { url, ending, waitUntil = waitUntilOnEdge }: Again,
  { secret, depth, now, report }: {
    secret: string;
    depth: number;
    now: Date | undefined;
    report: (error: unknown) => void;
  },
): void {
  if (ending?.aborted) return;
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const asked = fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      [DEPTH_HEADER]: String(depth + 1),
    },
    body: JSON.stringify(now === undefined ? {} : { now: now.toISOString() }),
    redirect: "manual",
    signal: ending === undefined ? timeout : AbortSignal.any([timeout, ending]),
  }).then(async ({ ok, status, body }) => {
    await body?.cancel();
    if (!ok) throw new TickRefused(`It was answered with status ${status}`, status);
  }).catch((error) => {
    if (!ending?.aborted) report(error);
  });
  waitUntil(asked);
}

/** The function answered another tick with no tick. */
class TickRefused extends Error {
  override name = "TickRefused";
  readonly code: string;
  constructor(message: string, status: number) {
    super(message);
    this.code = String(status);
  }
}

/** An edge function is frozen once it has answered, unless it says what is still to be done. */
function waitUntilOnEdge(work: Promise<void>): void {
  (globalThis as { EdgeRuntime?: { waitUntil(work: Promise<void>): void } }).EdgeRuntime?.waitUntil(work);
}
