/** What an example answers is shown as an example beside what waits, and says nothing of what became of a write. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile, openFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const STATE = { number: "1", booked: true };
let answer: () => Response = () => Response.json({ id: 7 });
const upstream = startUpstream(({ method }) => method === "GET" ? Response.json(STATE) : answer());
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
const { sql } = workspace.database;
const { propose, show, decide, approved } = askingOn(workspace);
globalThis.addEventListener("unload", () => {
  void workspace.close();
  void upstream.close();
});

const NO_ARGUMENTS = { arguments: { type: "object", properties: {} } };
const exampleFile = (slug: string) => fixtureFile({ slug, ...NO_ARGUMENTS, fixtures: [{ response: STATE }] });
const liveFile = (slug: string) =>
  openFile({
    slug,
    ...NO_ARGUMENTS,
    request: { method: "GET", url: "https://ledger.example/state" },
    fixtures: [{ response: STATE }],
  });
async function define(file: JsonObject): Promise<void> {
  const { status, text } = await workspace.define(file);
  assertEquals(status, 200, text);
}
async function remove(slug: string): Promise<void> {
  const { status, text } = await workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, {
    as: "admin",
    method: "DELETE",
  });
  assertEquals(status, 204, text);
}
const previewWith = (tool: string): JsonObject => ({ preview: { tool, args: {} } });
const followedBy = (tool: string): JsonObject => ({
  follow_up: {
    what: "Invoice {{args.number}}",
    until: "Someone books it",
    check: { tool, args: {} },
    done_when: { all: [{ path: "booked", op: "equals", value: true }] },
  },
});
await define(exampleFile("example_state"));
await define(liveFile("live_state"));
await define(openBookingFile({ slug: "book_beside_example", ...previewWith("example_state") }));
await define(openBookingFile({ slug: "book_beside_live", ...previewWith("live_state") }));

databaseTest("a preview says whether the other system answered it or an example did", async () => {
  const { approval_id: id } = await propose("book_beside_example", { number: "1" });
  for (const as of ["admin", "member", "member_token"] as const) {
    const { preview, calls } = await show(id, as);
    assertEquals([preview.ok, preview.result, preview.answers_with], [true, STATE, "configured example"], as);
    assertStringIncludes(preview.note, "not what the system holds now", as);
    assertEquals(calls[0].preview, preview, as);
  }
  const live = (await show((await propose("book_beside_live", { number: "1" })).approval_id)).preview;
  assertEquals([live.result, live.answers_with, "note" in live], [STATE, "live system", false]);
  assertEquals((await approved("book_beside_example", { number: "2" })).status, "applied");
});

databaseTest("a preview that failed says of nobody that they answered", async () => {
  await define(openBookingFile({ slug: "book_beside_gone", ...previewWith("live_state") }));
  await sql`update framed.v2_connectors set file = jsonb_set(file::jsonb, '{preview,tool}', '"gone_state"') where slug = 'book_beside_gone'`;
  const { preview } = await show((await propose("book_beside_gone", { number: "1" })).approval_id);
  assertEquals([preview.ok, "answers_with" in preview, "note" in preview], [false, false, false]);
});

databaseTest("what a system said is not what an example says, though both say the same", async () => {
  const swaps = [[liveFile, exampleFile, "configured example"], [
    exampleFile,
    liveFile,
    "live system",
  ]] as const;
  for (const [was, is, answers] of swaps) {
    await define(was("state"));
    await define(openBookingFile({ slug: "book_beside_state", ...previewWith("state") }));
    const { approval_id: id } = await propose("book_beside_state", { number: answers });
    await remove("state");
    await define(is("state"));
    const { status, body } = await decide(id, {});
    assertEquals([status, body.reason], [409, "approval_changed"]);
    const { status: standing, superseded_by, superseded_because } = await show(id);
    assertEquals(standing, "superseded");
    assertMatch(superseded_because, new RegExp(`and with a ${answers} now`));
    assertEquals((await show(superseded_by)).preview.answers_with, answers);
    assertEquals((await decide(superseded_by, {})).body.status, "applied");
    await remove("state");
  }
});

databaseTest("a preview of before it was told who answered is shown and held to as it was", async () => {
  const { approval_id: id } = await propose("book_beside_example", { number: "old" });
  await sql`update framed.v2_approval_calls set preview = (preview::jsonb - 'answers_with' - 'note')::json where approval_id = ${id}`;
  const { preview } = await show(id);
  assertEquals([preview.ok, preview.result, "answers_with" in preview, "note" in preview], [
    true,
    STATE,
    false,
    false,
  ]);
  assertEquals((await decide(id, {})).body.status, "applied");
});

const hoursLater = (hours: number) => new Date(Date.now() + hours * 3_600_000 + 60_000);
async function lastCheck(id: string) {
  const [row] = await sql`
    select outcome, detail from framed.log_events where event = 'follow_up.checked' and detail ->> 'approval_id' = ${id}
     order by id desc limit 1`;
  return [row!.outcome, row!.detail.answers_with, row!.detail.is_done];
}

databaseTest("an example settles no write of which nobody knows, and says why it cannot", async () => {
  await define(openBookingFile({ slug: "book_checked_by_example", ...followedBy("example_state") }));
  answer = () => new Response("", { status: 500 });
  const { id, status } = await approved("book_checked_by_example", { number: "lost" });
  assertEquals(status, "unknown");
  for (const [n, hours] of [2, 4].entries()) {
    await workspace.tick(hoursLater(hours));
    const after = await show(id);
    assertEquals([after.status, after.calls[0].status], ["unknown", "unknown"]);
    assertEquals([after.follow_up.status, after.follow_up.checks], ["waiting", n + 1]);
    assertStringIncludes(after.follow_up.note, "configured example");
    assertEquals(await lastCheck(id), ["ok", "configured example", false]);
  }
});

databaseTest("an example marks no follow-up of a write to another system done", async () => {
  answer = () => Response.json({ id: 7 });
  const { id } = await approved("book_checked_by_example", { number: "sent" });
  await workspace.tick(hoursLater(2));
  const { status, follow_up } = await show(id);
  assertEquals([status, follow_up.status, follow_up.checks], ["applied", "waiting", 1]);
  assertStringIncludes(follow_up.note, "configured example");
});

databaseTest(
  "the other system settles a write of which nobody knew, and nothing is added to it",
  async () => {
    await define(openBookingFile({ slug: "book_checked_live", ...followedBy("live_state") }));
    answer = () => new Response("", { status: 500 });
    const { id } = await approved("book_checked_live", { number: "lost" });
    await workspace.tick(hoursLater(2));
    const { status, follow_up } = await show(id);
    assertEquals([status, follow_up.status, "note" in follow_up], ["applied", "done", false]);
  },
);

databaseTest("an example follows up a write that an example answered", async () => {
  await define(fixtureFile({
    slug: "book_in_demo",
    access: "write",
    ...NO_ARGUMENTS,
    fixtures: [{ response: { id: 7 } }],
    follow_up: { ...followedBy("example_state").follow_up as JsonObject, what: "The demo's invoice" },
  }));
  const sent = await approved("book_in_demo");
  const lost = (await propose("book_in_demo")).approval_id;
  await sql`
    update framed.v2_approvals set status = 'running', decided_at = now(), sender = gen_random_uuid(),
      decided_by = ${
    JSON.stringify({ kind: "session", id: workspace.people.admin, name: "Ada" })
  }::text::jsonb,
      lease_until = now() - interval '1 second' where id = ${lost}`;
  await sql`update framed.v2_approval_calls set status = 'running', began_at = now() where approval_id = ${lost}`;
  await workspace.tick();
  assertEquals((await show(lost)).status, "unknown");
  await workspace.tick(hoursLater(2));
  for (const id of [sent.id, lost]) {
    const { status, follow_up } = await show(id);
    assertEquals([status, follow_up.status, "note" in follow_up], ["applied", "done", false]);
    assertEquals(await lastCheck(id), ["ok", "configured example", true]);
  }
});
