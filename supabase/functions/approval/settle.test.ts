/** A person says what became of a write that nobody could tell the end of. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile, type Shown } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

let status = 500;
const upstream = startUpstream(() => Response.json({ id: 7 }, { status }));
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { approved, show, propose, decide } = askingOn(workspace);
const FOLLOW_UP = {
  what: "Invoice {{args.number}}",
  until: "Someone books it",
  check: { tool: "rooms", args: { floor: 2 } },
  done_when: { all: [{ path: "rooms.name", op: "equals", value: "Oak" }] },
};
assertEquals((await workspace.define(fixtureFile())).status, 200);

let count = 0;
async function define(more: JsonObject = {}): Promise<string> {
  const slug = `book_${++count}`;
  const defined = await workspace.define(openBookingFile({ slug, ...more }));
  assertEquals(defined.status, 200, defined.text);
  return slug;
}
async function unknown(more: JsonObject = {}): Promise<Shown> {
  status = 500;
  const approval = await approved(await define(more), { number: "1" });
  assertEquals(approval.status, "unknown");
  return approval;
}
const settle = (
  id: string,
  body: unknown = { outcome: "applied", note: "It stands in the ledger." },
  as: CallerName = "member",
) => workspace.ask(`/approvals/${id}/settle`, { as, body });

databaseTest(
  "POST /approvals/<id>/settle says what became of it, who says so and how they know",
  async () => {
    for (const outcome of ["applied", "failed"] as const) {
      const { id } = await unknown();
      const { status, body } = await settle(id, { outcome, note: "  I looked.  " });
      assertEquals([status, body.status, body.calls[0].status], [200, outcome, outcome]);
      const { at, ...settled } = body.settled;
      assertEquals(settled, { by: { kind: "session", name: "Mo Member" }, note: "I looked." });
      assert(Date.parse(at) <= Date.now());
      assertStringIncludes(body.outcome, outcome);
      const { request_id: _, ...told } = body;
      const { request_id: __, ...shown } = await show(id, "member");
      assertEquals(shown, told);
      const rows = (await workspace.log()).filter(({ event, detail }) =>
        event === "approval.settled" && detail.approval_id === id
      );
      assertEquals(rows.map(({ principal, detail }) => [principal.name, detail.outcome, detail.note]), [
        ["Mo Member", outcome, "I looked."],
      ]);
      const again = await settle(id, { outcome: "applied", note: "No." }, "admin");
      assertEquals([again.status, again.body.reason], [409, "already_decided"]);
      assertStringIncludes(again.body.detail, `Mo Member settled it at ${at}`);
    }
  },
);

databaseTest("only what is unknown is settled", async () => {
  const waits = await propose(await define(), { number: "1" });
  status = 200;
  const applied = await approved(await define(), { number: "1" });
  status = 404;
  const failed = await approved(await define(), { number: "1" });
  const { approval_id: rejected } = await propose(await define(), { number: "1" });
  await decide(rejected, { decision: "reject" });
  for (const id of [waits.approval_id, applied.id, failed.id, rejected]) {
    const before = await show(id);
    const { status, body } = await settle(id, undefined, "admin");
    assertEquals([status, body.reason], [409, "already_decided"]);
    const { request_id: _, ...after } = await show(id);
    const { request_id: __, ...was } = before;
    assertEquals(after, was);
  }
});

databaseTest(
  "who may settle: a person's own session with the grant, of a sensitive call an administrator",
  async () => {
    const { id } = await unknown();
    const reasons: [CallerName, string][] = [
      ["bare_member", "grant_missing"],
      ["admin_key", "person_required"],
      ["reseller_key", "person_required"],
      ["member_token", "person_required"],
      ["stranger", "not_found"],
      ["stranger_key", "person_required"],
      ["nobody", "unauthenticated"],
    ];
    for (const [as, reason] of reasons) {
      assertEquals([as, (await settle(id, undefined, as)).body.reason], [as, reason]);
    }
    const sensitive = await unknown({ access: "sensitive" });
    assertEquals((await settle(sensitive.id)).body.reason, "admin_required");
    assertEquals((await settle(sensitive.id, undefined, "second_admin")).body.status, "applied");
    assertEquals((await show(id)).status, "unknown");
  },
);

databaseTest("a settlement says which way, and how one knows", async () => {
  const { id } = await unknown();
  for (
    const body of [
      {},
      { outcome: "applied" },
      { outcome: "applied", note: "" },
      { outcome: "applied", note: "  " },
      {
        outcome: "unknown",
        note: "x",
      },
      { outcome: "applied", note: "x".repeat(1_001) },
      { outcome: "applied", note: "x", more: 1 },
    ]
  ) {
    assertEquals((await settle(id, body)).body.reason, "bad_request", JSON.stringify(body));
  }
  assertEquals((await settle(id, "{")).body.reason, "bad_json");
  assertEquals((await show(id)).status, "unknown");
});

databaseTest("what did not happen is not followed up; what did is", async () => {
  for (const [outcome, follows] of [["failed", "stopped"], ["applied", "waiting"]] as const) {
    const { id, follow_up } = await unknown({ follow_up: FOLLOW_UP });
    assertEquals(follow_up?.status, "waiting");
    const { body } = await settle(id, { outcome, note: "I looked." });
    assertEquals(body.follow_up.status, follows);
    if (follows === "stopped") {
      assertEquals([body.follow_up.stopped_by.name, body.follow_up.next_check_at], ["Mo Member", null]);
    }
    await workspace.tick(new Date(Date.now() + 3 * 3_600_000));
    assertEquals((await show(id)).follow_up.checks, follows === "waiting" ? 1 : 0);
  }
});

databaseTest(
  "a chain of which a call is unknown is settled for that call; what was never sent makes it failed",
  async () => {
    status = 500;
    const slug = await define();
    const { body: proposed } = await workspace.ask("/tools/calls", {
      as: "member",
      body: {
        workspace_id: workspace.id,
        calls: [{ tool: slug, args: { number: "1" } }, { tool: slug, args: { number: "2" } }],
      },
    });
    const before = upstream.requests.length;
    const { body: ended } = await decide(proposed.approval_id, {});
    const statuses = ({ calls }: Shown) => calls.map(({ status }: Shown) => status);
    assertEquals([ended.status, statuses(ended)], ["unknown", ["unknown", "not_sent"]]);
    const { body } = await settle(ended.id, { outcome: "applied", note: "It stands there." });
    assertEquals([body.status, statuses(body)], ["failed", ["applied", "not_sent"]]);
    assertStringIncludes(body.outcome, "not sent");
    assertEquals(upstream.requests.length, before + 1);
  },
);

databaseTest("two people who settle at the same moment: one does", async () => {
  for (let round = 0; round < 15; round++) {
    const { id } = await unknown();
    const answers = await Promise.all([
      settle(id, { outcome: "applied", note: "a" }, "admin"),
      settle(id, { outcome: "failed", note: "b" }, "member"),
      settle(id, { outcome: "failed", note: "c" }, "second_admin"),
    ]);
    assertEquals(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const shown = await show(id);
    const won = answers.find(({ status }) => status === 200)!.body;
    assertEquals([shown.status, shown.settled], [won.status, won.settled]);
    const rows = (await workspace.log()).filter(({ event, detail }) =>
      event === "approval.settled" && detail.approval_id === id
    );
    assertEquals(rows.length, 1);
  }
});

databaseTest("whoever may not decide any more once it is written settles nothing", async () => {
  const { sql } = workspace.database;
  for (
    const [takes, needs, reason] of [
      ["grants = '{}'", "member", "grant_missing"],
      ["role = 'member', grants = '{use_connectors}'", "admin", "grant_missing"],
    ] as const
  ) {
    const { id } = await unknown(needs === "admin" ? { access: "sensitive" } : {});
    const as = needs === "admin" ? "second_admin" : "member";
    const userId = workspace.people[as];
    const [before] = await sql`select role, grants::text from framed.members where user_id = ${userId}`;
    // As if it happened after they were looked up: the row is taken away by the very statement that reads it next.
    await sql.unsafe(`
      create function framed.take_right() returns trigger language plpgsql security definer as $$
      begin update framed.members set ${takes} where user_id = '${userId}'; return null; end $$;
      create trigger take_right after update or insert on framed.call_rates for each statement execute function framed.take_right()`)
      .simple();
    const answered = await settle(id, { outcome: "applied", note: "I looked." }, as);
    await sql.unsafe("drop trigger take_right on framed.call_rates; drop function framed.take_right()")
      .simple();
    await sql`update framed.members set role = ${before!.role}, grants = ${
      before!.grants
    }::text::text[] where user_id = ${userId}`;
    assertEquals([answered.status, answered.body.reason], [403, reason], answered.text);
    assertEquals((await show(id)).status, "unknown");
  }
});
