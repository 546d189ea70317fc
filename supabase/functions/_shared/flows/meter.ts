/** The way out for one call: tells whose it is and measures where its time goes, waiting for its turn or at the other system. */

import type { Egress, SendOptions } from "../egress/guarded-fetch.ts";
import type { LogEvent } from "../log/event.ts";

/** What went out and came back, for the log row; null where nothing went out, or no whole answer came. */
export type Measured =
  & Required<Pick<LogEvent, "queue_ms" | "upstream_ms" | "answer_bytes">>
  & Pick<LogEvent, "host_answered">;

/** The way out for one call. */
export interface CallEgress {
  readonly egress: Egress;
  /**
   * What was measured so far, over every request of the call. It counts also what failed: a request that waited for an
   * answer until its time was over took that time.
   */
  measured(): Measured;
  /** Gives back the room of the call's last answer, which is not held any more; the next request gives it back too. */
  end(): void;
}

/**
 * `egress` for one call of a workspace, cut off when `signal` aborts; every request of it is held to `mayLeave`. Whoever asks
 * for it has to end it.
 */
export function meterEgress(
  { send, close }: Egress,
  { workspaceId, signal, mayLeave, now = () => performance.now() }: {
    workspaceId: string;
    signal?: AbortSignal;
    mayLeave?: SendOptions["mayLeave"];
    now?: () => number;
  },
): CallEgress {
  let giveBackRoom = () => {};
  let hostAnswered: boolean | undefined;
  const sums: { queued: number; upstream: number; bytes: number | null; sent: boolean } = {
    queued: 0,
    upstream: 0,
    bytes: null,
    sent: false,
  };
  return {
    egress: {
      close,
      async send(request, options) {
        sums.sent = true;
        // Whoever held room while waiting for more could wait for itself.
        giveBackRoom();
        const askedAt = now();
        let turnAt: number | null = null;
        const onTurn = () => {
          turnAt = now();
          options.onTurn?.();
        };
        try {
          const answer = await send(request, {
            ...options,
            workspaceId,
            ...(signal === undefined ? {} : { signal }),
            ...(mayLeave === undefined ? {} : { mayLeave }),
            onTurn,
            onHost: (answered) => hostAnswered = answered,
            onHeld: (giveBack) => giveBackRoom = giveBack,
          });
          if (answer.ok) sums.bytes = (sums.bytes ?? 0) + answer.value.body.byteLength;
          return answer;
        } finally {
          const endedAt = now();
          // What never got its turn has only waited.
          sums.queued += (turnAt ?? endedAt) - askedAt;
          sums.upstream += turnAt === null ? 0 : endedAt - turnAt;
        }
      },
    },
    end: () => giveBackRoom(),
    measured: () => ({
      queue_ms: sums.sent ? Math.round(sums.queued) : null,
      upstream_ms: sums.sent ? Math.round(sums.upstream) : null,
      answer_bytes: sums.bytes,
      ...(hostAnswered === undefined ? {} : { host_answered: hostAnswered }),
    }),
  };
}
