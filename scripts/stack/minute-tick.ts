/** The local stack's clock in place of pg_cron: at the start of every minute, one tick. */

import type { FunctionHandler } from "./functions.ts";
import { systemWords } from "./stack-problem.ts";

const MINUTE_MS = 60_000;
const DRAIN_MS = 2_000;

export interface MinuteTick {
  /** No tick begins any more. Waits a moment for one that is under way; what it had not finished is for another start. */
  stop(): Promise<void>;
}

/**
 * Ticks at the start of each minute until it is stopped. A minute that comes while a tick is still under way is left
 * out: the next one does its work.
 */
export function startMinuteTick(
  { cron, secret, report, nowMs = Date.now }: {
    cron: FunctionHandler;
    secret: string;
    report: (line: string) => void;
    nowMs?: () => number;
  },
): MinuteTick {
  let stopped = false;
  let underWay: Promise<void> = Promise.resolve();
  let timer = setTimeout(next, untilNextMinute());

  function next(): void {
    underWay = tick().finally(() => {
      if (!stopped) timer = setTimeout(next, untilNextMinute());
    });
  }

  function untilNextMinute(): number {
    return MINUTE_MS - nowMs() % MINUTE_MS;
  }

  async function tick(): Promise<void> {
    try {
      const response = await cron(
        new Request("http://127.0.0.1/cron/tick", {
          method: "POST",
          headers: { authorization: `Bearer ${secret}` },
        }),
      );
      const { failed, title, detail } = await response.json();
      if (!response.ok) report(`The minute tick did not run: ${title}. ${detail}`);
      else if (failed > 0) {
        report(`The minute tick failed at ${failed} of what it had to do; the next one tries again.`);
      }
    } catch (error) {
      if (!stopped) report(`The minute tick did not run: ${systemWords(error)}`);
    }
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, DRAIN_MS);
      await Promise.race([underWay, promise]);
      clearTimeout(limit);
    },
  };
}
