/** What retention removes, and that what it leaves still holds. */

import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { databaseTest } from "../../../../../scripts/testing/database.ts";
import { NOW, openTestLogs, share } from "../../../../../scripts/testing/logs.ts";
import { trimLogs } from "./trim.ts";
import { type Verdict, verifyLog } from "./verify.ts";

const { sql, url, makeWorkspace, append, sealAll, eventIds, verify, assertHolds } = await openTestLogs();

const DAY_MS = 86_400_000;

async function agedWorkspace(settings: object, ages: readonly (readonly number[])[]): Promise<string> {
  const id = await makeWorkspace(settings);
  for (const batch of ages) {
    for (const days of batch) {
      const at = new Date(NOW.getTime() - days * DAY_MS);
      await sql`
        insert into framed.log_events (workspace_id, at, event, request_id, principal, outcome, total_ms)
        values (${id}, ${at}, 'tool.called', ${`${days} days`}, '{"kind": "session", "id": "x", "name": null}', 'ok', 1)`;
    }
    await sealAll();
  }
  return id;
}

async function daysLeft(id: string): Promise<string[]> {
  const rows = await sql`select request_id from framed.log_events where workspace_id = ${id} order by id`;
  return rows.map((row) => row.request_id);
}

for (
  const [name, settings, ages, left] of [
    ["whole batches past log_days go", { log_days: 30 }, [[90, 60], [40], [20], [1]], ["20 days", "1 days"]],
    ["a batch with one younger row stays whole", { log_days: 30 }, [[90], [60, 29], [1]], [
      "60 days",
      "29 days",
      "1 days",
    ]],
    ["a batch behind a younger one stays", { log_days: 30 }, [[10], [90]], ["10 days", "90 days"]],
    ["without a setting a year is kept", {}, [[366], [364]], ["364 days"]],
    ["a setting that is no number keeps a year", { log_days: "7" }, [[366], [364]], ["364 days"]],
    ["everything may go", { log_days: 1 }, [[90], [60]], []],
  ] as const
) {
  databaseTest(`trimLogs(): ${name}, and the chain still holds`, async () => {
    const id = await agedWorkspace(settings, ages);
    await trimLogs(sql, share());
    assertEquals(await daysLeft(id), [...left]);
    await assertHolds(id, left.length);
    await append(id, 2);
    await sealAll();
    await assertHolds(id, left.length + 2);
  });
}

databaseTest("trimLogs() leaves what no seal holds, so that a check finds it", async () => {
  const id = await agedWorkspace({ log_days: 30 }, [[90], [1]]);
  const [first] = await eventIds(id);
  await sql`
    insert into framed.log_events (id, workspace_id, at, event, request_id, principal, outcome, total_ms) overriding system value
    values (${-Number(first)}, ${id}, ${new Date(0)}, 'tool.called', 'planted', '{}', 'ok', 1)`;
  await trimLogs(sql, share());
  assertEquals(await daysLeft(id), ["planted", "1 days"]);
  const verdict = await verify(id);
  assert(!verdict.holds);
  assertEquals(verdict.broken.eventId, `-${first}`);
  await sql`delete from framed.workspaces where id = ${id}`;
});

databaseTest("trimLogs() at once from two ticks removes each batch once", async () => {
  const ids = await Promise.all([1, 2].map(() => agedWorkspace({ log_days: 30 }, [[90], [80], [70], [1]])));
  const other = postgres(url, { max: 2, fetch_types: false });
  try {
    await Promise.all([trimLogs(sql, share()), trimLogs(other, share())]);
    await trimLogs(sql, share());
    for (const id of ids) {
      assertEquals(await daysLeft(id), ["1 days"]);
      await assertHolds(id, 1);
    }
  } finally {
    await other.end();
  }
});

databaseTest("what is sealed or removed while a check runs looks to it like nothing", async () => {
  const id = await agedWorkspace({ log_days: 30 }, [[90], [1]]);
  const other = postgres(url, { max: 1, fetch_types: false });
  try {
    const verdict = await other.begin("isolation level repeatable read read only", async (tx) => {
      await tx`select from framed.log_chains`;
      await trimLogs(sql, share());
      await append(id, 1);
      await sealAll();
      return await verifyLog(tx, { workspaceId: id });
    }) as Verdict;
    assert(verdict.holds);
    assertEquals([verdict.events, verdict.startsAfter], [2, null]);
    await assertHolds(id, 2);
  } finally {
    await other.end();
  }
});
