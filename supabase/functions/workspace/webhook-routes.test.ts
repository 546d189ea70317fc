import { assert, assertEquals, assertMatch } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { addAlarm, addWaitingApproval } from "../../../scripts/testing/notices.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
const keyless = await openTestWorkspace({ keyRingText: "" });
globalThis.addEventListener("unload", () => w.close().then(() => keyless.close()));
const { sql } = w.database;

const AT = new Date("2026-11-30T12:00:00Z");
const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000);
const patch = (notify: unknown, at = w) =>
  at.ask(`/workspaces/${at.id}`, { as: "admin", method: "PATCH", body: { notify } });
const rotate = () => w.ask(`/workspaces/${w.id}/webhook/rotate`, { as: "admin", method: "POST" });
const look = async () => (await w.ask(`/workspaces/${w.id}`, { as: "admin" })).body;
const list = async (query = "") => (await w.ask(`/workspaces/${w.id}/notices${query}`, { as: "admin" })).body;
const hook = (path = "", delay_minutes = 0) => ({ url: `https://hooks.example.com/${path}`, delay_minutes });
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

databaseTest(
  "PATCH /workspaces/<id> tells a webhook's signing secret once, and a new one for another host",
  async () => {
    assertEquals((await look()).webhook, null);
    const first = await patch(hook("a"));
    assertEquals(first.status, 200, first.text);
    assertMatch(first.body.signing_secret, SECRET);
    const { secret_made_at, ...untried } = first.body.webhook;
    assert(!Number.isNaN(Date.parse(secret_made_at)));
    assertEquals(untried, {
      last_delivered_at: null,
      last_failed_at: null,
      last_failure: null,
      failing_since: null,
      gone_at: null,
    });
    for (
      const [what, same] of [["again", hook("a")], ["another path", hook("b")], [
        "another delay",
        hook("b", 5),
      ]] as const
    ) {
      const { status, body } = await patch(same);
      assertEquals([status, body.signing_secret, body.settings.notify], [200, undefined, same], what);
    }
    const moved = await patch({ url: "https://hooks.example.com:8443/b", delay_minutes: 5 });
    assertMatch(moved.body.signing_secret, SECRET);
    assert(moved.body.signing_secret !== first.body.signing_secret);
    await patch(null);
    assertEquals((await look()).webhook, null);
    const [row] =
      await sql`select sealed, data_key_id, secret_made_at from framed.v2_webhooks where workspace_id = ${w.id}`;
    assertEquals({ ...row }, { sealed: null, data_key_id: null, secret_made_at: null });
    const again = await patch({ url: "https://hooks.example.com:8443/b", delay_minutes: 5 });
    assert(again.body.signing_secret !== moved.body.signing_secret);
  },
);

databaseTest(
  "POST /workspaces/<id>/webhook/rotate makes another secret; nothing tells it a second time",
  async () => {
    await patch(null);
    const none = await rotate();
    assertEquals([none.status, none.body.reason, none.body.detail], [
      404,
      "not_found",
      "This workspace has no webhook, so there is no secret to change.",
    ]);
    const { body: { signing_secret: first } } = await patch(hook("canary-webhook-path"));
    const { status, body } = await rotate();
    assertEquals(status, 200);
    assertMatch(body.signing_secret, SECRET);
    assert(body.signing_secret !== first);
    const later = JSON.stringify([await look(), await list(), await w.log()]);
    for (const secret of [first, body.signing_secret]) assert(!later.includes(secret.slice("whsec_".length)));
    const events = (await w.log()).filter(({ event }) => event === "webhook.secret_made").slice(-2);
    assertEquals(events.map(({ detail, principal }) => [detail, principal.id]), [
      [{ host: "hooks.example.com" }, w.people.admin],
      [{ host: "hooks.example.com" }, w.people.admin],
    ]);
    const odd = await w.ask(`/workspaces/${w.id}/webhook/rotate`, {
      as: "admin",
      body: { secret: "whsec_mine" },
    });
    assertEquals([odd.status, odd.body.problems], [400, ["body: secret not known here"]]);
  },
);

databaseTest("GET /workspaces/<id> keeps from members how the webhook fares", async () => {
  await patch(hook());
  const { body } = await w.ask(`/workspaces/${w.id}`, { as: "member" });
  assertEquals("webhook" in body, false);
});

databaseTest("PATCH /workspaces/<id> sets no webhook on a stack without a master key", async () => {
  const refused = await patch(hook(), keyless);
  assertEquals([refused.status, refused.body.reason, refused.headers.get("retry-after")], [
    503,
    "store_unavailable",
    "300",
  ]);
  const { settings } = (await keyless.ask(`/workspaces/${keyless.id}`, { as: "admin" })).body;
  assertEquals([settings.notify, (await keyless.log()).length], [null, 0]);
  assertEquals((await patch(null, keyless)).status, 200);
  const [count] = await keyless.database.sql`select count(*)::int from framed.v2_webhooks`;
  assertEquals(count!.count, 0);
});

databaseTest("framed.note_approval_waiting() notes nothing where no webhook is set", async () => {
  await patch(null);
  await addWaitingApproval(sql, { workspaceId: w.id, at: AT });
  await addAlarm(sql, { workspaceId: w.siblingId, at: AT });
  await addWaitingApproval(sql, { workspaceId: w.siblingId, at: AT });
  assertEquals((await list()).notices, []);
  const [count] = await sql`select count(*)::int from framed.v2_notices`;
  assertEquals(count!.count, 0);
});

databaseTest(
  "a webhook that a workspace set before there were secrets is told of nothing until it has one",
  async () => {
    await sql`delete from framed.v2_webhooks where workspace_id = ${w.siblingId}`;
    await sql`update framed.workspaces set settings = ${
      JSON.stringify({ notify: hook() })
    }::text::jsonb where id = ${w.siblingId}`;
    await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    values (${w.siblingId}, ${w.people.admin}, 'admin', 'Ada', 'ada@people.example')`;
    await addWaitingApproval(sql, { workspaceId: w.siblingId, at: AT });
    const notices = () => w.ask(`/workspaces/${w.siblingId}/notices`, { as: "admin" });
    assertEquals((await notices()).body.notices, []);
    const { body } = await w.ask(`/workspaces/${w.siblingId}/webhook/rotate`, {
      as: "admin",
      method: "POST",
    });
    assertMatch(body.signing_secret, SECRET);
    await addWaitingApproval(sql, { workspaceId: w.siblingId, at: AT });
    assertEquals((await notices()).body.notices.length, 1);
  },
);

databaseTest(
  "PATCH /workspaces/<id> moves what waits to the new delay, and drops it with the webhook",
  async () => {
    await patch(hook("", 30));
    await addWaitingApproval(sql, { workspaceId: w.id, at: AT });
    const due = async () => {
      const [row] = await sql`select due_at from framed.v2_webhooks where workspace_id = ${w.id}`;
      const [notice] = (await list()).notices;
      return [row!.due_at, new Date(notice.due_at), new Date(notice.next_attempt_at)];
    };
    assertEquals(await due(), [later(30), later(30), later(30)]);
    await patch(hook("", 5));
    assertEquals(await due(), [later(5), later(5), later(5)]);
    await patch(null);
    const [dropped] = (await list()).notices;
    assertEquals([dropped.status, dropped.last_status, dropped.next_attempt_at], [
      "dropped",
      "webhook_removed",
      null,
    ]);
    const [row] = await sql`select due_at from framed.v2_webhooks where workspace_id = ${w.id}`;
    assertEquals(row!.due_at, null);
  },
);

databaseTest("GET /workspaces/<id>/notices is paged newest first and shows each once", async () => {
  await patch(hook("", 10));
  const ids: string[] = [];
  for (let minute = 0; minute < 6; minute++) {
    ids.push(await addWaitingApproval(sql, { workspaceId: w.id, at: later(Math.floor(minute / 2)) }));
  }
  const { findingId } = await addAlarm(sql, { workspaceId: w.id, at: later(10) });
  const seen: string[] = [];
  let cursor = "";
  do {
    const { notices, next_cursor } = await list(`?limit=2${cursor}`);
    seen.push(...notices.map((notice: Record<string, string>) => notice.approval_id ?? notice.finding_id));
    cursor = next_cursor === null ? "" : `&cursor=${next_cursor}`;
  } while (cursor !== "");
  assertEquals(seen[0], findingId);
  const pairs = [seen.slice(1, 3), seen.slice(3, 5), seen.slice(5, 7)].map((pair) => pair.sort());
  // The one that was dropped with the webhook before is as old as the first two.
  assertEquals(seen.length, 8);
  assertEquals(pairs.slice(0, 2), [ids.slice(4, 6).sort(), ids.slice(2, 4).sort()]);
  assertEquals(new Set(seen).size, 8);
});
