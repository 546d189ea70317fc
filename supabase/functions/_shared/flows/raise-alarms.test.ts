/** What is said of follow-ups, when, and above all when nothing is, by the ticks of a real stack. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { openFile } from "../../../../scripts/testing/files.ts";
import {
  addManyFollowUps,
  addSentApproval,
  hoursLater,
  readFollowUp,
  tickAt,
  WROTE,
} from "../../../../scripts/testing/follow-ups.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { openDatabase } from "../db/client.ts";
import { isoWeek } from "../follow-ups/week.ts";
import { giveUp, raiseAlarms } from "./raise-alarms.ts";

/** Numbers that the ledger says are booked. */
const booked = new Set<string>();
let ledgerIsUp = true;
const upstream = startUpstream(() =>
  ledgerIsUp
    ? Response.json({ rows: [...booked].map((number) => ({ number })) })
    : new Response("away", { status: 503 })
);
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
const { sql } = workspace.database;
globalThis.addEventListener("unload", () => void upstream.close());
await workspace.define(
  openFile({
    slug: "ledger_booked",
    arguments: { type: "object", properties: { number: { type: "string" } } },
    request: { method: "GET", url: "https://ledger.example/booked?number={number}" },
    fixtures: [{ response: { rows: [] } }],
  }),
);

const DAY = 24;
const tick = async (hours: number, from = WROTE) => {
  const { status, body } = await workspace.tick(hoursLater(hours, from));
  assertEquals(status, 200);
  return body;
};

function add(number: string, { wroteAt = WROTE, workspaceId = workspace.id, days = [7, 30] } = {}) {
  const value = number;
  return addSentApproval(sql, {
    workspaceId,
    wroteAt,
    followUp: {
      what: `Invoice ${number}`,
      done_when: { all: [{ path: "rows.number", op: "equals", value }] },
      alarm_after_days: days[0]!,
      stop_after_days: days[1]!,
    },
  });
}

async function findings() {
  const rows = await sql`
    select n.workspace_id, n.week, n.found_at, n.changed_at, (select count(*)::int from framed.v2_follow_ups f where f.finding_id = n.id) as total
      from framed.v2_findings n order by n.found_at, n.workspace_id`;
  return rows.map(({ week, total, found_at, changed_at, workspace_id }) => ({
    week,
    total,
    found_at,
    changed_at,
    of: workspace_id === workspace.id ? "here" : "elsewhere",
  }));
}

async function eventsOf(approvalId: string): Promise<string[]> {
  const rows = await sql`
    select event from framed.log_events where detail ->> 'approval_id' = ${approvalId} and event <> 'follow_up.checked' order by id`;
  return rows.map(({ event }) => event);
}

async function clear(): Promise<void> {
  await sql`truncate framed.v2_follow_ups, framed.v2_follow_up_turns, framed.v2_findings`;
  booked.clear();
  ledgerIsUp = true;
}

/** A test that finds nothing waiting of the one before. */
function followUpTest(name: string, fn: () => Promise<void>): void {
  databaseTest(name, async () => {
    await clear();
    await fn();
  });
}

followUpTest(
  "a tick says once what has waited its days, in the one finding of that week, for all that turned",
  async () => {
    const [first, second] = [await add("1"), await add("2", { wroteAt: hoursLater(30) })];
    const nextWeek = await add("3", { wroteAt: hoursLater(7.5 * DAY) });
    for (let hours = 0; hours < 7 * DAY; hours += 4) await tick(hours);
    assertEquals(await findings(), []);
    await tick(7 * DAY);
    const [finding] = await findings();
    assertEquals([finding!.week, finding!.total], ["2026-W50", 1]);
    for (let hours = 7 * DAY + 1; hours <= 20 * DAY; hours += 6) await tick(hours);
    assertEquals(
      (await findings()).map(({ week, total }) => [week, total]),
      [["2026-W50", 2], ["2026-W51", 1]],
    );
    const rows = await Promise.all([first, second, nextWeek].map((id) => readFollowUp(sql, id)));
    assertEquals(rows.map(({ status }) => status), ["waiting", "waiting", "waiting"]);
    assertEquals(rows[0]!.alarmed_at, hoursLater(7 * DAY).toISOString());
    assertEquals(await eventsOf(first), ["follow_up.alarmed"]);
  },
);

followUpTest("nothing is said of what was done in time, however late the tick is that finds it", async () => {
  const id = await add("1");
  booked.add("1");
  await tick(9 * DAY);
  const { status, checks, alarmed_at } = await readFollowUp(sql, id);
  assertEquals([status, checks, alarmed_at], ["done", 1, null]);
  assertEquals([await findings(), await eventsOf(id)], [[], []]);
});

followUpTest("a check that is due holds the alarm back until it was made", async () => {
  const id = await add("1");
  const db = openDatabase(workspace.database.url);
  const late = tickAt(hoursLater(8 * DAY));
  assertEquals((await raiseAlarms(db, late)).done, 0);
  assertEquals((await giveUp(db, tickAt(hoursLater(40 * DAY)))).done, 0);
  await tick(8 * DAY);
  assertEquals((await findings()).map(({ total }) => total), [1]);
  assertEquals((await readFollowUp(sql, id)).checks, 1);
  await db.end();
});

followUpTest("failing checks are said by nobody, and the alarm comes all the same", async () => {
  const id = await add("1");
  ledgerIsUp = false;
  for (let hours = 0; hours < 7 * DAY; hours += 2) await tick(hours);
  const { status, checks, last_check_outcome } = await readFollowUp(sql, id);
  assertEquals([status, checks, last_check_outcome], ["waiting", 10, "upstream_failed"]);
  assertEquals([await findings(), await eventsOf(id)], [[], []]);
  await tick(7 * DAY);
  assertEquals((await findings()).map(({ total }) => total), [1]);
});

followUpTest("checking ends by itself after its days, after the last due check and the alarm", async () => {
  const id = await add("1", { days: [2, 3] });
  for (let hours = 0; hours < 3 * DAY; hours += 2) await tick(hours);
  assertEquals((await readFollowUp(sql, id)).status, "waiting");
  await tick(3 * DAY);
  const { status, checks, ended_at, next_check_at } = await readFollowUp(sql, id);
  assertEquals([status, checks, ended_at, next_check_at], [
    "given_up",
    6,
    hoursLater(3 * DAY).toISOString(),
    null,
  ]);
  assertEquals(await eventsOf(id), ["follow_up.alarmed", "follow_up.given_up"]);
  const asked = upstream.requests.length;
  await tick(4 * DAY);
  assertEquals(upstream.requests.length, asked);

  const [late, lateAndDone] = [await add("2"), await add("3")];
  booked.add("3");
  await tick(100 * DAY);
  assertEquals(
    (await Promise.all([late, lateAndDone].map((one) => readFollowUp(sql, one)))).map((
      { status, checks, alarmed_at },
    ) => [status, checks, alarmed_at]),
    [["given_up", 1, hoursLater(100 * DAY).toISOString()], ["done", 1, null]],
    "one tick that is months late checks, says and ends in this order",
  );
});

followUpTest("ticks at once say each thing once, in one finding", async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => add(String(n))));
  const elsewhere = await add("x", { workspaceId: workspace.siblingId });
  await tick(7 * DAY - 1);
  await Promise.all([tick(7 * DAY), tick(7 * DAY), tick(7 * DAY + 0.01)]);
  const found = await findings();
  assertEquals(found.map(({ total }) => total).sort(), [1, 30]);
  assertEquals(found.map(({ of }) => of).sort(), ["elsewhere", "here"]);
  for (const id of [...ids, elsewhere]) assertEquals(await eventsOf(id), ["follow_up.alarmed"]);
});

followUpTest("the week of a finding is that of the tick, over the turn of a year too", async () => {
  const wroteAt = new Date("2026-12-25T00:30:00Z");
  await add("1", { wroteAt });
  await tick(7 * DAY, wroteAt);
  assertEquals((await findings()).map(({ week }) => week), ["2026-W53"]);
  await clear();
  await add("1", { wroteAt });
  await tick(11 * DAY, wroteAt);
  assertEquals((await findings()).map(({ week }) => week), [isoWeek(hoursLater(11 * DAY, wroteAt))]);
});

followUpTest("raiseAlarms() says a batch though there is no time left, and that there is more", async () => {
  const db = openDatabase(workspace.database.url);
  await addManyFollowUps(sql, { workspaceId: workspace.id, count: 501 });
  const next = hoursLater(9 * DAY);
  await sql`update framed.v2_follow_ups set next_check_at = ${next}, due_at = ${next}`;
  const noTime = tickAt(hoursLater(8 * DAY), { hasTime: () => false });
  const work = await raiseAlarms(db, noTime);
  assertEquals([work.done, work.more], [500, true]);
  const rest = await raiseAlarms(db, noTime);
  assertEquals([rest.done, rest.more], [1, false]);
  assert((await findings())[0]!.total === 501);
  await db.end();
});

followUpTest("an alarm is noted for the workspace's webhook, once a finding", async () => {
  const notify = { url: "https://hooks.example.com/", delay_minutes: 5 };
  const set = await workspace.ask(`/workspaces/${workspace.id}`, {
    as: "admin",
    method: "PATCH",
    body: { notify },
  });
  assertEquals(set.status, 200, set.text);
  await add("1");
  await add("2", { wroteAt: hoursLater(1) });
  await tick(7 * DAY);
  const noted = () =>
    sql`select kind, subject, noted_at from framed.v2_notices where workspace_id = ${workspace.id}`;
  const [finding] = await sql`select id from framed.v2_findings`;
  const expected = [{ kind: "follow_ups_waiting", subject: finding!.id, noted_at: hoursLater(7 * DAY) }];
  assertEquals([...await noted()], expected);
  await tick(7 * DAY + 1);
  assertEquals([...await noted()], expected);
});
