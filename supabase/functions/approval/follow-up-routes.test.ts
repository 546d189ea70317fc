/** Stopping a follow-up through the front door. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { addSentApproval, hoursLater, readFollowUp } from "../../../scripts/testing/follow-ups.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const workspace = await openTestWorkspace();
const { sql } = workspace.database;
globalThis.addEventListener("unload", () => void workspace.close());

const stop = (id: string, as: CallerName = "member", body: unknown = {}) =>
  workspace.ask(`/approvals/${id}/follow-up/stop`, { as, method: "POST", body });
const add = () => addSentApproval(sql, { workspaceId: workspace.id });

databaseTest(
  "POST /approvals/<id>/follow-up/stop ends it, says who did, and nothing is checked any more",
  async () => {
    const id = await add();
    const { status, body } = await stop(id);
    assertEquals([status, body.id, body.status], [200, id, "applied"]);
    const { ended_at, ...followUp } = body.follow_up;
    assertEquals(followUp, {
      status: "stopped",
      what: "Invoice 2026-7",
      until: "Someone books it",
      checks: 0,
      last_check_at: null,
      next_check_at: null,
      alarmed_at: null,
      stopped_by: { kind: "session", name: "Mo Member" },
    });
    assert(!Number.isNaN(Date.parse(ended_at)));
    const [event] = (await workspace.log()).filter((one) => one.event === "follow_up.stopped");
    assertEquals([event.principal, event.detail, event.tool, event.outcome], [
      { kind: "session", id: workspace.people.member, name: "Mo Member" },
      { approval_id: id },
      "ledger_book_invoice",
      "ok",
    ]);

    for (const hours of [3, 8 * 24, 40 * 24]) await workspace.tick(hoursLater(hours));
    const { status: after, checks, alarmed_at } = await readFollowUp(sql, id);
    assertEquals([after, checks, alarmed_at], ["stopped", 0, null]);
  },
);

databaseTest("who comes second is told who was first, and changes nothing", async () => {
  const id = await add();
  const answers = await Promise.all([stop(id, "member"), stop(id, "admin"), stop(id, "second_admin")]);
  assertEquals(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  const first = answers.find(({ status }) => status === 200)!.body.follow_up.stopped_by.name;
  const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body);
  for (const { reason, detail } of refused) {
    assertEquals(reason, "follow_up_ended");
    assert(detail.includes(`by ${first}`), detail);
  }
  assertEquals((await readFollowUp(sql, id)).stopped_by.name, first);
});

databaseTest("what ended by itself is not stopped", async () => {
  const id = await add();
  await sql`
    update framed.v2_follow_ups set status = 'given_up', ended_at = '2026-12-30T10:00:00Z', due_at = null, next_check_at = null
     where approval_id = ${id}`;
  const { status, body } = await stop(id);
  assertEquals([status, body.reason, body.detail], [
    409,
    "follow_up_ended",
    "The follow-up is given up since 2026-12-30T10:00:00+00:00. Nothing is checked any more.",
  ]);
});

databaseTest(
  "an approval that nothing follows, a body with something in it, and no id at all are refused",
  async () => {
    const id = await add();
    assertEquals((await stop(id, "member", { because: "x" })).body.problems, [
      "body: because not known here",
    ]);
    await sql`delete from framed.v2_follow_ups where approval_id = ${id}`;
    const { status, body } = await stop(id);
    assertEquals([status, body.reason, body.detail], [
      404,
      "not_found",
      "Nothing is followed up after this approval.",
    ]);
    assertEquals((await stop("not-an-id")).status, 404);
  },
);
