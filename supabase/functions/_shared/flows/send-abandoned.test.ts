/** What was approved and left lying is taken up in turns: no workspace, and no system that is slow, holds up another's. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { openBookingFile } from "../../../../scripts/testing/approvals.ts";
import { openFile } from "../../../../scripts/testing/files.ts";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { tickAt } from "../../../../scripts/testing/follow-ups.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../definition/json.ts";
import { openDatabase } from "../db/client.ts";
import { createEgress } from "../egress/guarded-fetch.ts";
import { sendAbandoned } from "./send-abandoned.ts";

/** Told once the other workspace's write has come. */
let otherCame = Promise.withResolvers<void>();
const other = startUpstream(() => {
  otherCame.resolve();
  return Response.json({ id: 8 });
});
/** What the ledger shows. */
let shown: JsonObject | null = { open: 5 };
const slow = startUpstream(async ({ method }) => {
  if (method === "GET") return shown === null ? new Response(null, { status: 503 }) : Response.json(shown);
  await otherCame.promise;
  return Response.json({ id: 7 });
});
const upstreams = new Map([["ledger.example", slow.url], ["other.example", other.url]]);
const w = await openTestWorkspace({ upstreams });
const db = openDatabase(w.database.url);
globalThis.addEventListener("unload", () => {
  db.end();
  w.close();
  slow.close();
  other.close();
});
const { sql } = w.database;
const means = { db, egress: createEgress({ upstreams }), keyRing: null, now: () => new Date() };
const take = () => sendAbandoned(means, tickAt(new Date()));

for (
  const [workspaceId, as, host] of [[w.id, "admin", "ledger"], [w.strangersId, "stranger", "other"]] as const
) {
  const request = { method: "POST", url: `https://${host}.example/api/invoices` };
  const tool = openBookingFile({ request });
  const { status, text } = await w.ask("/tools/define", { as, body: { workspace_id: workspaceId, tool } });
  assertEquals(status, 200, text);
}

/** Approvals whose sender has been gone for so many seconds: before a call was begun, or after. */
async function abandon(
  { of, count, goneFor, isBegun = false, slug = "book" }: {
    of: "ours" | "other";
    slug?: string;
    count: number;
    goneFor: number;
    isBegun?: boolean;
  },
): Promise<string[]> {
  const [workspaceId, as] = of === "ours" ? [w.id, "admin"] as const : [w.strangersId, "stranger"] as const;
  const userId = w.people[as];
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const body = { workspace_id: workspaceId, args: { number: crypto.randomUUID() } };
    const proposed = await w.ask(`/tools/${slug}/call`, { as, body });
    assertEquals(proposed.status, 202, proposed.text);
    ids.push(proposed.body.approval_id);
  }
  await sql`
    update framed.v2_approvals set status = 'running', decided_at = now(), sender = gen_random_uuid(),
        decided_by = ${JSON.stringify({ kind: "session", id: userId, name: "Somebody" })}::text::jsonb,
        lease_until = now() - ${goneFor}::integer * interval '1 second'
     where id::text in ${sql(ids)}`;
  if (isBegun) {
    await sql`update framed.v2_approval_calls set status = 'running', began_at = now() where approval_id::text in ${
      sql(ids)
    }`;
  }
  return ids;
}

async function statuses(ids: readonly string[]): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; n: number }[]>`
    select status, count(*)::integer as n from framed.v2_approvals where id::text in ${
    sql(ids)
  } group by status`;
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

databaseTest(
  "sendAbandoned() sends one of each workspace first, however many another has left lying for longer",
  async () => {
    otherCame.resolve();
    const many = await abandon({ of: "ours", count: 60, goneFor: 600 });
    const [one] = await abandon({ of: "other", count: 1, goneFor: 1 });
    const work = await take();
    assertEquals([work.claimed, work.done, work.more], [50, 50, true]);
    assertEquals(await statuses([one!]), { applied: 1 });
    assertEquals(await statuses(many), { applied: 49, running: 11 });
    await take();
    assertEquals(await statuses(many), { applied: 60 });
  },
);

databaseTest("sendAbandoned() lets a system that is slow hold up no other's", async () => {
  otherCame = Promise.withResolvers();
  const ours = await abandon({ of: "ours", count: 2, goneFor: 600 });
  const others = await abandon({ of: "other", count: 1, goneFor: 1 });
  await take();
  assertEquals(await statuses([...ours, ...others]), { applied: 3 });
});

databaseTest("sendAbandoned() says what became unknown before anything is sent", async () => {
  const waiting = await abandon({ of: "ours", count: 3, goneFor: 600 });
  const [begun] = await abandon({ of: "ours", count: 1, goneFor: 1, isBegun: true });
  let looks = 0;
  // Time for one alone.
  const work = await sendAbandoned(means, tickAt(new Date(), { hasTime: () => looks++ === 0 }));
  assertEquals([work.done, work.more], [1, true]);
  assertEquals([await statuses([begun!]), await statuses(waiting)], [{ unknown: 1 }, { running: 3 }]);
  await take();
  assertEquals(await statuses(waiting), { applied: 3 });
});

databaseTest(
  "sendAbandoned() sends nothing that was shown beside something else than there is by then",
  async () => {
    otherCame.resolve();
    const look = openFile({
      slug: "look",
      arguments: { type: "object", properties: {} },
      request: { method: "GET", url: "https://ledger.example/look" },
      fixtures: [{ response: {} }],
    });
    const preview = { tool: "look", args: {}, compare: ["open"] };
    for (const file of [look, openBookingFile({ slug: "book_shown", preview })]) {
      assertEquals((await w.define(file)).status, 200);
    }
    const TABLE: [then: JsonObject | null, becomes: string, says: string | null][] = [
      [{ open: 5, other: 1 }, "applied", null],
      [{ open: 6 }, "superseded", "open of look changed since it was shown."],
      [null, "superseded", "What look shows has to be compared right before sending, and cannot be read"],
    ];
    for (const [then, becomes, says] of TABLE) {
      shown = { open: 5 };
      const ids = await abandon({ of: "ours", count: 1, goneFor: 1, slug: "book_shown" });
      shown = then;
      const before = slow.requests.filter(({ method }) => method === "POST").length;
      await take();
      assertEquals(await statuses(ids), { [becomes]: 1 });
      const sent = slow.requests.filter(({ method }) => method === "POST").length - before;
      assertEquals(sent, becomes === "applied" ? 1 : 0);
      if (says !== null) {
        const { body: old } = await w.ask(`/approvals/${ids[0]}`, { as: "admin" });
        assertEquals(old.calls[0].status, "not_sent");
        assertStringIncludes(old.superseded_because, says);
        const { body: fresh } = await w.ask(`/approvals/${old.superseded_by}`, { as: "admin" });
        assertEquals(
          [fresh.status, fresh.preview.result ?? null],
          ["awaiting_approval", then],
          "a fresh look",
        );
      }
      const looks = (await w.log()).filter(({ tool, detail }) =>
        tool === "look" && detail.approval_id === ids[0]
      );
      // When it was proposed, now, and where that is another thing for the fresh look.
      const ok = then === null ? "upstream_failed" : "ok";
      assertEquals(looks.map(({ outcome }) => outcome), says === null ? ["ok", ok] : ["ok", ok, ok]);
    }
  },
);
