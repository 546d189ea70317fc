/** What one tick of the running stack brings about. */

import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { fixtureFile } from "../testing/files.ts";
import { addManyFollowUps, hoursLater } from "../testing/follow-ups.ts";
import { startStackProcess, withoutNews } from "../testing/stack-process.ts";

const DUE = 1_100;

Deno.test("a tick of the stack goes on by its clock until nothing is due, and one that is stopped is silent", async () => {
  const stack = startStackProcess(["--ephemeral", "--port", "0"]);
  const { api, api_key, cron_secret, database, workspace_id } = await stack.ready;
  const sql = postgres(database, { max: 1, fetch_types: false, onnotice() {} });
  const ask = async (path: string, { headers, body }: { headers: HeadersInit; body: unknown }) => {
    const response = await fetch(`${api}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assertEquals(response.status, 200, await response.clone().text());
    return await response.json();
  };
  const count = async (status: string): Promise<number> =>
    (await sql`select count(*)::int as count from framed.v2_follow_ups where status = ${status}`)[0]!.count;
  const tick = () =>
    ask("/cron/tick", {
      headers: { authorization: `Bearer ${cron_secret}` },
      body: { now: hoursLater(3, wroteAt).toISOString() },
    });
  // Due by the clock the tick is told, and not by the stack's own: the minute ticks leave them alone.
  const wroteAt = new Date(Date.now() + 86_400_000);
  try {
    const tool = fixtureFile({
      slug: "booked",
      arguments: { type: "object", properties: {} },
      fixtures: [{ response: { rows: [{ number: "2026-7" }] } }],
    });
    const headers = { "x-framed-api-key": api_key, "content-type": "application/json" };
    await ask("/tools/define", { headers, body: { workspace_id, tool } });
    const many = {
      workspaceId: workspace_id,
      wroteAt,
      check: { tool: "booked", args: {} },
      ofExamples: true,
    };
    await addManyFollowUps(sql, { ...many, count: DUE });
    assertEquals((await tick()).more, true);
    const deadline = performance.now() + 60_000;
    while (await count("waiting") > 0 && performance.now() < deadline);
    assertEquals(await count("done"), DUE);

    await addManyFollowUps(sql, { ...many, count: DUE });
    assertEquals((await tick()).more, true);
  } finally {
    await sql.end();
    const { code, stderr } = await stack.kill("SIGTERM");
    assertEquals([code, withoutNews(stderr)], [0, ""]);
  }
});
