/** When a tool is told of as one whose host is down, to whom, and that keeping it holds nobody up. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, fixtureFile, ledgerFile, mcpFile, openFile } from "../../../scripts/testing/files.ts";
import { messageOf, serveOnLoopback } from "../../../scripts/testing/mcp-host.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const gone = startUpstream(() => new Response());
await gone.close();
const up = startUpstream(() => Response.json({ rows: [{ id: 1 }] }));
const failing = startUpstream(() => new Response("broken", { status: 500 }));
/** Where each host is right now; a host of its own for every test, since a process leaves a dead one alone. */
const upstreams = new Map<string, URL>();
const w = await openTestWorkspace({ upstreams });
const served = serveOnLoopback(w.fetch);
globalThis.addEventListener(
  "unload",
  () => Promise.all([served.close(), w.close(), up.close(), failing.close()]),
);
const { sql } = w.database;

/** Defines a tool that reads `<slug>.example`, which cannot be reached. */
async function defineOnDeadHost(slug: string, more: JsonObject = {}) {
  const host = `${slug}.example`;
  upstreams.set(host, gone.url);
  const file = openFile({ slug, request: { method: "GET", url: `https://${host}/v1` }, ...more });
  const defined = await w.define(file);
  assertEquals([defined.status, defined.body.status], [200, "ready"]);
  return { host, file };
}

async function statusOf(slug: string, as: CallerName = "admin") {
  return (await w.ask(`/tools/${slug}?workspace_id=${w.id}`, { as })).body.status;
}

/** Calls the tool so many times, one after another; tells why each was refused. */
async function callTimes(slug: string, times: number): Promise<(string | undefined)[]> {
  const reasons = [];
  for (let i = 0; i < times; i++) reasons.push((await w.call(slug)).body.reason);
  return reasons;
}

const failures = async (slug: string) =>
  (await sql`select f.id from framed.v2_host_failures f join framed.v2_connectors c on c.id = f.connector_id
    where c.slug = ${slug} order by f.id`).map(({ id }) => id);

databaseTest("a tool is host_down from its third call in a row on that cannot reach its host", async () => {
  const { file } = await defineOnDeadHost("third");
  await defineOnDeadHost("other");
  assertEquals(await callTimes("third", 2), Array(2).fill("upstream_unreachable"));
  assertEquals(await statusOf("third"), "ready");
  await callTimes("third", 1);
  const seen = { version: 1, status: "host_down" };
  for (const as of ["admin", "member", "bare_member", "member_token"] as const) {
    assertEquals([as, await statusOf("third", as)], [as, seen.status]);
    const { body } = await w.ask(`/tools?workspace_id=${w.id}&query=third`, { as });
    assertEquals([as, body.tools[0].status, body.tools[0].live], [as, seen.status, true]);
  }
  const { body } = await w.define(file);
  assertEquals({ version: body.version, status: body.status }, seen, "define again changes nothing");
  assertEquals(await statusOf("other"), "ready", "another tool");
});

databaseTest("a program hears of it over MCP", async () => {
  await defineOnDeadHost("heard");
  await callTimes("heard", 3);
  const asked = messageOf({
    era: "2026-07-28",
    method: "tools/call",
    params: { name: "framed_list", arguments: { of: "tools", query: "heard", workspace_id: w.id } },
  });
  const answer = await fetch(served.url, {
    method: "POST",
    body: asked.body,
    headers: { ...asked.headers, authorization: `Bearer ${w.tokens.member_token}` },
  });
  const { result } = await answer.json();
  assertEquals(result.structuredContent.tools.map(({ status }: JsonObject) => status), ["host_down"]);
});

databaseTest("any answer of the host ends it, one that failed too, and the count begins anew", async () => {
  const { host } = await defineOnDeadHost("answered");
  await callTimes("answered", 3);
  assertEquals(await statusOf("answered"), "host_down");
  upstreams.set(host, failing.url);
  assertEquals(await callTimes("answered", 1), ["upstream_failed"]);
  assertEquals([await statusOf("answered"), await failures("answered")], ["ready", []]);
  upstreams.set(host, gone.url);
  await callTimes("answered", 2);
  assertEquals(await statusOf("answered"), "ready");
});

databaseTest(
  "calls at the same time count each, and more of them write no more rows than needed",
  async () => {
    await defineOnDeadHost("parallel");
    const answers = await Promise.all(Array.from({ length: 3 }, () => w.call("parallel")));
    assertEquals(answers.map(({ body }) => body.reason), Array(3).fill("upstream_unreachable"));
    assertEquals([await statusOf("parallel"), (await failures("parallel")).length], ["host_down", 3]);
    await callTimes("parallel", 2);
    assertEquals((await failures("parallel")).length, 3);
  },
);

databaseTest(
  "a host that is left alone counts as one that cannot be reached, for every tool on it",
  async () => {
    const { host } = await defineOnDeadHost("alone");
    await callTimes("alone", 5);
    assertEquals(
      (await w.define(openFile({ slug: "beside", request: { method: "GET", url: `https://${host}/v2` } })))
        .body.status,
      "ready",
    );
    const { body } = await w.call("beside");
    assert(body.detail.includes("left alone"), body.detail);
    await callTimes("beside", 2);
    assertEquals(await statusOf("beside"), "host_down");
  },
);

databaseTest("what a fixture, a refused call and a kept read do tells nothing of a host", async () => {
  await w.define(fixtureFile());
  await callTimes("rooms", 3);
  assertEquals([await statusOf("rooms"), await failures("rooms")], ["ready", []]);
  await defineOnDeadHost("untold");
  await callTimes("untold", 2);
  assertEquals((await w.call("untold", { args: { nope: 1 } })).body.reason, "bad_arguments");
  assertEquals((await w.call("untold", { args: {}, kept: true })).body.reason, "not_found");
  assertEquals(await statusOf("untold"), "ready");
  await callTimes("untold", 1);
  assertEquals(await statusOf("untold"), "host_down");
});

databaseTest(
  "another host of a tool has not failed; another file on the same one changes nothing",
  async () => {
    const { file } = await defineOnDeadHost("moved");
    await callTimes("moved", 3);
    assertEquals((await w.define({ ...file, name: "Moved" })).body.status, "host_down");
    upstreams.set("elsewhere.example", up.url);
    const moved = { ...file, request: { method: "GET", url: "https://elsewhere.example/v1" } };
    assertEquals((await w.define(moved)).body.status, "ready");
  },
);

databaseTest("what the tool lacks is told first", async () => {
  const host = "lacking.example";
  upstreams.set(host, gone.url);
  const request = {
    method: "GET",
    url: `https://${host}/v1`,
    headers: { Authorization: "Bearer {{secret}}" },
  };
  await w.define(ledgerFile({ slug: "lacking", auth: { secret: "CONNECTOR_LACKING" }, request }));
  await w.paste("lacking", { name: "CONNECTOR_LACKING", value: "a-token-of-the-test" });
  await callTimes("lacking", 3);
  assertEquals(await statusOf("lacking"), "host_down");
  const path = `/tools/lacking/secrets/CONNECTOR_LACKING?workspace_id=${w.id}`;
  await w.ask(path, { as: "admin", method: "DELETE" });
  assertEquals(await statusOf("lacking"), "waits_for_secret");
});

databaseTest("approved writes count, and so does what asks an outside server for its tools", async () => {
  upstreams.set("booked.example", gone.url);
  const { auth: _, ...open } = bookingFile({
    slug: "booked",
    request: { method: "POST", url: "https://booked.example/v1" },
  });
  await w.define(open);
  const book = async (number: string) => {
    const { body: { approval_id: id } } = await w.call("booked", { args: { number } }, "admin_key");
    const { body: { digest } } = await w.ask(`/approvals/${id}`, { as: "member" });
    const body = { decision: "approve", digest };
    return (await w.ask(`/approvals/${id}/decision`, { as: "member", body })).body.status;
  };
  assertEquals([await book("1"), await book("2"), await book("3")], ["failed", "failed", "failed"]);
  assertEquals(await statusOf("booked"), "host_down");
  upstreams.set("booked.example", up.url);
  assertEquals([await book("4"), await statusOf("booked")], ["applied", "ready"]);

  upstreams.set("tracker.example", gone.url);
  await w.define(mcpFile({ slug: "tracker", mcp: { url: "https://tracker.example/mcp" } }));
  for (let i = 0; i < 3; i++) await w.call("tracker", { args: { action: "list" } });
  assertEquals(await statusOf("tracker"), "host_down");
});

databaseTest("a call that could reach nothing waits for nobody who changes the same tool", async () => {
  const { host } = await defineOnDeadHost("held");
  await callTimes("held", 2);
  await sql.begin(async (tx) => {
    // Somebody is about to remove it, and holds what was counted.
    await tx`delete from framed.v2_connectors where slug = 'held'`;
    assertEquals(await callTimes("held", 1), ["upstream_unreachable"]);
    throw new Error("kept after all");
  }).catch(({ message }) => assertEquals(message, "kept after all"));
  assertEquals((await failures("held")).length, 2);
  await callTimes("held", 1);
  upstreams.set(host, failing.url);
  await sql.begin(async (tx) => {
    await tx`select id from framed.v2_host_failures for update`;
    assertEquals(await callTimes("held", 1), ["upstream_failed"]);
  });
  assertEquals(await statusOf("held"), "host_down", "what another held was passed over");
  await callTimes("held", 1);
  assertEquals(await statusOf("held"), "ready");
});

databaseTest("an answer after an answer writes nothing, and locks no row of the tool", async () => {
  const { host } = await defineOnDeadHost("calm");
  upstreams.set(host, failing.url);
  const touched = async () =>
    (await sql`select xmin::text, xmax::text from framed.v2_connectors where slug = 'calm'`)[0];
  const before = await touched();
  await callTimes("calm", 2);
  assertEquals(await touched(), before);
  upstreams.set(host, gone.url);
  await callTimes("calm", 1);
  assert((await touched())!.xmax !== before!.xmax, "a failure does lock it, so the comparison sees it");
});
