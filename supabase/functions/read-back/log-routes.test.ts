import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile, openFile } from "../../../scripts/testing/files.ts";
import {
  type CallerName,
  CALLERS,
  openTestWorkspace,
  TOKEN_CALLERS,
} from "../../../scripts/testing/workspace.ts";
import { hashRow } from "../_shared/log/chain/link.ts";
import { EVENTS, type LoggedEvent } from "../_shared/log/event.ts";

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => workspace.close());
const { sql } = workspace.database;

await workspace.define(fixtureFile());
await workspace.define(openFile(), "member");
await workspace.call("rooms", { args: { floor: 1 } }, "admin");
await workspace.call("rooms", { args: { floor: 2 } }, "member");
await workspace.call("rooms", { args: { floor: "no number" } }, "member");
await workspace.call("missing", { args: { what: "is this" } }, "admin_key");
await workspace.call("rooms", { args: {} }, "bare_member");

const path = (query: Record<string, string> = {}, of = "") =>
  `/log${of}?${new URLSearchParams({ workspace_id: workspace.id, ...query })}`;
const ask = (query: Record<string, string> = {}, as: CallerName = "member") =>
  workspace.ask(path(query), { as });

/** What an export answers, its lines read. */
async function exportLog(
  query: Record<string, string> = {},
  as: CallerName = "member",
): Promise<LoggedEvent[]> {
  const response = await requestExport(query, as);
  assertEquals(response.status, 200);
  const text = await response.text();
  assert(text === "" || text.endsWith("}\n"));
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

function requestExport(query: Record<string, string>, as: "member" | CallerName): Promise<Response> {
  const id = workspace.people[as as "member"];
  const token = workspace.tokens[as as "member_token"] ?? `session.${id}`;
  return workspace.fetch(
    new Request(`http://api${`/api${path(query, "/export")}`}`, {
      headers: as in workspace.keys
        ? { "x-framed-api-key": workspace.keys[as as "admin_key"] }
        : { authorization: `Bearer ${token}` },
    }),
  );
}

databaseTest("an event says who, what, with what, how it ended and how long it took", async () => {
  const { status, body } = await ask({ tool: "rooms", outcome: "ok", principal: workspace.people.member });
  assertEquals(status, 200);
  assertEquals([body.ok, body.next_cursor, body.events.length], [true, null, 1]);
  const { id, at, request_id, tool_id, total_ms, database_ms, ...event } = body.events[0];
  assertEquals(event, {
    workspace_id: workspace.id,
    event: "tool.called",
    principal: { kind: "session", id: workspace.people.member, name: "Mo Member" },
    tool: "rooms",
    version: 1,
    operation: null,
    outcome: "ok",
    detail: {
      audit: "connector=rooms capability=- operation=- mode=fixture ok=true truncated=false",
      answers_with: "configured example",
      rows: 0,
    },
    queue_ms: null,
    upstream_ms: null,
    answer_bytes: null,
    args: { floor: 2 },
    chain: null,
  });
  assert(/^[0-9]+$/.test(id) && /^req_[0-9a-f]{32}$/.test(request_id));
  assert(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z$/.test(at), at);
  assert(Math.abs(Date.parse(at) - Date.now()) < 60_000, "UTC");
  assertEquals(tool_id, (await sql`select id from framed.v2_connectors where slug = 'rooms'`)[0]!.id);
  assert(Number.isInteger(total_ms) && Number.isInteger(database_ms) && database_ms <= total_ms);
});

databaseTest("every event holds what the closed list says of it, and nothing else", async () => {
  const optional = [
    "tool",
    "version",
    "operation",
    "args",
    "queue_ms",
    "database_ms",
    "upstream_ms",
    "answer_bytes",
  ];
  const seen = new Set<string>();
  for (const event of await exportLog()) {
    const { holds, detail }: { holds: readonly string[]; detail: readonly string[] } = EVENTS[event.event];
    const held = optional.filter((key) => event[key as keyof LoggedEvent] !== null);
    if (event.tool_id !== null) held.push("connector_id");
    assertEquals([event.event, held.filter((key) => !holds.includes(key))], [event.event, []]);
    assertEquals([event.event, Object.keys(event.detail!).filter((key) => !detail.includes(key))], [
      event.event,
      [],
    ]);
    seen.add(event.event);
  }
  assert(seen.size > 1);
});

databaseTest("the log is read newest first, in pages that are whole", async () => {
  const all = (await ask({ limit: "200" })).body.events.map(({ id }: LoggedEvent) => id);
  assertEquals(all, all.toSorted((a: string, b: string) => Number(b) - Number(a)));
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await ask({ limit: "2", ...(cursor === null ? {} : { cursor }) });
    paged.push(...body.events.map(({ id }: LoggedEvent) => id));
    cursor = body.next_cursor;
    // What is appended between two pages is newer than all of them.
    await workspace.call("rooms", { args: { floor: 3 } }, "second_admin");
  } while (cursor !== null);
  assertEquals(paged, all);
});

databaseTest("filters narrow the log, each alone and together", async () => {
  const told = async (query: Record<string, string>) => {
    const { body } = await ask({ limit: "200", ...query });
    assert(body.ok, JSON.stringify(body));
    return body.events as LoggedEvent[];
  };
  const all = await told({});
  const [middle] = all.slice(Math.floor(all.length / 2));
  // Instants are asked for to the millisecond, rows are kept to the microsecond.
  const instant = middle!.at.replace(/[0-9]{3}Z$/, "Z");
  const table: [Record<string, string>, (event: LoggedEvent) => boolean][] = [
    [{ tool: "rooms" }, ({ tool }) => tool === "rooms"],
    [{ tool: "missing" }, ({ tool }) => tool === "missing"],
    [{ tool: "nothing_by_that_name" }, () => false],
    [{ principal: workspace.people.admin }, ({ principal }) => principal.id === workspace.people.admin],
    [
      { principal: workspace.people.admin.toUpperCase() },
      ({ principal }) => principal.id === workspace.people.admin,
    ],
    [{ principal: "session" }, ({ principal }) => principal.kind === "session"],
    [{ principal: "raw_key" }, ({ principal }) => principal.kind === "raw_key"],
    [{ outcome: "ok" }, ({ outcome }) => outcome === "ok"],
    [{ outcome: "not_ok" }, ({ outcome }) => outcome !== "ok"],
    [{ outcome: "bad_arguments" }, ({ outcome }) => outcome === "bad_arguments"],
    [{ since: instant }, ({ at }) => at >= `${instant.slice(0, -1)}000Z`],
    [{ until: instant }, ({ at }) => at < `${instant.slice(0, -1)}000Z`],
    [{ since: instant, until: instant }, () => false],
    [
      { tool: "rooms", principal: "session", outcome: "not_ok", since: "2026-01-01T00:00:00+01:00" },
      (event) => event.tool === "rooms" && event.principal.kind === "session" && event.outcome !== "ok",
    ],
  ];
  for (const [query, holds] of table) {
    const [found, expected] = [await told(query), all.filter(holds)];
    assertEquals(found.map(({ id }) => id), expected.map(({ id }) => id), JSON.stringify(query));
    assertEquals(
      (await exportLog(query)).map(({ id }) => id),
      expected.map(({ id }) => id),
      JSON.stringify(query),
    );
  }
});

databaseTest("what is not shaped as it has to be is refused with the place", async () => {
  const table: [Record<string, string>, string][] = [
    [{ principal: "noor" }, "principal: the id of a person or key is wanted"],
    [{ outcome: "fine" }, "outcome: ok, not_ok or a reason is wanted"],
    [{ since: "yesterday" }, "since: an instant such as"],
    [{ since: "0000-01-01T00:00:00Z" }, "since: an instant such as"],
    [{ until: "9999-12-31T23:59:59-23:59" }, "until: an instant such as"],
    [{ until: "2026-11-30T12:00:00" }, "until: an instant such as"],
    [{ limit: "0" }, "limit: a number from 1 to 200 is wanted"],
    [{ cursor: btoa("x").replaceAll("=", "") }, "cursor: the next_cursor of the page before is wanted"],
    [{ tools: "rooms" }, "tools not known here"],
  ];
  for (const [query, says] of table) {
    const { status, body } = await ask(query);
    assertEquals([status, body.reason], [400, "bad_request"], JSON.stringify(query));
    assertStringIncludes(body.problems.join("\n"), says);
  }
  const { body } = await workspace.ask(path({ limit: "5" }, "/export"), { as: "member" });
  assertEquals(body.problems, ["query: limit not known here"]);
  const twice = await workspace.ask(`${path({ tool: "a" })}&tool=b`, { as: "member" });
  assertEquals([twice.status, twice.body.problems], [400, ["query: tool given more than once"]]);
});

databaseTest("who reads the log: members; arguments and the chain only with the grant", async () => {
  while ((await workspace.tick()).body.waiting > 0);
  const expected: Record<CallerName, string> = {
    admin: "all",
    second_admin: "all",
    member: "all",
    bare_member: "no arguments",
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
  const full = (await ask({ limit: "200" })).body.events as LoggedEvent[];
  assert(full.some(({ args }) => args !== null) && full.every(({ chain }) => chain !== null));
  for (const as of [...CALLERS, ...TOKEN_CALLERS]) {
    const listed = await ask({ limit: "200" }, as);
    const exported = as === "nobody" ? null : await requestExport({}, as);
    if (listed.body.ok) {
      assertEquals(
        [as, listed.body.events],
        [as, expected[as] === "all" ? full : full.map((event) => ({ ...event, args: null, chain: null }))],
      );
      assertEquals(
        (await exported!.text()).split("\n").slice(0, -1).map((line) => JSON.parse(line)),
        listed.body.events,
      );
    } else {
      assertEquals([as, listed.body.reason], [as, expected[as]]);
      if (exported !== null) assertEquals([as, (await exported.json()).reason], [as, expected[as]]);
    }
  }
});

databaseTest("a workspace out of reach answers with the bytes of one that does not exist", async () => {
  const without = ({ text, body }: { text: string; body: { request_id: string } }) =>
    text.replace(body.request_id, "");
  for (const  of of["", "/export"]) {
    for (const as of ["stranger", "stranger_key", "stranger_reseller_key"] as const) {
      const hidden = await workspace.ask(path({}, of), { as });
      const missing = await workspace.ask(path({ workspace_id: crypto.randomUUID() }, of), { as });
      assertEquals([hidden.status, without(hidden)], [404, without(missing)], as);
    }
  }
});

databaseTest(
  "an export verifies by itself: each line's hash, and each line's place behind the one before",
  async () => {
    while ((await workspace.tick()).body.waiting > 0);
    const events = await exportLog();
    assert(events.length > 5);
    for (const [index, event] of events.entries()) {
      const chain = event.chain!;
      assertEquals(hashRow(chain.previous_hash, event), chain.hash, event.id);
      assertEquals(events[index + 1]?.chain?.hash ?? "0".repeat(64), chain.previous_hash, event.id);
    }
  },
);

databaseTest("an export is served as a file of NDJSON under its workspace's name", async () => {
  const { headers } = await requestExport({ tool: "nothing_by_that_name" }, "member");
  assertEquals(headers.get("content-type"), "application/x-ndjson; charset=utf-8");
  assertEquals(
    headers.get("content-disposition"),
    `attachment; filename="framed-log-${workspace.id}.ndjson"`,
  );
  assertEquals(headers.get("cache-control"), "no-store");
});

databaseTest(
  "an export of 100,000 rows comes whole, page by page as it is read, and ends with who may read it",
  async () => {
    const many = await workspaceWithRows(100_000);
    const response = await requestExport({ workspace_id: many }, "admin");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let [lines, longest] = [0, 0];
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      lines += chunk.value.split("\n").length - 1;
      longest = Math.max(longest, chunk.value.length);
    }
    assertEquals(lines, 100_000);
    assert(longest < 1_000_000, `${longest} characters were held at once`);

    // Who loses the right on the way gets no more, and no end that looks like one.
    const cut = await requestExport({ workspace_id: many }, "admin");
    const slow = cut.body!.getReader();
    await slow.read();
    await sql`delete from framed.members where workspace_id = ${many}`;
    await assertRejects(async () => {
      while (!(await slow.read()).done);
    });
    await sql`delete from framed.workspaces where id = ${many}`;
  },
);

async function workspaceWithRows(count: number): Promise<string> {
  const [row] = await sql`
    insert into framed.workspaces (account_id, name) values (${workspace.accountId}, 'Many') returning id`;
  await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    values (${row!.id}, ${workspace.people.admin}, 'admin', 'Ada Admin', 'ada@people.example')`;
  await sql`
    insert into framed.log_events (workspace_id, event, request_id, principal, args, outcome, total_ms)
    select ${
    row!.id
  }::uuid, 'tool.called', 'req_' || n, '{"kind": "session", "id": "x", "name": null}', '{"n": 1}', 'ok', 1
      from generate_series(1, ${count}::int) n`;
  return row!.id;
}
