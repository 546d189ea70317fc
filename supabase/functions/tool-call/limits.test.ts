/** Limits as callers meet them: what is told, what it costs, what is logged, and who does not suffer from whom. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { openFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { createKey, hashKey } from "../_shared/auth/keys.ts";

const upstream = startUpstream(() => Response.json({ rows: [] }));
const workspace = await openTestWorkspace({
  upstreams: new Map([["rates.example", upstream.url]]),
  // So slow that nothing drains while a test runs.
  limits: { principal: { callsPerMinute: 2, burst: 10 }, workspace: { callsPerMinute: 2, burst: 80 } },
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;
await workspace.define(openFile());

/** Every bucket is empty again, and the log too. */
async function startOver(): Promise<void> {
  await sql`truncate framed.call_rates, framed.log_events`;
}

/** The answers of `count` calls, one after another. */
async function hammer(as: CallerName, count: number) {
  const answers = [];
  for (let i = 0; i < count; i++) answers.push(await workspace.call("rates", { args: {} }, as));
  return answers;
}

const reasons = (answers: { body: { reason?: string } }[]) => answers.map(({ body }) => body.reason ?? "ok");
const times = (count: number, reason: string) => Array<string>(count).fill(reason);

databaseTest(
  "what comes on top of the burst is refused, told when to come back, and reaches nothing",
  async () => {
    await startOver();
    const before = upstream.requests.length;
    const answers = await hammer("member", 13);
    assertEquals(reasons(answers), [...times(10, "ok"), ...times(3, "rate_limited")]);
    assertEquals(upstream.requests.length - before, 10);
    const { status, headers, body } = answers[10]!;
    assertEquals([status, headers.get("content-type"), body.title], [
      429,
      "application/problem+json",
      "Too many calls",
    ]);
    const wait = Number(headers.get("retry-after"));
    assert(wait > 25 && wait <= 30, `one call drains in 30 s, told was ${wait}`);
    assertStringIncludes(body.detail, "2 calls a minute, 10 of them at once");

    await sql`update framed.call_rates set drained_at = drained_at - make_interval(secs => ${wait})`;
    assertEquals(reasons(await hammer("member", 2)), ["ok", "rate_limited"], "after that time one more runs");
  },
);

databaseTest(
  "a flood of refused calls has one row a minute in the log, which counts the others",
  async () => {
    await startOver();
    await hammer("member", 15);
    const rows = async () =>
      (await workspace.log()).map(({ outcome, detail }) => [outcome, detail.also_refused]);
    assertEquals((await rows()).slice(10), [["rate_limited", 0]]);
    const [first] = (await workspace.log()).slice(10);
    assertEquals([first.tool, first.principal.id, first.args], ["rates", workspace.people.member, {}]);
    await sql`update framed.call_rates set noted_at = noted_at - interval '61 s'`;
    await hammer("member", 3);
    assertEquals((await rows()).slice(10), [["rate_limited", 0], ["rate_limited", 4]]);
  },
);

databaseTest(
  "calls that are refused count as calls, and stop being logged one by one when there are too many",
  async () => {
    await startOver();
    const answers = [];
    for (let i = 0; i < 14; i++) answers.push(await workspace.call("missing", { args: {} }, "bare_member"));
    assertEquals(reasons(answers), [...times(10, "grant_missing"), ...times(4, "rate_limited")]);
    assertEquals((await workspace.log()).length, 11);
  },
);

databaseTest("everything else a caller can ask is taken from the same bucket", async () => {
  const id = workspace.id;
  const asks: [path: string, method?: string, body?: unknown][] = [
    [`/tools?workspace_id=${id}`],
    [`/tools/rates?workspace_id=${id}`],
    [`/tools/rates/reads?workspace_id=${id}`],
    [`/log?workspace_id=${id}`],
    ["/workspaces"],
    [`/workspaces/${id}`],
    ["/tools/define", "POST", { workspace_id: id, tool: openFile() }],
    ["/tools/rates/secrets/CONNECTOR_X", "PUT", { workspace_id: id, value: "x" }],
    [`/tools/none?workspace_id=${id}`, "DELETE"],
  ];
  for (const [path, method, body] of asks) {
    await startOver();
    const ask = () =>
      workspace.ask(path, { as: "admin", ...(method ? { method } : {}), ...(body ? { body } : {}) });
    for (let i = 0; i < 10; i++) assert((await ask()).status !== 429, path);
    const { status, headers } = await ask();
    assertEquals([path, status], [path, 429]);
    assert(Number(headers.get("retry-after")) > 0);
    assertEquals(reasons(await hammer("admin", 1)), ["rate_limited"], `calls, after ${path}`);
  }
});

databaseTest("one caller who asks for more than all there is leaves the others theirs", async () => {
  await startOver();
  const [one, other] = await Promise.all([hammer("admin", 30), hammer("second_admin", 30)]);
  assertEquals(reasons(one!).filter((reason) => reason === "ok").length, 10);
  assertEquals(reasons(other!).filter((reason) => reason === "ok").length, 10);
  assertEquals(reasons(await hammer("member", 10)), times(10, "ok"));
});

databaseTest(
  "callers who together ask for more than the workspace has leave room for one who asks now and then",
  async () => {
    await startOver();
    // Half of what it holds is used: all that those see who have used up their own.
    await sql`insert into framed.call_rates (bucket, drained_at) values (${workspace.id}, now() + interval '20 minutes')`;
    const greedy = await hammer("admin", 12);
    assert(reasons(greedy).includes("rate_limited"));
    assertStringIncludes(
      greedy.find(({ body }) => body.reason === "rate_limited")!.body.detail,
      "This workspace may make 2 calls a minute, 80 of them at once",
    );
    assertEquals(reasons(await hammer("member", 3)), times(3, "ok"));
  },
);

databaseTest("a caller over the limit cannot tell a workspace out of reach from none", async () => {
  await startOver();
  await hammer("member", 10);
  const ask = async (workspace_id: string) => {
    const { text, body } = await workspace.ask("/tools/rates/call", {
      as: "member",
      body: { workspace_id, args: {} },
    });
    return text.replace(body.request_id, "");
  };
  assertEquals(await ask(workspace.strangersId), await ask(crypto.randomUUID()));
  assertStringIncludes(await ask(workspace.strangersId), "rate_limited");
});

databaseTest("a flood of nobody's leaves nothing behind, and takes nothing from anyone", async () => {
  await startOver();
  for (let i = 0; i < 20; i++) {
    const headers: Record<string, string> = i % 2 === 0 ? { "x-framed-api-key": createKey() } : {};
    const body = { workspace_id: workspace.id, args: {} };
    assertEquals((await workspace.ask("/tools/rates/call", { as: "nobody", headers, body })).status, 401);
  }
  assertEquals((await sql`select from framed.call_rates`).count, 0);
  assertEquals((await workspace.log()).length, 0);
});

databaseTest("a key that is revoked while it floods is told so, not to come back", async () => {
  await startOver();
  const key = createKey();
  await sql`insert into framed.api_keys (kind, account_id, name, key_hash)
    values ('reseller', ${workspace.accountId}, 'Flood', decode(${hashKey(key)}, 'hex'))`;
  const ask = () =>
    workspace.ask("/tools/rates/call", {
      as: "nobody",
      headers: { "x-framed-api-key": key },
      body: { workspace_id: workspace.id, args: {} },
    });
  for (let i = 0; i < 11; i++) await ask();
  assertEquals((await ask()).body.reason, "rate_limited");
  await sql`update framed.api_keys set revoked_at = now() where name = 'Flood'`;
  assertEquals((await ask()).body.reason, "unauthenticated");
});

databaseTest("a person is one caller, however many keys they issue", async () => {
  await startOver();
  const add = async () => {
    const key = createKey();
    await sql`insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash) values
      ('raw', ${workspace.accountId}, ${workspace.id}, ${workspace.people.admin}, 'One of many', decode(${
      hashKey(key)
    }, 'hex'))`;
    return key;
  };
  const answers = [];
  for (let i = 0; i < 12; i++) {
    const headers = { "x-framed-api-key": await add() };
    const body = { workspace_id: workspace.id, args: {} };
    answers.push(await workspace.ask("/tools/rates/call", { as: "nobody", headers, body }));
  }
  assertEquals(reasons(answers), [...times(10, "ok"), ...times(2, "rate_limited")]);
  assertEquals(reasons(await hammer("admin", 1)), ["rate_limited"], "their session is in the same bucket");
  assertEquals(reasons(await hammer("reseller_key", 1)), ["not_found"], "nobody stands behind this one");
  const refused = (await workspace.log()).find(({ outcome }) => outcome === "rate_limited");
  assertEquals(refused.principal.kind, "raw_key", "the log still says which key it was");
});
