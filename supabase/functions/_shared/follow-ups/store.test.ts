/** What claims and records guarantee when several connections are at it. */

import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { addSentApproval, hoursLater, readFollowUp } from "../../../../scripts/testing/follow-ups.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import type { LogEvent } from "../log/event.ts";
import { claimDueChecks, closeCheck, type DueCheck, releaseChecks } from "./store.ts";

const workspace = await openTestWorkspace();
const { sql, url } = workspace.database;
const db = postgres(url, { max: 4, fetch_types: false });
globalThis.addEventListener("unload", () => void db.end());

const add = (workspaceId = workspace.id) => addSentApproval(sql, { workspaceId });
const claim = (hours: number, atMost = 100) =>
  claimDueChecks(db, { at: hoursLater(hours), atMost, leaseMs: 60_000 });
const idsOf = (checks: readonly DueCheck[]) => checks.map(({ approval_id }) => approval_id).sort();

function storeTest(name: string, fn: () => Promise<void>): void {
  databaseTest(name, async () => {
    await sql`truncate framed.v2_follow_ups, framed.v2_follow_up_turns`;
    await fn();
  });
}

function event(requestId: string): LogEvent {
  return {
    event: "follow_up.checked",
    request_id: requestId,
    principal: { kind: "follow_up", id: workspace.id, name: "follow-up" },
    tool: "ledger_booked",
    connector_id: null,
    version: null,
    operation: null,
    args: {},
    outcome: "ok",
    total_ms: 1,
  };
}

const waits = { at: hoursLater(2), outcome: "waiting", nextCheckAt: hoursLater(4), landed: "" };
const done = { ...waits, outcome: "done", nextCheckAt: null };

async function countLogged(requestId: string): Promise<number> {
  const [row] = await sql`select count(*)::int from framed.log_events where request_id = ${requestId}`;
  return row!.count;
}

storeTest(
  "claimDueChecks() gives each of many at once its own checks, and all of them together",
  async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => add()));
    const claims = [];
    while (claims.flat().length < ids.length) {
      const taken = await Promise.all([claim(2, 10), claim(2, 10), claim(2, 10), claim(2, 10)]);
      claims.push(...taken.map(({ checks }) => idsOf(checks)));
    }
    assertEquals(claims.flat().sort(), ids.sort());
  },
);

storeTest("claimDueChecks() waits for nobody: a turn that is held is left to who holds it", async () => {
  const [here, there] = [await add(), await add(workspace.siblingId)];
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.begin(async (tx) => {
    await tx`select from framed.v2_follow_up_turns where workspace_id = ${workspace.id} for update`;
    held.resolve();
    await letGo.promise;
  });
  await held.promise;
  assertEquals(idsOf((await claim(2)).checks), [there]);
  letGo.resolve();
  await holding;
  assertEquals(idsOf((await claim(2)).checks), [here]);
});

storeTest("a write that joins while the last one leaves the line is not forgotten", async () => {
  await add();
  const first = await claim(2);
  await closeCheck(db, {
    lease: first.lease,
    check: first.checks[0]!,
    ending: done,
    event: event("req_leaves"),
  });
  // The claim that finds nothing waiting takes the workspace out of the line; the write waits for it, or it for the write.
  await Promise.all([
    claim(40),
    addSentApproval(sql, { workspaceId: workspace.id, wroteAt: hoursLater(30) }),
  ]);
  assertEquals((await claim(50)).checks.length, 1);
});

storeTest("releaseChecks() makes what it gives back due at once, and nothing else", async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => add()));
  const { lease, checks } = await claim(2);
  await releaseChecks(db, { lease, checks: checks.slice(0, 2) });
  assertEquals(idsOf((await claim(2)).checks), idsOf(checks.slice(0, 2)));
  await releaseChecks(db, { lease: crypto.randomUUID(), checks });
  assertEquals((await claim(2)).checks, [], "somebody else's lease gives nothing back");
  assert(ids.length === checks.length);
});

storeTest("closeCheck() records nothing for who lost the check to another, but the log row", async () => {
  const id = await add();
  const first = await claim(2);
  const second = await claim(2.1);
  assertEquals([first.checks.length, second.checks.length], [1, 1]);
  const late = { lease: first.lease, check: first.checks[0]!, event: event("req_late") };
  assertEquals(await closeCheck(db, { ...late, ending: done }), false);
  assertEquals((await readFollowUp(sql, id)).status, "waiting");
  const own = { lease: second.lease, check: second.checks[0]!, event: event("req_own") };
  assertEquals(await closeCheck(db, { ...own, ending: waits }), true);
  assertEquals(await closeCheck(db, { ...own, ending: waits }), false, "a lease is good for one record");
  assertEquals([(await readFollowUp(sql, id)).checks, await countLogged("req_late")], [1, 1]);
});

storeTest("framed.close_check() that is told again writes once, whichever was lost", async () => {
  const id = await add();
  const { lease, checks: [check] } = await claim(2);
  const close = async (requestId: string) => {
    const ended = { at: waits.at, outcome: "waiting", next_check_at: waits.nextCheckAt, landed: "" };
    await db`
      select framed.close_check(${workspace.id}::uuid, ${check!.approval_id}::uuid, ${lease}::uuid,
        ${JSON.stringify(ended)}::text::jsonb, ${JSON.stringify(event(requestId))}::text::jsonb, true)`;
  };
  await close("req_lost");
  await close("req_lost");
  assertEquals([(await readFollowUp(sql, id)).checks, await countLogged("req_lost")], [1, 1]);
});

storeTest("closeCheck() of one workspace reaches no other's follow-up", async () => {
  const id = await add(workspace.siblingId);
  const { lease, checks: [check] } = await claim(2);
  const elsewhere = { ...check!, workspace_id: workspace.id };
  assertEquals(await closeCheck(db, { lease, check: elsewhere, ending: done, event: event("req_x") }), false);
  assertEquals((await readFollowUp(sql, id)).status, "waiting");
});
