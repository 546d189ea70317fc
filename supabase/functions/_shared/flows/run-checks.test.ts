/** Checks of follow-ups on a real database, against a real system on loopback. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { ledgerFile } from "../../../../scripts/testing/files.ts";
import {
  addManyFollowUps,
  addSentApproval,
  hoursLater,
  readFollowUp,
  tickAt,
} from "../../../../scripts/testing/follow-ups.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace, type TestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { openDatabase } from "../db/client.ts";
import type { JsonObject } from "../definition/json.ts";
import { createEgress } from "../egress/guarded-fetch.ts";
import { claimDueChecks } from "../follow-ups/store.ts";
import { generateKeyRing, readKeyRing } from "../secrets/key-ring.ts";
import { runChecks } from "./run-checks.ts";

const CANARY = "canary-of-the-ledger-5f1c";
const OPEN = { rows: [{ number: "2026-1" }] };
const BOOKED = { rows: [{ number: "2026-1" }, { number: "2026-7" }] };

/** What the ledger answers next. */
let answer: () => Response | Promise<Response> = () => Response.json(OPEN);
const upstream = startUpstream(() => answer());
const keyRingText = generateKeyRing("k1");
const keyRing = await readKeyRing(keyRingText);
const upstreams = new Map([["ledger.example", upstream.url]]);
const workspace = await openTestWorkspace({ upstreams, keyRingText });
const { sql } = workspace.database;
const db = openDatabase(workspace.database.url, { max: 4 });
const egress = createEgress({ upstreams });
const means = { db, egress, keyRing: keyRing.ok ? keyRing.value : null };
globalThis.addEventListener("unload", () => void upstream.close());

const bookedFile = (more: JsonObject = {}) =>
  ledgerFile({
    slug: "ledger_booked",
    name: "Booked invoices",
    arguments: { type: "object", properties: { number: { type: "string" } } },
    request: {
      method: "GET",
      url: "https://ledger.example/api/booked?number={number}",
      headers: { Authorization: "Bearer {{secret}}" },
    },
    fixtures: [{ response: OPEN }],
    ...more,
  });
assertEquals((await workspace.define(bookedFile())).status, 200);
assertEquals(
  (await workspace.paste("ledger_booked", { name: "CONNECTOR_LEDGER", value: CANARY })).status,
  204,
);

const check = (now: Date, more: Parameters<typeof tickAt>[1] = {}) => runChecks(means, tickAt(now, more));
const add = (more: Partial<Parameters<typeof addSentApproval>[1]> = {}) =>
  addSentApproval(sql, { workspaceId: workspace.id, ...more });
async function clear(): Promise<void> {
  await sql`truncate framed.v2_follow_ups, framed.v2_follow_up_turns`;
  answer = () => Response.json(OPEN);
}

/** A test that finds nothing waiting of the one before. */
function followUpTest(name: string, fn: () => Promise<void>): void {
  databaseTest(name, async () => {
    await clear();
    await fn();
  });
}

async function checksLogged(approvalId: string) {
  return [
    ...await sql`
    select principal, tool, connector_id is not null as has_tool, args, outcome, detail, upstream_ms, database_ms from framed.log_events
     where event = 'follow_up.checked' and detail ->> 'approval_id' = ${approvalId} order by id`,
  ];
}

/** All that is said to anybody of its own accord. */
async function countSaid(): Promise<number> {
  const [row] = await sql`
    select (select count(*)::int from framed.v2_findings) + (select count(*)::int from framed.v2_follow_ups where alarmed_at is not null)
      + (select count(*)::int from framed.log_events where event like 'follow\_up.%' and event <> 'follow_up.checked') as said`;
  return row!.said;
}

followUpTest("runChecks() checks by the schedule until it is done, and says nothing", async () => {
  const id = await add();
  const asked: number[] = [];
  for (let hours = 0; hours <= 60; hours += 0.5) {
    const before = upstream.requests.length;
    if (hours === 60) answer = () => Response.json(BOOKED);
    const work = await check(hoursLater(hours));
    const made = upstream.requests.length - before;
    assertEquals([work.claimed, work.done + work.waiting, work.failed, work.more], [made, made, 0, false]);
    if (made > 0) asked.push(hours);
  }
  assertEquals(asked, [2, 4, 8, 12, 36, 60]);
  assertEquals(await readFollowUp(sql, id), {
    status: "done",
    checks: 6,
    last_check_at: hoursLater(60).toISOString(),
    last_check_outcome: "done",
    next_check_at: null,
    alarmed_at: null,
    finding_id: null,
    ended_at: hoursLater(60).toISOString(),
    stopped_by: null,
  });
  assertEquals(await countSaid(), 0);
  assertEquals((await check(hoursLater(90))).claimed, 0);
});

followUpTest(
  "runChecks() sends the tool's secret and logs each check as the workspace's own, without it",
  async () => {
    const id = await add();
    await check(hoursLater(2));
    const { headers, target } = upstream.requests.at(-1)!;
    assertEquals([headers.get("authorization"), target], [`Bearer ${CANARY}`, "/api/booked?number=2026-7"]);
    const [{ database_ms, upstream_ms, ...row } = {}] = await checksLogged(id);
    assert(Number(database_ms) >= 0 && Number(upstream_ms) >= 0);
    assertEquals(row, {
      principal: { kind: "follow_up", id: workspace.id, name: "follow-up" },
      tool: "ledger_booked",
      has_tool: true,
      args: { number: "2026-7" },
      outcome: "ok",
      detail: {
        approval_id: id,
        is_done: false,
        answers_with: "live system",
        rows: 1,
        audit: "connector=ledger_booked capability=- operation=- mode=live ok=true truncated=false",
      },
    });
    assert(!JSON.stringify(await workspace.log()).includes(CANARY));
  },
);

followUpTest("runChecks() keeps nothing, and leaves a kept read as it was", async () => {
  await workspace.call("ledger_booked", { args: { number: "2026-7" } });
  const kept = () => sql`select id, read_at, result from framed.v2_kept_reads`;
  const before = [...await kept()];
  assertEquals(before.length, 1);
  const id = await add();
  answer = () => Response.json(BOOKED);
  await check(hoursLater(2));
  assertEquals((await readFollowUp(sql, id)).status, "done");
  assertEquals([...await kept()], before);
});

/** What can go wrong with a check, whatever it is: it counts as failing, is in the log, and is said to nobody. */
const FAILURES: readonly {
  readonly name: string;
  readonly outcome: string;
  readonly answer?: () => Response | Promise<Response>;
  readonly followUp?: JsonObject;
  readonly tool?: JsonObject;
  readonly next?: number;
}[] = [
  { name: "its tool is gone", followUp: { check_tool: "ledger_gone" }, outcome: "not_found" },
  {
    name: "its tool waits for a person by now",
    tool: { slug: "ledger_confirmed", confirm: true },
    followUp: { check_tool: "ledger_confirmed" },
    outcome: "approval_required",
  },
  {
    name: "its tool writes by now",
    tool: { slug: "ledger_writes", access: "write" },
    followUp: { check_tool: "ledger_writes" },
    outcome: "approval_required",
  },
  {
    name: "its tool has no such argument any more",
    followUp: { check_args: { reference: "2026-7" } },
    outcome: "bad_arguments",
  },
  {
    name: "its tool waits for a secret",
    tool: {
      slug: "ledger_unset",
      auth: { secret: "CONNECTOR_UNSET" },
    },
    followUp: { check_tool: "ledger_unset" },
    outcome: "secret_missing",
  },
  {
    name: "the answer is huge",
    answer: () => new Response(`{"rows":["${"x".repeat(6_000_000)}"]}`),
    outcome: "upstream_too_large",
  },
  {
    name: "the answer is no JSON",
    answer: () => new Response("{", { headers: { "content-type": "application/json" } }),
    outcome: "upstream_bad_answer",
  },
  {
    name: "the other system breaks",
    answer: () => new Response("no", { status: 500 }),
    outcome: "upstream_failed",
  },
  {
    name: "the other system sends it elsewhere",
    answer: () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example/" } }),
    outcome: "upstream_refused_redirect",
  },
  {
    name: "the other system asks to be left alone",
    answer: () => new Response("later", { status: 429, headers: { "retry-after": "3600" } }),
    outcome: "upstream_failed",
    // An hour from the check at 3.5 h is past the instant at 4 h.
    next: 8,
  },
];

for (const { name, outcome, answer: answers, followUp = {}, tool, next = 4 } of FAILURES) {
  followUpTest(`runChecks() counts as failing, and says nothing, where ${name}`, async () => {
    if (tool !== undefined) {
      const { request } = bookedFile() as { request: JsonObject };
      const defined = await workspace.define(
        bookedFile({ request: { ...request, method: tool.access === "write" ? "POST" : "GET" }, ...tool }),
      );
      assertEquals(defined.status, 200, defined.text);
    }
    const id = await add({ followUp });
    if (answers !== undefined) answer = answers;
    const said = await countSaid();
    const work = await check(hoursLater(3.5));
    assertEquals(work, { claimed: 1, done: 0, waiting: 0, failed: 1, more: false });
    const row = await readFollowUp(sql, id);
    assertEquals([row.status, row.checks, row.last_check_outcome, row.next_check_at], [
      "waiting",
      1,
      outcome,
      hoursLater(next).toISOString(),
    ]);
    assertEquals((await checksLogged(id)).map((event) => event.outcome), [outcome]);
    assertEquals(await countSaid(), said);
    await clear();
  });
}

followUpTest("runChecks() gives up a check that takes too long, and goes on with the others", async () => {
  const held = Promise.withResolvers<void>();
  const id = await add();
  answer = async () => {
    await held.promise;
    return Response.json(BOOKED);
  };
  const work = await runChecks(means, tickAt(hoursLater(2)), { timeoutMs: 200 });
  held.resolve();
  assertEquals([work.claimed, work.failed], [1, 1]);
  assertEquals((await readFollowUp(sql, id)).last_check_outcome, "upstream_timed_out");
});

followUpTest("runChecks() counts as failing a host that nobody answers at", async () => {
  const nowhere = startUpstream(() => new Response());
  await nowhere.close();
  const away = createEgress({ upstreams: new Map([["ledger.example", nowhere.url]]) });
  const id = await add();
  const work = await runChecks({ ...means, egress: away }, tickAt(hoursLater(2)));
  assertEquals([work.claimed, work.failed], [1, 1]);
  assertEquals((await readFollowUp(sql, id)).last_check_outcome, "upstream_unreachable");
  await away.close();
});

followUpTest("runChecks() counts as failing where no sealed value can be opened", async () => {
  const id = await add();
  const work = await runChecks({ ...means, keyRing: null }, tickAt(hoursLater(2)));
  assertEquals([work.claimed, work.failed], [1, 1]);
  assertEquals((await readFollowUp(sql, id)).last_check_outcome, "store_unavailable");
});

followUpTest(
  "runChecks() makes what nobody knew of applied once its check finds it done, with a log row",
  async () => {
    const known = await add({ calls: ["unknown"] });
    const chain = await add({ calls: ["unknown", "not_sent"] });
    const states = async (id: string) => {
      const [row] = await sql`
      select a.status, a.outcome, (select json_agg(c.status order by c.n) from framed.v2_approval_calls c where c.approval_id = a.id) as calls
        from framed.v2_approvals a where a.id = ${id}`;
      return [row!.status, row!.calls];
    };
    await check(hoursLater(2));
    assertEquals([await states(known), await states(chain)], [["unknown", ["unknown"]], ["unknown", [
      "unknown",
      "not_sent",
    ]]]);
    answer = () => Response.json(BOOKED);
    await check(hoursLater(4));
    assertEquals(await states(known), ["applied", ["applied"]]);
    assertEquals(await states(chain), ["failed", ["applied", "not_sent"]], "not all of it came to be");
    assertEquals((await readFollowUp(sql, known)).status, "done");
    const [approval] = await sql`select outcome from framed.v2_approvals where id = ${known}`;
    assertEquals(
      approval!.outcome,
      "Nobody knew what became of it; a check with ledger_booked found it done.",
    );
    const ended = await sql`
    select detail from framed.log_events where event = 'approval.ended' and detail ->> 'approval_id' in (${known}, ${chain})
     order by detail ->> 'status'`;
    assertEquals(ended.map(({ detail }) => detail), [
      { approval_id: known, status: "applied" },
      { approval_id: chain, status: "failed" },
    ]);
  },
);

followUpTest(
  "runChecks() records nothing of a check whose follow-up was stopped meanwhile, but its log row",
  async () => {
    const id = await add({ calls: ["unknown"] });
    answer = async () => {
      await sql`
      update framed.v2_follow_ups set status = 'stopped', stopped_by = '{}', due_at = null, next_check_at = null where approval_id = ${id}`;
      return Response.json(BOOKED);
    };
    await check(hoursLater(2));
    const { status, checks } = await readFollowUp(sql, id);
    const [approval] = await sql`select status from framed.v2_approvals where id = ${id}`;
    assertEquals([status, checks, approval!.status], ["stopped", 0, "unknown"]);
    assertEquals((await checksLogged(id)).length, 1);
  },
);

followUpTest("runChecks() twice at once makes each check once", async () => {
  const ids = await Promise.all(Array.from({ length: 40 }, () => add()));
  const before = upstream.requests.length;
  const works = await Promise.all([check(hoursLater(2)), check(hoursLater(2)), check(hoursLater(2))]);
  assertEquals(works.reduce((sum, work) => sum + work.waiting, 0), ids.length);
  assertEquals(upstream.requests.length - before, ids.length);
  const rows = await Promise.all(ids.map((id) => readFollowUp(sql, id)));
  assert(rows.every(({ checks }) => checks === 1));
});

followUpTest("a check that was claimed and never recorded is made again once its lease is over", async () => {
  const id = await add();
  const { checks } = await claimDueChecks(db, { at: hoursLater(2), atMost: 10, leaseMs: 60_000 });
  assertEquals(checks.map((one) => one.approval_id), [id]);
  assertEquals((await check(new Date(hoursLater(2).getTime() + 59_999))).claimed, 0);
  assertEquals((await check(new Date(hoursLater(2).getTime() + 60_000))).waiting, 1);
  assertEquals((await readFollowUp(sql, id)).checks, 1);
});

followUpTest("a check whose connection the server ends while it is recorded is recorded once", async () => {
  const id = await add();
  answer = () => Response.json(BOOKED);
  const { checking } = await sql.begin(async (tx) => {
    await tx`lock table framed.log_events in exclusive mode`;
    const checking = check(hoursLater(2));
    for (let ended = 0; ended === 0;) {
      await tx`select pg_stat_clear_snapshot()`; // else a transaction goes on seeing what it saw first
      ended = (await tx`select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%close_check%'`)
        .count;
    }
    return { checking };
  }) as { checking: ReturnType<typeof check> };
  assertEquals((await checking).done, 1);
  const { status, checks } = await readFollowUp(sql, id);
  assertEquals([status, checks, (await checksLogged(id)).length], ["done", 1, 1]);
});

followUpTest(
  "runChecks() ends where the store is away, and what it had claimed is checked later",
  async () => {
    const id = await add();
    const away = openDatabase(workspace.database.url, { max: 1 });
    answer = async () => {
      await away.end({ timeout: 0 });
      return Response.json(BOOKED);
    };
    await assertRejects(() => runChecks({ ...means, db: away }, tickAt(hoursLater(2))));
    assertEquals((await readFollowUp(sql, id)).checks, 0);
    answer = () => Response.json(BOOKED);
    assertEquals((await check(hoursLater(2.1))).done, 1);
  },
);

followUpTest("runChecks() gives back what it has no time for, and the next tick makes it", async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, () => add()));
  let asked = 0;
  const work = await check(hoursLater(2), { hasTime: () => asked++ < 20 });
  assert(work.claimed > 0 && work.claimed < ids.length, String(work.claimed));
  assertEquals(work.more, true);
  const rest = await check(hoursLater(2));
  assertEquals([rest.claimed, rest.more], [ids.length - work.claimed, false]);
});

followUpTest("a clock that steps back makes no check a second time", async () => {
  const id = await add();
  await check(hoursLater(4.5));
  for (const hours of [4.4, 2, 4, 7.9]) assertEquals((await check(hoursLater(hours))).claimed, 0);
  await check(hoursLater(8));
  assertEquals((await readFollowUp(sql, id)).checks, 2);
});

followUpTest("claimDueChecks() serves everyone though one workspace has 100,000 due", async () => {
  await addManyFollowUps(sql, { workspaceId: workspace.id, count: 100_000 });
  const others = await addWorkspaces(workspace, 100);
  // All of theirs came due after every one of the first.
  for (const workspaceId of others) {
    await addManyFollowUps(sql, { workspaceId, count: 1, wroteAt: hoursLater(1) });
  }
  const [claim, touched] = await sql.begin(async (tx) => {
    // Without a limit of time: what it may cost is said in rows.
    const claim = await claimDueChecks(tx as unknown as typeof sql, {
      at: hoursLater(4),
      atMost: 500,
      leaseMs: 60_000,
    });
    const [stat] =
      await tx`select (seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_xact_user_tables
      where relname = 'v2_follow_ups'`;
    return [claim, stat!.rows as number];
  }) as [Awaited<ReturnType<typeof claimDueChecks>>, number];
  // To find, to claim and to tell 500, and the next of each workspace.
  assert(touched <= 3 * 500 + 101, `${touched} rows were touched`);
  const of = (workspaceId: string) => claim.checks.filter((one) => one.workspace_id === workspaceId).length;
  assertEquals(others.map(of), others.map(() => 1));
  assertEquals([of(workspace.id), claim.checks.length, claim.more], [400, 500, true]);
  assert(
    claim.checks.slice(0, 101).filter((one) => one.workspace_id === workspace.id).length === 1,
    "the first of each comes first",
  );
  const again = await claimDueChecks(sql, { at: hoursLater(4), atMost: 500, leaseMs: 60_000 });
  assertEquals([again.checks.length, again.more], [500, true]);
  const ids = new Set([...claim.checks, ...again.checks].map((one) => one.approval_id));
  assertEquals(ids.size, 1_000);
});

followUpTest("claimDueChecks() takes turns where more workspaces have something due than fit", async () => {
  const many = await addWorkspaces(workspace, 30);
  for (const workspaceId of many) await addManyFollowUps(sql, { workspaceId, count: 20 });
  const served = new Map<string, number>();
  for (let tick = 0; tick < 6; tick++) {
    const at = new Date(hoursLater(3).getTime() + tick * 1_000);
    const claim = await claimDueChecks(db, { at, atMost: 10, leaseMs: 3_600_000 });
    assertEquals([claim.checks.length, claim.more], [10, true]);
    for (const { workspace_id } of claim.checks) {
      served.set(workspace_id, (served.get(workspace_id) ?? 0) + 1);
    }
  }
  assertEquals(many.map((id) => served.get(id)), many.map(() => 2));
});

followUpTest(
  "a workspace that has nothing waiting leaves the line, and comes back with a write",
  async () => {
    const turns = async () =>
      [...await sql`select due_at from framed.v2_follow_up_turns`].map(({ due_at }) => due_at);
    await add();
    answer = () => Response.json(BOOKED);
    await check(hoursLater(2));
    await check(hoursLater(3));
    assertEquals(await turns(), []);
    await add({ wroteAt: hoursLater(5) });
    assertEquals(await turns(), [hoursLater(7)]);
    await add({ wroteAt: hoursLater(1) });
    assertEquals(await turns(), [hoursLater(3)]);
  },
);

async function addWorkspaces({ accountId }: TestWorkspace, count: number): Promise<string[]> {
  const rows = await sql`
    insert into framed.workspaces (account_id, name) select ${accountId}::uuid, 'Other ' || n from generate_series(1, ${count}::integer) n returning id`;
  return rows.map(({ id }) => id);
}
