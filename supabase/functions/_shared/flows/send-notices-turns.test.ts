/** How ticks share what is to be told: dying ones, several at once, and webhooks that hang or move. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { addWaitingApproval, proposeIn, readMessage } from "../../../../scripts/testing/notices.ts";
import type { ReceivedRequest } from "../../../../scripts/testing/upstream.ts";
import {
  AT,
  CONSOLE_URL,
  HOUR,
  idsOf,
  later,
  openNoticeTests,
  statusesOf,
  taken,
  withReceiver,
} from "../../../../scripts/testing/webhooks.ts";
import { openDatabase } from "../db/client.ts";
import { settleTurn, takeTurn } from "../notices/store.ts";
import { generateKeyRing, readKeyRing } from "../secrets/key-ring.ts";
import { sendNotices } from "./send-notices.ts";

const { w, sql, db, keyRing, test, openWebhook, tick } = await openNoticeTests();

test("sendNotices() without the master key sends nothing unsigned, and says why", async () => {
  const { id, notices } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  await withReceiver(taken, async (receiver, egress) => {
    await tick(egress, { now: AT, means: { keyRing: null } });
    assertEquals([receiver.requests.length, (await notices())[0].last_status], [0, "store_unavailable"]);
    const other = await readKeyRing(generateKeyRing("k1"));
    assert(other.ok);
    const broke: unknown[] = [];
    const share = { now: later(5), hasTime: () => true, report: (error: unknown) => void broke.push(error) };
    await sendNotices({ db, egress, keyRing: other.value, consoleUrl: CONSOLE_URL }, share);
    assertEquals([receiver.requests.length, (await notices())[0].last_status], [0, "internal"]);
    assertEquals(broke.map((error) => (error as Error).name), ["SealBroken"]);
    await tick(egress, { now: later(HOUR) });
    assertEquals(statusesOf(await notices()), ["delivered"]);
  });
});

test("sendNotices() tells other webhooks while any number hang", async () => {
  const hang = Array.from({ length: 30 }, (_, index) => `hang-${index}.example.com`);
  for (const host of hang) {
    await addWaitingApproval(sql, { workspaceId: (await openWebhook({ host })).id, at: AT });
  }
  const healthyTold = Promise.withResolvers<void>();
  const answer = async ({ headers }: ReceivedRequest) => {
    if (headers.get("host")!.startsWith("hang-")) {
      await healthyTold.promise;
      return new Response(null, { status: 500 });
    }
    healthyTold.resolve();
    return taken();
  };
  await withReceiver(answer, async (_, egress) => {
    // The first time nobody knows: attempts end with their time, or the one that can be told comes after them.
    await tick(egress, { now: AT, machine: { attemptTimeoutMs: 200 } });
    assertEquals(await failures(), { upstream_timed_out: 30 });
    // From then on those that hang answer only once the other was told: had it to wait for them, their time would be over.
    const healthy = await openWebhook();
    await addWaitingApproval(sql, { workspaceId: healthy.id, at: later(10) });
    await tick(egress, { now: later(10) });
    assertEquals(statusesOf(await healthy.notices()), ["delivered"]);
    assertEquals(await failures(), { "500": 30 });
  }, [...hang, "hooks.example.com"]);
  async function failures() {
    const rows = await sql`
      select last_status, count(*)::int from framed.v2_notices where status = 'waiting' and last_status is not null
        and workspace_id in (select id from framed.workspaces where settings #>> '{notify,url}' like 'https://hang-%')
       group by 1`;
    return Object.fromEntries(rows.map(({ last_status, count }) => [last_status, count]));
  }
});

test("sendNotices() by two ticks at once tells each once", async () => {
  const secrets = new Map<string, string>();
  for (let index = 0; index < 20; index++) {
    const { id, secret } = await openWebhook();
    secrets.set(id, secret);
    await addWaitingApproval(sql, { workspaceId: id, at: AT });
  }
  const other = openDatabase(w.database.url, { max: 4 });
  await withReceiver(taken, async (receiver, egress) => {
    const ticks = await Promise.all([
      tick(egress, { now: later(1) }),
      tick(egress, { now: later(1), means: { db: other } }),
      tick(egress, { now: later(1), means: { db: other } }),
    ]);
    const became = await sql`select distinct status, last_status from framed.v2_notices where noted_at = ${AT}
      and workspace_id in (select jsonb_array_elements_text(${
      JSON.stringify([...secrets.keys()])
    }::text::jsonb)::uuid)`;
    assertEquals([...became], [{ status: "delivered", last_status: "204" }]);
    assertEquals(ticks.reduce((sum, { done }) => sum + done, 0), 20);
    assertEquals([receiver.requests.length, new Set(idsOf(receiver)).size], [20, 20]);
    const told = receiver.requests.map((request) => JSON.parse(request.body).data.workspace_id as string);
    for (const [index, id] of told.entries()) readMessage(receiver.requests[index]!, secrets.get(id)!);
    assertEquals(new Set(told), new Set(secrets.keys()));
  });
  await other.end();
});

test(
  "sendNotices() that dies once its message has left makes it again with the same id, after its lease",
  async () => {
    const { id, notices } = await openWebhook();
    await addWaitingApproval(sql, { workspaceId: id, at: AT });
    const dying = openDatabase(w.database.url);
    await withReceiver(async () => {
      // All that the tick would write after this is lost.
      await dying.end({ timeout: 0 });
      return taken();
    }, async (receiver, egress) => {
      await assertRejects(() => tick(egress, { now: AT, means: { db: dying } }));
      assertEquals(receiver.requests.length, 1);
      assertEquals(statusesOf(await notices()), ["waiting"]);
      await tick(egress, { now: later(59) });
      assertEquals(receiver.requests.length, 1, "its turn is still its own");
      await tick(egress, { now: later(60) });
      const [first, second, ...more] = idsOf(receiver);
      assertEquals([second, more], [first, []]);
      const [notice] = await notices();
      assertEquals([notice.status, notice.attempts], ["delivered", 2]);
    });
  },
);

test("sendNotices() whose turn has run out says nothing of how it went", async () => {
  const { id, notices } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  const slow = await takeTurn(db, { now: AT, failing: false });
  assertEquals([slow!.workspaceId, slow!.messages.length], [id, 1]);
  await withReceiver(taken, async (receiver, egress) => {
    await tick(egress, { now: later(60) });
    assertMatch(idsOf(receiver)[0]!, new RegExp(`^msg_${slow!.messages[0]!.id.replaceAll("-", "")}$`));
    const attempted = new Map([[slow!.messages[0]!.id, { became: "failed", status: "500" } as const]]);
    assertEquals(await settleTurn(db, { turn: slow!, attempted, now: later(61) }), false);
    assertEquals(statusesOf(await notices()), ["delivered"]);
  });
});

test("sendNotices() misses nothing that is noted while a turn ends", async () => {
  const { id, notices } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  const turn = await takeTurn(db, { now: AT, failing: false });
  const attempted = new Map([[turn!.messages[0]!.id, { became: "delivered", status: "200" } as const]]);
  let settled: Promise<boolean> | undefined;
  await sql.begin(async (tx) => {
    await proposeIn(tx, { workspaceId: id, at: AT });
    // It waits for this transaction, which nobody but itself can see so far.
    let hasEnded = false;
    settled = settleTurn(db, { turn: turn!, attempted, now: AT }).finally(() => hasEnded = true);
    for (let waits = false; !waits && !hasEnded;) {
      const [row] = await db`
        select exists (select from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.datname = current_database()) as waits`;
      waits = row!.waits;
    }
  });
  assertEquals(await settled, true);
  await withReceiver(taken, async (receiver, egress) => {
    await tick(egress, { now: later(1) });
    assertEquals([receiver.requests.length, statusesOf(await notices())], [1, ["delivered", "delivered"]]);
  });
});

test(
  "sendNotices() sends what is not delivered to the address that is set meanwhile, as a new message",
  async () => {
    const { id, notices, set, webhook } = await openWebhook();
    await addWaitingApproval(sql, { workspaceId: id, at: AT });
    let moved: { body: { signing_secret: string } } | undefined;
    await withReceiver(async ({ headers }) => {
      if (headers.get("host") === "other.example.com") return taken();
      moved = await set({ url: "https://other.example.com/", delay_minutes: 0 });
      return new Response(null, { status: 500 });
    }, async (receiver, egress) => {
      await tick(egress, { now: AT });
      const [first, second, ...more] = receiver.requests;
      assertEquals([more, second?.target], [[], "/"]);
      assertEquals(readMessage(second!, moved!.body.signing_secret).data.count, 1);
      assert(first!.headers.get("webhook-id") !== second!.headers.get("webhook-id"));
      assertEquals(statusesOf(await notices()), ["delivered"]);
      assertEquals((await webhook()).failing_since, null);
    });
  },
);

test("sendNotices() forgets what ended 90 days ago", async () => {
  const { id, notices } = await openWebhook();
  await addWaitingApproval(sql, { workspaceId: id, at: AT });
  await withReceiver(taken, async (_, egress) => {
    await tick(egress, { now: AT });
    await tick(egress, { now: later(90 * 24 * HOUR) });
    assertEquals((await notices()).length, 1);
    await tick(egress, { now: later(90 * 24 * HOUR + 1) });
    assertEquals(await notices(), []);
  });
});

test(
  "sendNotices() asks for another tick where its time is over, and begins nothing then",
  async () => {
    const { id, notices } = await openWebhook();
    await addWaitingApproval(sql, { workspaceId: id, at: AT });
    await withReceiver(taken, async (receiver, egress) => {
      const share = { now: AT, hasTime: () => false, report() {} };
      const work = await sendNotices({ db, egress, keyRing, consoleUrl: CONSOLE_URL }, share);
      assertEquals([work.more, work.claimed, receiver.requests.length], [true, 0, 0]);
      await tick(egress, { now: AT });
      assertEquals(statusesOf(await notices()), ["delivered"]);
    });
  },
);
