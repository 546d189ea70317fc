import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile } from "../../../scripts/testing/files.ts";
import { trySpeakingFor } from "../../../scripts/testing/speaking-for.ts";
import {
  type CallerName,
  CALLERS,
  openTestWorkspace,
  TOKEN_CALLERS,
} from "../../../scripts/testing/workspace.ts";
import { type CallsOfDay, countCallsByDay } from "../_shared/log/store.ts";

// Sessions of the store far from UTC: days have to be those of UTC all the same.
const workspace = await openTestWorkspace({ databaseUrl: (url) => `${url}?TimeZone=Pacific/Kiritimati` });
globalThis.addEventListener("unload", () => workspace.close());
const { sql } = workspace.database;

const ask = (query: Record<string, string> = {}, as: CallerName = "member") =>
  workspace.ask(`/log/days?${new URLSearchParams({ workspace_id: workspace.id, ...query })}`, { as });

const daysOf = async (query: Record<string, string> = {}): Promise<CallsOfDay[]> => {
  const { status, body, text } = await ask(query);
  assertEquals([status, body.ok, body.time_zone], [200, true, "UTC"], text);
  return body.days;
};
const callsOf = (days: readonly CallsOfDay[]) =>
  days.filter(({ ok, not_ok }) => ok + not_ok > 0).map(({ day, ok, not_ok }) => [day, ok, not_ok]);

/** The day that is `back` days before `day`. */
function dayBefore(day: string, back: number): string {
  return new Date(Date.parse(day) - back * 86_400_000).toISOString().slice(0, 10);
}

interface Logged {
  readonly at: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly event?: string;
}

/** Rows of days gone by, as only the owner of the database can write them, in the order given. */
async function addRows(rows: readonly Logged[], workspaceId = workspace.id): Promise<void> {
  for (const { at, tool = "rooms", outcome = "ok", event = "tool.called" } of rows) {
    await sql`insert into framed.log_events (workspace_id, at, event, request_id, principal, tool, outcome, total_ms)
      values (${workspaceId}, ${at}::timestamptz, ${event}, 'req_x', '{}', ${tool}, ${outcome}, 1)`;
  }
}

databaseTest("calls are counted by day, today last, and days without any are there as zeros", async () => {
  const empty = await daysOf();
  const today = empty.at(-1)!.day;
  assertEquals(
    empty,
    Array.from({ length: 14 }, (_, n) => ({ day: dayBefore(today, 13 - n), ok: 0, not_ok: 0 })),
  );
  assert(Math.abs(Date.parse(today) - Date.now()) < 2 * 86_400_000);
  // Real calls, a refused one too; what is proposed, defined and answered to nobody is no call.
  await workspace.define(fixtureFile());
  await workspace.call("rooms", { args: { floor: 1 } }, "member");
  await workspace.call("rooms", { args: { floor: "no number" } }, "admin");
  await workspace.call("missing", { args: {} }, "admin");
  const of = async (query: Record<string, string>) => {
    const days = await daysOf(query);
    return [
      days.reduce((sum, { ok }) => sum + ok, 0),
      days.reduce((sum, { not_ok }) => sum + not_ok, 0),
    ];
  };
  // In all of the days that are asked for, should midnight be in between.
  assertEquals(await of({ days: "2" }), [1, 2]);
  assertEquals(await of({ days: "2", tool: "rooms" }), [1, 1]);
  assertEquals(await of({ days: "2", tool: "missing" }), [0, 1]);
  assertEquals(await of({ days: "2", tool: "nothing_by_that_name" }), [0, 0]);
});

databaseTest("a day is one of UTC, from its first microsecond to its last", async () => {
  const today = (await daysOf()).at(-1)!.day;
  const [two, three, four] = [dayBefore(today, 2), dayBefore(today, 3), dayBefore(today, 4)];
  await addRows([
    { at: `${four}T23:59:59.999999Z`, tool: "edges" },
    { at: `${three}T00:00:00Z`, tool: "edges" },
    { at: `${three}T12:00:00Z`, tool: "edges", outcome: "upstream_failed" },
    { at: `${three}T12:00:00Z`, tool: "edges", event: "approval.proposed" },
    { at: `${three}T12:00:00Z`, tool: "other" },
    { at: `${three}T23:59:59.999999Z`, tool: "edges" },
    { at: `${two}T00:00:00Z`, tool: "edges" },
  ]);
  assertEquals(callsOf(await daysOf({ tool: "edges" })), [[four, 1, 0], [three, 2, 1], [two, 1, 0]]);
  assertEquals(callsOf(await daysOf()).slice(0, 3), [[four, 1, 0], [three, 3, 1], [two, 1, 0]]);
  // The first day that is asked for is whole, and nothing before it is told.
  assertEquals(callsOf(await daysOf({ tool: "edges", days: "4" })), [[three, 2, 1], [two, 1, 0]]);
  assertEquals((await daysOf({ days: "4" })).map(({ day }) => day), [
    three,
    two,
    dayBefore(today, 1),
    today,
  ]);
});

databaseTest("a row whose id came before the first of its day is counted with the day", async () => {
  const today = (await daysOf()).at(-1)!.day;
  const first = dayBefore(today, 9);
  await addRows([
    { at: `${first}T00:00:00.000002Z`, tool: "late" },
    { at: `${first}T00:00:00.000001Z`, tool: "late" },
  ]);
  assertEquals(callsOf(await daysOf({ tool: "late", days: "10" })), [[first, 2, 0]]);
});

databaseTest("from 1 to 90 days are counted, and other numbers refused with the place", async () => {
  assertEquals((await daysOf({ days: "1" })).length, 1);
  assertEquals((await daysOf({ days: "90" })).length, 90);
  const wanted = "days: a number from 1 to 90 is wanted";
  const table: [Record<string, string>, string][] = [
    ...["0", "91", "-1", "1e1", "7.0", " 7", "", "0x7", "٧", "9".repeat(300), "1; drop table x"].map(
      (days): [Record<string, string>, string] => [{ days }, wanted],
    ),
    [{ tool: "x".repeat(201) }, "tool: at most 200 characters are wanted"],
    [{ since: "2026-11-30T12:00:00Z" }, "query: since not known here"],
  ];
  for (const [query, says] of table) {
    const { status, body } = await ask(query);
    assertEquals([status, body.reason, body.problems], [400, "bad_request", [says]], JSON.stringify(query));
  }
  const twice = await workspace.ask(`/log/days?workspace_id=${workspace.id}&days=1&days=2`, { as: "member" });
  assertEquals([twice.status, twice.body.problems], [400, ["query: days given more than once"]]);
  const hostile = await daysOf({ tool: "rooms' or 1=1 --" });
  assertEquals(callsOf(hostile), []);
});

databaseTest("who sees how many calls there were: members, with the grant or without", async () => {
  const expected: Record<CallerName, string> = {
    admin: "all",
    second_admin: "all",
    member: "all",
    bare_member: "all",
    admin_key: "all",
    reseller_key: "grant_missing",
    stranger: "not_found",
    stranger_key: "not_found",
    admin_token: "all",
    member_token: "all",
    stranger_token: "not_found",
    stranger_reseller_key: "not_found",
    nobody: "unauthenticated",
  };
  const all = await daysOf({ days: "90" });
  assert(callsOf(all).length > 0);
  for (const as of [...CALLERS, ...TOKEN_CALLERS]) {
    const { body } = await ask({ days: "90" }, as);
    if (body.ok) assertEquals([as, expected[as], body.days], [as, "all", all]);
    else assertEquals([as, body.reason], [as, expected[as]]);
  }
  const without = ({ text, body }: { text: string; body: { request_id: string } }) =>
    text.replace(body.request_id, "");
  for (const as of ["stranger", "stranger_key", "stranger_reseller_key"] as const) {
    const missing = await ask({ workspace_id: crypto.randomUUID() }, as);
    assertEquals(without(await ask({}, as)), without(missing), as);
  }
  // Calls of another workspace are nobody's here.
  await addRows([{ at: new Date().toISOString(), tool: "strangers" }], workspace.strangersId);
  assertEquals(callsOf(await daysOf({ tool: "strangers" })), []);
});

databaseTest(
  "countCallsByDay() looks at the days and the tool that are asked for, and not at the rest",
  async () => {
    await sql`
    insert into framed.log_events (workspace_id, at, event, request_id, principal, tool, outcome, total_ms)
    select ${workspace.siblingId}::uuid, now() - (60000 - n) * interval '2 minutes', 'tool.called', 'req_x', '{}',
           'tool_' || (n % 10), 'ok', 1 from generate_series(1, 60000) n`;
    await sql`analyze framed.log_events`;
    const read = async (tool: string | null) => {
      const looked = await trySpeakingFor(sql, {
        workspaceId: workspace.siblingId,
        async work(tx) {
          const days = await countCallsByDay(tx, { workspaceId: workspace.siblingId, tool, days: 7 });
          const [stat] = await tx<{ seq_scan: string; idx_tup_fetch: string }[]>`
          select seq_scan, idx_tup_fetch from pg_stat_xact_user_tables where relname = 'log_events'`;
          return {
            calls: days.reduce((sum, { ok }) => sum + ok, 0),
            scans: Number(stat!.seq_scan),
            rows: Number(stat!.idx_tup_fetch),
          };
        },
      });
      assert(typeof looked !== "string", `SQLSTATE ${looked}`);
      return looked;
    };
    // Six whole days and what there is of today.
    const all = await read(null);
    assert(all.calls > 6 * 720 - 2 && all.calls <= 7 * 720 + 1, JSON.stringify(all));
    assertEquals([all.scans, all.rows], [0, all.calls]);
    // A tenth of them, and of 60,000 rows no more are looked at than a week and some more ids have.
    const one = await read("tool_3");
    assert(Math.abs(one.calls - all.calls / 10) <= 1, JSON.stringify(one));
    assert(one.scans === 0 && one.rows < 10_000, JSON.stringify(one));
  },
);
