import { assert, assertEquals } from "@std/assert";
import { bookingFile } from "../../../../scripts/testing/files.ts";
import { addAlarm, addWaitingApproval, readMessage } from "../../../../scripts/testing/notices.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import {
  AT,
  CONSOLE_URL,
  HOUR,
  idsOf,
  later,
  MINUTE,
  openNoticeTests,
  statusesOf,
  taken,
  withReceiver,
} from "../../../../scripts/testing/webhooks.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { createEgress } from "../egress/guarded-fetch.ts";

const CANARY = "canary-of-what-waits";
const { w, sql, test, openWebhook, tick } = await openNoticeTests();

test("sendNotices() tells of an approval once, signed, and says nothing of what it is", async () => {
  const { id, secret, notices, webhook } = await openWebhook();
  const approvalId = await addWaitingApproval(sql, { workspaceId: id, at: AT, says: CANARY });
  await withReceiver(taken, async (receiver, egress) => {
    assertEquals(await tick(egress, { now: later(1) }), {
      claimed: 1,
      done: 1,
      waiting: 0,
      failed: 0,
      more: false,
    });
    assertEquals((await tick(egress, { now: later(2) })).claimed, 0);
    assertEquals(receiver.requests.length, 1);
    const [request] = receiver.requests;
    assertEquals([request!.method, request!.target, request!.headers.get("content-type")], [
      "POST",
      "/in?x=1",
      "application/json",
    ]);
    assertEquals(readMessage(request!, secret), {
      type: "approvals.waiting",
      timestamp: later(1).toISOString(),
      data: { workspace_id: id, count: 1, review_url: `${CONSOLE_URL}/tasks?workspace_id=${id}` },
    });
    const all = JSON.stringify([...request!.headers]) + request!.body + request!.target;
    for (const word of [CANARY, approvalId, "Ada", "ledger", secret]) assert(!all.includes(word), word);

    const [notice, ...more] = await notices();
    assertEquals(more, []);
    const { id: _, noted_at, due_at, last_attempt_at, ended_at, ...rest } = notice;
    assertEquals(rest, {
      kind: "approval_waiting",
      approval_id: approvalId,
      status: "delivered",
      webhook_id: request!.headers.get("webhook-id"),
      attempts: 1,
      next_attempt_at: null,
      last_status: "204",
    });
    const times = [noted_at, due_at, last_attempt_at, ended_at].map((text) => new Date(text));
    assertEquals(times, [AT, AT, later(1), later(1)]);
    const { last_delivered_at, failing_since, gone_at } = await webhook();
    assertEquals([new Date(last_delivered_at), failing_since, gone_at], [later(1), null, null]);
  });
});

test(
  "sendNotices() by the tick of the front door tells of what was proposed there, and keeps its secret out of every row",
  async () => {
    const receiver = startUpstream(taken);
    const told = await openTestWorkspace({ upstreams: new Map([["hooks.example.com", receiver.url]]) });
    try {
      const notify = { url: "https://hooks.example.com/", delay_minutes: 0 };
      const set = await told.ask(`/workspaces/${told.id}`, {
        as: "admin",
        method: "PATCH",
        body: { notify },
      });
      await told.define(bookingFile());
      const proposed = await told.call("ledger_book_invoice", { args: { number: CANARY } });
      assertEquals(proposed.status, 202, proposed.text);
      assertEquals((await told.tick()).status, 200);
      assertEquals(receiver.requests.length, 1);
      assertEquals(readMessage(receiver.requests[0]!, set.body.signing_secret).data.count, 1);
      assert(!receiver.requests[0]!.body.includes(CANARY));
      for (const table of ["log_events", "v2_webhooks", "v2_notices", "workspaces"]) {
        const rows = JSON.stringify(
          await told.database.sql`select t::text as row from framed.${told.database.sql(table)} t`,
        );
        assert(!rows.includes(set.body.signing_secret.slice("whsec_".length)), table);
      }
    } finally {
      await told.close();
      await receiver.close();
    }
  },
);

test("sendNotices() tells of what still waits after the delay, and drops what does not", async () => {
  const { id, notices, secret } = await openWebhook({ delay: 30 });
  const decided = await addWaitingApproval(sql, { workspaceId: id, at: AT });
  const expired = await addWaitingApproval(sql, { workspaceId: id, at: AT });
  const waits = await addWaitingApproval(sql, { workspaceId: id, at: AT });
  await withReceiver(taken, async (receiver, egress) => {
    await tick(egress, { now: later(30 * MINUTE - 1) });
    assertEquals(receiver.requests.length, 0);
    await sql`update framed.v2_approvals set status = 'running' where id = ${decided}`;
    await sql`update framed.v2_approvals set expires_at = ${later(30 * MINUTE)} where id = ${expired}`;
    await tick(egress, { now: later(30 * MINUTE) });
    assertEquals(receiver.requests.map((request) => readMessage(request, secret).data.count), [1]);
    const ended = (await notices()).map((
      { approval_id, status, last_status, attempts }: Record<string, unknown>,
    ) => [approval_id, status, last_status, attempts]);
    assertEquals(
      new Map(ended.map(([key, ...rest]: unknown[]) => [key, rest])),
      new Map<unknown, unknown[]>([
        [decided, ["dropped", "nothing_waits", 0]],
        [expired, ["dropped", "nothing_waits", 0]],
        [waits, ["delivered", "204", 1]],
      ]),
    );
  });
});

test("sendNotices() tells of many that are due together with one message", async () => {
  const { id, secret, notices } = await openWebhook();
  for (let index = 0; index < 7; index++) {
    await addWaitingApproval(sql, { workspaceId: id, at: later(index) });
  }
  await withReceiver(taken, async (receiver, egress) => {
    await tick(egress, { now: later(4) });
    await tick(egress, { now: later(60) });
    assertEquals(receiver.requests.map((request) => readMessage(request, secret).data.count), [5, 2]);
    assertEquals(new Set(idsOf(receiver)).size, 2);
    assertEquals(statusesOf(await notices()), Array(7).fill("delivered"));
  });
});

test(
  "sendNotices() tells of a finding once, with how many wait, and of approvals beside it",
  async () => {
    const { id, secret, notices } = await openWebhook();
    const { approvalId } = await addAlarm(sql, { workspaceId: id, at: AT, says: CANARY });
    await addAlarm(sql, { workspaceId: id, at: AT, says: CANARY });
    await addWaitingApproval(sql, { workspaceId: id, at: AT });
    await withReceiver(taken, async (receiver, egress) => {
      assertEquals((await tick(egress, { now: later(1) })).done, 2);
      const told = receiver.requests.map((request) => readMessage(request, secret));
      assertEquals(told.map(({ type, data }) => [type, data.count, data.review_url]).sort(), [
        ["approvals.waiting", 1, `${CONSOLE_URL}/tasks?workspace_id=${id}`],
        ["follow_ups.waiting", 2, `${CONSOLE_URL}/catch-up?workspace_id=${id}`],
      ]);
      assert(!receiver.requests.some(({ body }) => body.includes(CANARY) || body.includes(approvalId)));
      await addAlarm(sql, { workspaceId: id, at: later(HOUR) });
      await tick(egress, { now: later(HOUR) });
      assertEquals(receiver.requests.length, 2, "a finding is told of once");
      await addAlarm(sql, { workspaceId: id, at: later(7 * 24 * HOUR), week: "2026-W50" });
      await tick(egress, { now: later(7 * 24 * HOUR) });
      assertEquals(receiver.requests.length, 3, "the next week's is another");
      assertEquals(statusesOf(await notices()), Array(3).fill("delivered"));
    });
  },
);

test(
  "sendNotices() drops a finding nothing of which waits, and tells of it when something does again",
  async () => {
    const { id, notices, secret } = await openWebhook({ delay: 5 });
    const { approvalId } = await addAlarm(sql, { workspaceId: id, at: AT });
    await sql`
    update framed.v2_follow_ups set status = 'done', due_at = null, next_check_at = null where approval_id = ${approvalId}`;
    await withReceiver(taken, async (receiver, egress) => {
      await tick(egress, { now: later(5 * MINUTE) });
      assertEquals(statusesOf(await notices()), ["dropped"]);
      await addAlarm(sql, { workspaceId: id, at: later(HOUR) });
      await tick(egress, { now: later(HOUR + 4 * MINUTE) });
      assertEquals(receiver.requests.length, 0, "its delay counts from then");
      await tick(egress, { now: later(HOUR + 5 * MINUTE) });
      assertEquals(receiver.requests.map((request) => readMessage(request, secret).data.count), [1]);
      assertEquals(statusesOf(await notices()), ["delivered"]);
    });
  },
);

test(
  "sendNotices() tries a message again with the same id, later each time, until it is taken",
  async () => {
    const { id, secret, notices, webhook } = await openWebhook();
    await addWaitingApproval(sql, { workspaceId: id, at: AT });
    let status = 500;
    await withReceiver(() => new Response("no", { status }), async (receiver, egress) => {
      const due = [0, 5, 5 + 5 * MINUTE, 5 + 35 * MINUTE];
      for (const [index, seconds] of due.entries()) {
        if (index > 0) {
          await tick(egress, { now: later(seconds - 1) });
          assertEquals(receiver.requests.length, index, "not before its time");
        }
        assertEquals((await tick(egress, { now: later(seconds) })).waiting, 1);
      }
      const failing = await webhook();
      assertEquals(
        [new Date(failing.failing_since), new Date(failing.last_failed_at), failing.last_failure],
        [
          AT,
          later(due.at(-1)!),
          "500",
        ],
      );
      assertEquals([failing.last_delivered_at, failing.gone_at], [null, null]);
      const [waiting] = await notices();
      assertEquals([waiting.status, waiting.attempts, waiting.last_status], ["waiting", 4, "500"]);
      assertEquals(new Date(waiting.next_attempt_at), later(due.at(-1)! + 2 * HOUR));

      // What is new waits for how the message under way ends: a webhook that fails is not asked more often for it.
      await addWaitingApproval(sql, { workspaceId: id, at: later(due.at(-1)! + 1) });
      await tick(egress, { now: later(due.at(-1)! + 2) });
      assertEquals(receiver.requests.length, 4);

      status = 200;
      assertEquals((await tick(egress, { now: later(due.at(-1)! + 2 * HOUR) })).done, 2);
      const [first, ...others] = idsOf(receiver);
      assertEquals(others.slice(0, 4), Array(4).fill(first));
      assert(others[4] !== first);
      const told = receiver.requests.map((request) => readMessage(request, secret));
      assertEquals(new Set(told.slice(0, 5).map(({ timestamp }) => timestamp)).size, 1);
      assertEquals((await webhook()).failing_since, null);
    });
  },
);

test("sendNotices() gives a message up after ten attempts, for all to see", async () => {
  const { id, notices, webhook } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  await withReceiver(() => new Response(null, { status: 503 }), async (receiver, egress) => {
    let failed = 0;
    for (let day = 0; failed === 0; day += 1) {
      failed = (await tick(egress, { now: later(day * 24 * HOUR) })).failed;
    }
    assertEquals(receiver.requests.length, 10);
    assertEquals(new Set(idsOf(receiver)).size, 1);
    const [notice] = await notices();
    assertEquals([notice.status, notice.attempts, notice.last_status, notice.next_attempt_at], [
      "failed",
      10,
      "503",
      null,
    ]);
    assertEquals(new Date((await webhook()).failing_since), AT);
    assertEquals((await tick(egress, { now: later(30 * 24 * HOUR) })).claimed, 0);
  });
});

test("sendNotices() stops at 410 and tells nothing more, until the webhook is set anew", async () => {
  const { id, notices, webhook, set } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  let status = 410;
  await withReceiver(() => new Response(null, { status }), async (receiver, egress) => {
    assertEquals((await tick(egress, { now: AT })).failed, 1);
    assertEquals([new Date((await webhook()).gone_at), (await webhook()).last_failure], [AT, "410"]);
    await addWaitingApproval(sql, { workspaceId: id, at: later(1) });
    await addAlarm(sql, { workspaceId: id, at: later(1) });
    assertEquals((await tick(egress, { now: later(HOUR) })).claimed, 0);
    assertEquals([receiver.requests.length, statusesOf(await notices())], [1, ["failed"]]);

    status = 200;
    const rotated = await w.ask(`/workspaces/${id}/webhook/rotate`, { as: "admin", body: {} });
    assertEquals(rotated.body.webhook.gone_at, null);
    await addWaitingApproval(sql, { workspaceId: id, at: later(2) });
    await tick(egress, { now: later(2 * HOUR) });
    assertEquals(readMessage(receiver.requests[1]!, rotated.body.signing_secret).data.count, 1);

    status = 410;
    await addWaitingApproval(sql, { workspaceId: id, at: later(3) });
    await tick(egress, { now: later(3 * HOUR) });
    const again = await set({ url: "https://hooks.example.com/another", delay_minutes: 0 });
    assertEquals(again.body.webhook.gone_at, null);
  });
});

test(
  "sendNotices() follows no redirect, and tells what an answer was by its status or a reason",
  async (t) => {
    const cases: readonly [what: string, answer: () => Response, last: string, became: string][] = [
      [
        "a redirect",
        () => new Response(null, { status: 307, headers: { location: "/there" } }),
        "upstream_refused_redirect",
        "waiting",
      ],
      ["a refusal", () => new Response("no", { status: 401 }), "401", "waiting"],
      ["a long answer", () => new Response("x".repeat(200_000)), "200", "delivered"],
      [
        "an answer that does not unpack",
        () => new Response("x", { headers: { "content-encoding": "gzip" } }),
        "200",
        "delivered",
      ],
      ["a long refusal", () => new Response("x".repeat(200_000), { status: 500 }), "500", "waiting"],
    ];
    for (const [what, answer, last, became] of cases) {
      await t.step(what, async () => {
        const { id, notices } = await openWebhook();
        await addWaitingApproval(sql, { workspaceId: id, at: AT });
        await withReceiver(answer, async (receiver, egress) => {
          await tick(egress, { now: AT });
          const [notice] = await notices();
          assertEquals([notice.status, notice.last_status], [became, last]);
          assertEquals(receiver.requests.map(({ target }) => target), ["/in?x=1"]);
        });
      });
    }
  },
);

test("sendNotices() waits as long as a webhook asks for", async () => {
  const { id, notices } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  await withReceiver(
    () => new Response(null, { status: 429, headers: { "retry-after": "1800" } }),
    async (_, egress) => {
      await tick(egress, { now: AT });
      assertEquals(new Date((await notices())[0].next_attempt_at), later(1_800));
    },
  );
});

test("sendNotices() sends nothing to an address that is not public", async () => {
  const { id, notices, webhook } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  const egress = createEgress({ resolve: () => Promise.resolve(["10.0.0.7"]) });
  await tick(egress, { now: AT });
  await egress.close();
  const [notice] = await notices();
  assertEquals([notice.status, notice.last_status, (await webhook()).last_failure], [
    "waiting",
    "address_refused",
    "address_refused",
  ]);
});
