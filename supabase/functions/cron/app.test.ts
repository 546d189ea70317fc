import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../../scripts/testing/database.ts";
import { createEgress } from "../_shared/egress/guarded-fetch.ts";
import { createServices } from "../_shared/http/services.ts";
import { createApp } from "./app.ts";
import { cronSecretFromEnv } from "./secret.ts";

const database = await openTestDatabase();
const opened = await createServices({
  databaseUrl: database.url,
  supabaseUrl: "http://127.0.0.1:1",
  publishableKey: "unused",
  consoleUrl: "https://console.example",
  consoleOrigins: [],
});
globalThis.addEventListener("unload", () => opened.close().then(() => database.drop()));

const SECRET = "an-operators-own-secret";
const services = { ...opened, egress: createEgress() };
const deployed = createApp({ ...services, cronSecret: SECRET });
const local = createApp({ ...services, cronSecret: SECRET, takesNow: true });
const without = createApp({ ...services, cronSecret: null });

async function tick(
  app: typeof deployed,
  { authorization = `Bearer ${SECRET}`, body, path = "/cron/cron/tick" }: {
    authorization?: string | null;
    body?: string;
    path?: string;
  } = {},
) {
  const response = await app.request(path, {
    method: "POST",
    headers: authorization === null ? {} : { authorization },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: await response.json() };
}

databaseTest("a tick with the secret answers what it did", async () => {
  for (const path of ["/cron/cron/tick", "/cron/tick"]) {
    for (const body of [undefined, "{}"]) {
      const answer = await tick(deployed, { path, ...(body === undefined ? {} : { body }) });
      const { request_id: _, ...work } = answer.body;
      assertEquals([answer.status, work], [200, {
        ok: true,
        claimed: 0,
        done: 0,
        waiting: 0,
        failed: 0,
        more: false,
      }]);
    }
  }
});

databaseTest("nothing but the whole secret ticks, and every refusal is the same", async () => {
  const refused = new Set<string>();
  for (
    const authorization of [
      null,
      "",
      "Bearer",
      `Bearer ${SECRET.slice(0, -1)}`,
      `Bearer ${SECRET}x`,
      `Bearer ${SECRET} x`,
      SECRET,
      `Basic ${SECRET}`,
      `Bearer ${"x".repeat(10_000)}`,
    ]
  ) {
    const { status, body } = await tick(deployed, { authorization, body: "{" });
    assertEquals([authorization, status, body.reason], [authorization, 401, "unauthenticated"]);
    refused.add(JSON.stringify({ ...body, request_id: "" }));
  }
  assertEquals(refused.size, 1);
});

databaseTest("a stack without a cron secret lets nobody tick", async () => {
  for (const authorization of ["Bearer null", "Bearer undefined", `Bearer ${SECRET}`]) {
    assertEquals((await tick(without, { authorization })).status, 401);
  }
});

databaseTest("only a stack that was made so takes the time from its caller", async () => {
  const body = JSON.stringify({ now: "2026-11-30T12:00:00+01:00" });
  assertEquals((await tick(local, { body })).status, 200);
  const refused = await tick(deployed, { body });
  assertEquals([refused.status, refused.body.problems], [400, ["body: now not known here"]]);
  const wrong = await tick(local, { body: '{"now": "tomorrow"}' });
  assertEquals(wrong.status, 400);
  assertStringIncludes(wrong.body.problems[0], "now: an instant such as");
});

databaseTest("a tick seals and trims by the clock it is given", async () => {
  const { sql } = database;
  const [workspace] = await sql`
    with account as (insert into framed.accounts (name) values ('Tick') returning id)
    insert into framed.workspaces (account_id, name, settings) select id, 'Tick', '{"log_days": 30}' from account returning id`;
  await sql`
    insert into framed.log_events (workspace_id, event, request_id, principal, outcome, total_ms)
    values (${workspace!.id}, 'tool.called', 'req_x', '{}', 'ok', 1)`;
  const left = async () => {
    const [row] = await sql`
      select (select count(*)::int from framed.log_events) as events, (select count(*)::int from framed.log_seals) as seals`;
    return [row!.events, row!.seals];
  };
  while ((await tick(local)).body.waiting > 0);
  assertEquals(await left(), [1, 1]);
  await tick(local, { body: JSON.stringify({ now: new Date(Date.now() + 29 * 86_400_000).toISOString() }) });
  assertEquals(await left(), [1, 1]);
  await tick(local, { body: JSON.stringify({ now: new Date(Date.now() + 31 * 86_400_000).toISOString() }) });
  assertEquals(await left(), [0, 0]);
});

Deno.test("cronSecretFromEnv() takes a secret, none, and not one that is too short to be one", () => {
  assertEquals(cronSecretFromEnv(() => SECRET), SECRET);
  assertEquals(cronSecretFromEnv(() => undefined), null);
  assertEquals(cronSecretFromEnv(() => ""), null);
  assertThrows(() => cronSecretFromEnv(() => "short"), Error, "shorter than 16 characters");
});
