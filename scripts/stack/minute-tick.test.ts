import { assertEquals } from "@std/assert";
import { startMinuteTick } from "./minute-tick.ts";

const SECRET = "secret-of-a-test";

/** A tick whose minutes are over at once: the clock stands `leftMs` before the next one. */
function start(answer: (request: Request) => Response | Promise<Response>, { leftMs = 1 } = {}) {
  const reports: string[] = [];
  const requests: Request[] = [];
  const reached = new Map<number, () => void>();
  const tick = startMinuteTick({
    cron(request) {
      requests.push(request);
      reached.get(requests.length)?.();
      return answer(request);
    },
    secret: SECRET,
    report: (line) => reports.push(line),
    nowMs: () => 60_000 - leftMs,
  });
  const until = (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (requests.length >= count) resolve();
    else reached.set(count, resolve);
    return promise;
  };
  return { tick, reports, requests, until };
}

Deno.test("startMinuteTick() asks as pg_cron does, minute after minute, and not once it is stopped", async () => {
  const { tick, reports, requests, until } = start(() => Response.json({ ok: true, failed: 0 }));
  await until(3);
  await tick.stop();
  const count = requests.length;
  const [{ method, url, headers }] = requests as [Request];
  assertEquals([method, new URL(url).pathname, headers.get("authorization")], [
    "POST",
    "/cron/tick",
    `Bearer ${SECRET}`,
  ]);
  // A timer that were still set would fail the test by itself.
  assertEquals([requests.length, reports], [count, []]);
});

Deno.test("startMinuteTick() begins no tick while one is under way, and waits for it when it is stopped", async () => {
  const gate = Promise.withResolvers<Response>();
  const { tick, requests, until } = start(() => gate.promise);
  await until(1);
  let stopped = false;
  const stopping = tick.stop().then(() => stopped = true);
  await Promise.resolve();
  assertEquals([requests.length, stopped], [1, false]);
  gate.resolve(Response.json({ ok: true, failed: 0 }));
  await stopping;
});

Deno.test("startMinuteTick() says what went wrong in one line, and goes on", async () => {
  const answers: (() => Response)[] = [
    () =>
      Response.json({ title: "The store cannot be reached right now", detail: "Nothing was changed." }, {
        status: 503,
      }),
    () => Response.json({ ok: true, failed: 2 }),
    () => {
      throw new Error("it broke");
    },
  ];
  const { tick, reports, until } = start(() => answers.shift()?.() ?? Response.json({ ok: true, failed: 0 }));
  await until(4);
  await tick.stop();
  assertEquals(reports, [
    "The minute tick did not run: The store cannot be reached right now. Nothing was changed.",
    "The minute tick failed at 2 of what it had to do; the next one tries again.",
    "The minute tick did not run: it broke",
  ]);
});
