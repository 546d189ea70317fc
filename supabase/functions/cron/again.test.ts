/** Ticks that ask for the next one, over real HTTP on loopback. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { withErrorOutput } from "../../../scripts/testing/error-output.ts";
import { openFile } from "../../../scripts/testing/files.ts";
import { addManyFollowUps, hoursLater } from "../../../scripts/testing/follow-ups.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { CRON_SECRET, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { createEgress } from "../_shared/egress/guarded-fetch.ts";
import { createServices } from "../_shared/http/services.ts";
import { NO_WORK } from "../_shared/outcome/work.ts";
import { type Again, DEPTH_HEADER, goesOn, MAX_DEPTH, readDepth, tickUrlOf } from "./again.ts";
import { createApp } from "./app.ts";

/** What the ledger says is booked, or that it says nothing. */
let ledgerAnswers = () => Response.json({ rows: [{ number: "2026-7" }] });
const ledger = startUpstream(() => ledgerAnswers(), { remembers: false });
const upstreams = new Map([["ledger.example", ledger.url]]);
const workspace = await openTestWorkspace({ upstreams });
const { sql } = workspace.database;
const egress = createEgress({ upstreams });
const services = await createServices({
  databaseUrl: workspace.database.url,
  databaseConnections: 4,
  supabaseUrl: "http://127.0.0.1:1",
  publishableKey: "unused",
  consoleUrl: "https://console.example",
  consoleOrigins: [],
});
globalThis.addEventListener("unload", () => {
  egress.close();
  services.close();
  ledger.close();
  workspace.close();
});
const booked = openFile({
  slug: "ledger_booked",
  arguments: { type: "object", properties: { number: { type: "string" } } },
  request: { method: "GET", url: "https://ledger.example/booked?number={number}" },
});
assertEquals((await workspace.define(booked)).status, 200);

/** The function behind a real server, which is where it asks for another tick unless `url` says otherwise. */
function serve({ url, ending }: Partial<Again> = {}) {
  const depths: (string | null)[] = [];
  const bodies: string[] = [];
  const outlasting: Promise<void>[] = [];
  // What answers is known once the port is.
  let answer: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    depths.push(request.headers.get(DEPTH_HEADER));
    const body = await request.text();
    bodies.push(body);
    return await answer(new Request(request.url, { method: request.method, headers: request.headers, body }));
  });
  const address = `http://127.0.0.1:${server.addr.port}/cron/tick`;
  const app = createApp({
    ...services,
    egress,
    cronSecret: CRON_SECRET,
    takesNow: true,
    again: {
      url: url ?? address,
      ...(ending === undefined ? {} : { ending }),
      waitUntil: (work) => outlasting.push(work),
    },
  });
  answer = (request) => app.fetch(request);
  return {
    depths,
    bodies,
    /** One tick from outside, or from within a chain. */
    async tick(depth?: number) {
      const response = await fetch(address, {
        method: "POST",
        headers: {
          authorization: `Bearer ${CRON_SECRET}`,
          ...(depth === undefined ? {} : { [DEPTH_HEADER]: String(depth) }),
        },
        body: JSON.stringify({ now: NOW.toISOString() }),
      });
      const body = await response.json();
      assertEquals(response.status, 200, JSON.stringify(body));
      return body;
    },
    /** Until no tick asks for another one any more. */
    async settled(): Promise<number> {
      let asked = 0;
      for (let work = outlasting.shift(); work !== undefined; work = outlasting.shift(), asked++) await work;
      return asked;
    },
    stop: () => server.shutdown(),
  };
}

const NOW = hoursLater(3);

/** As many checks as `count` says are due, and nothing else. */
async function makeDue(count: number): Promise<void> {
  await sql`truncate framed.v2_follow_ups, framed.v2_follow_up_turns`;
  if (count > 0) await addManyFollowUps(sql, { workspaceId: workspace.id, count });
}
const countOf = async (status: string): Promise<number> =>
  (await sql`select count(*)::int as count from framed.v2_follow_ups where status = ${status}`)[0]!.count;

databaseTest("1,200 due checks are all done after one tick from outside, by its clock", async () => {
  await makeDue(1200);
  const { tick, settled, depths, bodies, stop } = serve();
  const first = await tick();
  assertEquals([first.more, first.failed], [true, 0]);
  await settled();
  assertEquals([await countOf("done"), await countOf("waiting")], [1200, 0]);
  assertEquals(depths, [null, "1", "2"]);
  assertEquals(new Set(bodies), new Set([JSON.stringify({ now: NOW.toISOString() })]));
  await stop();
});

databaseTest("two chains at once check everything once", async () => {
  await makeDue(1200);
  const { tick, settled, stop } = serve();
  const works = await Promise.all([tick(), tick()]);
  assertEquals(works.map(({ failed }) => failed), [0, 0]);
  await settled();
  const [row] =
    await sql`select count(*)::int as count, sum(checks)::int as checks from framed.v2_follow_ups where status = 'done'`;
  assertEquals([row!.count, row!.checks], [1200, 1200]);
  await stop();
});

databaseTest("a tick with nothing left, or of which everything failed, asks for no other", async () => {
  const { tick, settled, stop } = serve();
  await makeDue(0);
  // What the tests before it left to the log is sealed, once nothing beside it is under way any more.
  while ((await tick()).waiting > 0);
  await settled();
  assertEquals((await tick()).more, false);
  assertEquals(await settled(), 0);
  await makeDue(501);
  ledgerAnswers = () => new Response("down", { status: 500 });
  const all = await tick();
  ledgerAnswers = () => Response.json({ rows: [{ number: "2026-7" }] });
  assertEquals([all.more, all.failed, all.claimed], [true, 500, 500]);
  assertEquals(await settled(), 0);
  await stop();
});

databaseTest("a chain ends at its bound, whatever is left", async () => {
  await makeDue(1200);
  const { tick, settled, depths, stop } = serve();
  assertEquals((await tick(MAX_DEPTH - 1)).more, true);
  await settled();
  assertEquals(depths, [String(MAX_DEPTH - 1), String(MAX_DEPTH)]);
  assert(await countOf("waiting") > 0);
  await stop();
});

databaseTest(
  "a tick that cannot ask for another says so, and neither there nor in its answer its secret",
  async () => {
    const away = startUpstream(() =>
      new Response(null, { status: 302, headers: { location: "/elsewhere" } })
    );
    const closed = startUpstream(() => new Response());
    await closed.close();
    for (
      const [url, cause] of [[away.url.href, "TickRefused"], [closed.url.href, "TypeError"]] as const
    ) {
      await makeDue(501);
      const { tick, settled, stop } = serve({ url });
      const { value: [work, asked], lines } = await withErrorOutput(
        async () => [await tick(), await settled()],
      );
      assertEquals([work.ok, work.more, asked], [true, true, 1]);
      const said = lines.map((line) => JSON.parse(line));
      assertEquals(said.map(({ level, event, cause }) => [level, event, cause.split(" ")[0]]), [
        ["error", "tick_not_asked_again", cause],
      ]);
      assertEquals(said[0].request_id, work.request_id);
      for (const text of [...lines, JSON.stringify([work, await workspace.log()])]) {
        assert(!text.includes(CRON_SECRET));
      }
      await stop();
    }
    assertEquals(away.requests.map(({ headers }) => headers.get("authorization")), [`Bearer ${CRON_SECRET}`]);
    await away.close();
  },
);

databaseTest(
  "a process that is about to end asks for no other tick, and gives up one it waits for",
  async () => {
    const ending = new AbortController();
    const arrived = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const slow = startUpstream(async () => {
      arrived.resolve();
      await leave.promise;
      return new Response();
    });
    await makeDue(1200);
    const { tick, settled, stop } = serve({ url: slow.url.href, ending: ending.signal });
    const { lines } = await withErrorOutput(async () => {
      await tick();
      await arrived.promise;
      ending.abort();
      assertEquals(await settled(), 1);
      assertEquals((await tick()).more, true);
      assertEquals(await settled(), 0);
    });
    assertEquals(lines, []);
    leave.resolve();
    await stop();
    await slow.close();
  },
);

Deno.test("goesOn() wants work that is left, some that went well, and a chain that is not too long", () => {
  const well = { ...NO_WORK, claimed: 2, failed: 1, more: true };
  const table: [work: typeof well, depth: number, goes: boolean][] = [
    [well, 0, true],
    [well, MAX_DEPTH - 1, true],
    [well, MAX_DEPTH, false],
    [{ ...well, more: false }, 0, false],
    [{ ...well, claimed: 0, failed: 0 }, 0, false],
    [{ ...well, failed: 2 }, 0, false],
  ];
  for (const [work, depth, goes] of table) assertEquals(goesOn(work, depth), goes);
});

Deno.test("readDepth() takes what is no number for the end of the chain", () => {
  const read = [undefined, "0", "7", "999", "", "-1", "1.5", "1e3", "x", "1000"].map(readDepth);
  assertEquals(read, [0, 0, 7, 999, ...Array(6).fill(MAX_DEPTH)]);
});

Deno.test("tickUrlOf() is where the project serves the function", () => {
  assertEquals(tickUrlOf("https://a.supabase.co/"), "https://a.supabase.co/functions/v1/cron/tick");
});
