import { assertEquals, assertRejects } from "@std/assert";
import type { Database } from "../db/client.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import { NO_WORK, type Share, type Work } from "../outcome/work.ts";
import { runTick } from "./tick.ts";

const NOW = new Date("2026-11-30T12:00:00Z");
const one: Work = { claimed: 3, done: 1, waiting: 1, failed: 1, more: false };

/** Runs jobs over a clock that only they move, in a tick of 90 seconds. */
async function tickOver(
  jobs: readonly { name: string; run: (share: Share, clock: { ms: number }) => Work }[],
) {
  const clock = { ms: 5_000 };
  const reports: [string, Record<string, string>][] = [];
  const work = await runTick(
    {
      db: null as unknown as Database,
      egress: null as unknown as Egress,
      keyRing: null,
      consoleUrl: "https://console.example",
      now: NOW,
      report: (error, about) => void reports.push([(error as Error).message, about]),
    },
    {
      jobs: jobs.map(({ name, run }) => ({
        name,
        // What a job throws, it throws later.
        run: (_means, share) => Promise.resolve().then(() => run(share, clock)),
      })),
      timeoutMs: 90_000,
      elapsed: () => clock.ms,
    },
  );
  return { work, reports };
}

Deno.test("runTick() runs every job in order, at the tick's time, and adds up what they did", async () => {
  const ran: [string, Date][] = [];
  const job = (name: string) => ({ name, run: ({ now }: Share) => (ran.push([name, now]), one) });
  const { work } = await tickOver([job("first"), job("second")]);
  assertEquals(work, { claimed: 6, done: 2, waiting: 2, failed: 2, more: false });
  assertEquals(ran, [["first", NOW], ["second", NOW]]);
});

Deno.test("runTick() says more where one job has more", async () => {
  const { work } = await tickOver([{ name: "a", run: () => ({ ...one, more: true }) }, {
    name: "b",
    run: () => one,
  }]);
  assertEquals(work.more, true);
});

Deno.test("runTick() gives each job an equal share of what is left, and passes on what one does not use", async () => {
  const shares: number[] = [];
  const greedy = (usesMs: number) => ({
    name: "job",
    run({ hasTime }: Share, clock: { ms: number }) {
      const startedAt = clock.ms;
      while (hasTime()) clock.ms += 1_000;
      shares.push(clock.ms - startedAt);
      clock.ms = startedAt + Math.min(usesMs, clock.ms - startedAt);
      return NO_WORK;
    },
  });
  await tickOver([greedy(10_000), greedy(90_000), greedy(90_000)]);
  assertEquals(shares, [30_000, 40_000, 40_000]);
});

Deno.test("runTick() counts a job that breaks, names it, and runs the others", async () => {
  const { work, reports } = await tickOver([
    {
      name: "broken",
      run() {
        throw new Error("it broke");
      },
    },
    { name: "whole", run: ({ report }) => (report(new Error("one piece"), { workspace_id: "w" }), one) },
  ]);
  assertEquals(work, { claimed: 4, done: 1, waiting: 1, failed: 2, more: false });
  assertEquals(reports, [["it broke", { job: "broken" }], ["one piece", {
    job: "whole",
    workspace_id: "w",
  }]]);
});

Deno.test("runTick() throws where the store is away: nothing else could be done either", async () => {
  const away = Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
  await assertRejects(
    () =>
      tickOver([{
        name: "a",
        run() {
          throw away;
        },
      }]),
    Error,
    "gone",
  );
});
