/** An administrator says of a read by POST that it only reads. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile, openFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const upstream = startUpstream(() => Response.json({ rows: [] }));
const workspace = await openTestWorkspace({ upstreams: new Map([["rates.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { propose, decide } = askingOn(workspace);

let count = 0;
const searchFile = (slug: string, more: JsonObject = {}) =>
  openFile({
    slug,
    arguments: { type: "object", properties: { q: { type: "string" } } },
    request: { method: "POST", url: "https://rates.example/v1/search", body: { q: "{q}", kind: "rate" } },
    ...more,
  });
async function define(more: JsonObject = {}, slug = `search_${++count}`): Promise<string> {
  const { status, text } = await workspace.define(searchFile(slug, more));
  assertEquals(status, 200, text);
  return slug;
}
const mark = (slug: string, body: JsonObject = { value: true }, as: CallerName = "admin") =>
  workspace.ask(`/tools/${slug}/runs-as-read`, { as, body: { workspace_id: workspace.id, ...body } });
const runs = async (slug: string) => (await workspace.call(slug)).body.ran;

databaseTest("a read by POST waits until it is marked, and again once the mark is taken away", async () => {
  const slug = await define();
  assertEquals(await runs(slug), false);
  const { status, body } = await mark(slug);
  assertEquals([status, body.runs, body.runs_as_read], [200, "on_call", true], JSON.stringify(body));
  assertEquals(await runs(slug), true);
  const { body: told } = await workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, { as: "member" });
  assertEquals(told.runs, "on_call");
  const taken = await mark(slug, { value: false });
  assertEquals([taken.body.runs, taken.body.runs_as_read], ["after_approval", false]);
  assertEquals(await runs(slug), false);
  const rows = (await workspace.log()).filter(({ event, tool }) =>
    event === "tool.runs_as_read" && tool === slug
  );
  assertEquals(rows.map(({ principal, detail }) => [principal.name, detail.value]), [["Ada Admin", "true"], [
    "Ada Admin",
    "false",
  ]]);
});

databaseTest("said twice it is logged once", async () => {
  const slug = await define();
  for (let turn = 0; turn < 2; turn++) assertEquals((await mark(slug)).status, 200);
  const rows = (await workspace.log()).filter(({ event, tool }) =>
    event === "tool.runs_as_read" && tool === slug
  );
  assertEquals(rows.length, 1);
});

databaseTest("only an administrator's own session marks", async () => {
  const slug = await define();
  const reasons: [CallerName, string][] = [
    ["member", "admin_required"],
    ["bare_member", "admin_required"],
    ["admin_key", "person_required"],
    ["reseller_key", "person_required"],
    ["admin_token", "person_required"],
    ["stranger", "not_found"],
    ["nobody", "unauthenticated"],
  ];
  for (const [as, reason] of reasons) {
    assertEquals([as, (await mark(slug, { value: true }, as)).body.reason], [as, reason]);
  }
  assertEquals(await runs(slug), false);
});

databaseTest("a mark is of the version that was seen", async () => {
  const slug = await define();
  const { status, body } = await mark(slug, { value: true, version: 2 });
  assertEquals([status, body.reason], [409, "tool_changed"]);
  assertStringIncludes(body.detail, "version 1");
  assertEquals(await runs(slug), false);
  assertEquals((await mark(slug, { value: true, version: 1 })).status, 200);
  await define({ description: "In other words." }, slug);
  assertEquals((await mark(slug, { value: false, version: 1 })).body.reason, "tool_changed");
  assertEquals(await runs(slug), true);
  assertEquals((await mark("missing")).body.reason, "not_found");
});

/** What of a definition changes, and whether the mark outlives it. */
const CHANGES: readonly [string, JsonObject, boolean][] = [
  ["the words", { description: "Searches, in other words." }, true],
  ["the name", { name: "Search" }, true],
  ["the fixtures", { fixtures: [{ response: { rows: [1] } }] }, true],
  ["the address", { request: { method: "POST", url: "https://rates.example/v1/delete" } }, false],
  ["the body", {
    request: { method: "POST", url: "https://rates.example/v1/search", body: { q: "{q}", kind: "all" } },
  }, false],
  ["a header", {
    request: {
      method: "POST",
      url: "https://rates.example/v1/search",
      body: { q: "{q}", kind: "rate" },
      headers: { "X-Action": "delete" },
    },
  }, false],
];
for (const [what, change, stays] of CHANGES) {
  databaseTest(`a change of ${what} ${stays ? "keeps" : "clears"} the mark`, async () => {
    const slug = await define();
    assertEquals((await mark(slug)).status, 200);
    assertEquals(await runs(slug), true);
    await define(change, slug);
    assertEquals(await runs(slug), stays);
  });
}

databaseTest("there is nothing to mark on what is no read by POST", async () => {
  const files: JsonObject[] = [
    openFile({ slug: "by_get" }),
    fixtureFile({ slug: "by_fixture" }),
    openBookingFile({ slug: "by_write", request: { method: "POST", url: "https://rates.example/v1/write" } }),
    searchFile("by_sensitive", { access: "sensitive" }),
  ];
  for (const file of files) {
    assertEquals((await workspace.define(file)).status, 200);
    const { body } = await mark(file.slug as string);
    assertEquals([file.slug, body.reason], [file.slug, "bad_request"]);
  }
});

databaseTest("what waited before the mark can still be approved", async () => {
  const slug = await define();
  const { approval_id: id } = await propose(slug, { q: "x" });
  assertEquals((await mark(slug)).status, 200);
  const { body } = await decide(id, {});
  assertEquals([body.status, body.calls[0].result], ["applied", { rows: [] }]);
});
