/** What became of an approved call is recorded as it was, whatever breaks here before, beside or after it. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile, type Shown } from "../../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { withErrorOutput } from "../../../../scripts/testing/error-output.ts";
import { bookingFile, mcpFile, openFile } from "../../../../scripts/testing/files.ts";
import { innerTool, speakMcp } from "../../../../scripts/testing/mcp-server.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../definition/json.ts";

const TOKEN = "a-token-of-a-test";
/** What the ledger does before it answers the next write. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve();
const ledger = startUpstream(async ({ method }) => {
  if (method === "GET") return Response.json({ open: 5 });
  const work = meanwhile;
  meanwhile = () => Promise.resolve();
  await work();
  return Response.json({ id: 7 });
});
const tracker = startUpstream(speakMcp({
  tools: () => [innerTool("close", { annotations: {} })],
  call: () => ({ content: [{ type: "text", text: "done" }] }),
}));
const workspace = await openTestWorkspace({
  upstreams: new Map([["ledger.example", ledger.url], ["mcp.tracker.example", tracker.url]]),
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  ledger.close();
  tracker.close();
});
const { sql } = workspace.database;
const { propose, show, decide } = askingOn(workspace);
const writes = () =>
  [...ledger.requests, ...tracker.requests].filter(({ method, body }) =>
    method === "POST" && (body.startsWith('{"number"') || body.includes('"tools/call"'))
  ).length;

async function define(file: JsonObject): Promise<void> {
  const { status, text } = await workspace.define(file);
  assertEquals(status, 200, text);
}
async function proposeChain(calls: readonly JsonObject[]): Promise<string> {
  const proposed = await workspace.ask("/tools/calls", {
    as: "member",
    body: { workspace_id: workspace.id, calls },
  });
  assertEquals(proposed.status, 202, proposed.text);
  return proposed.body.approval_id;
}
/** Each call's state, behind the state of the whole. */
const statusesOf = ({ status, calls }: Shown) => [status, ...calls.map((call: Shown) => call.status)];

await define(openFile({
  slug: "look",
  arguments: { type: "object", properties: {} },
  request: { method: "GET", url: "https://ledger.example/look" },
  fixtures: [{ response: {} }],
}));
await define(openBookingFile());
await define(openBookingFile({ slug: "book_shown", preview: { tool: "look", args: {} } }));
await define(openBookingFile({ slug: "pay", access: "sensitive" }));

/** Has the store refuse to look anything up, by an error of this code, until it is let go. */
async function breakLookups(code: string): Promise<() => Promise<unknown>> {
  const [row] = await sql<{ definition: string }[]>`
    select pg_get_functiondef('framed.open_lookups(uuid, text[])'::regprocedure) as definition`;
  await sql.unsafe(`create or replace function framed.open_lookups(workspace uuid, slugs text[]) returns json
    language plpgsql security definer set search_path = '' as $$
    begin raise exception 'broken' using errcode = '${code}'; end $$`);
  return () => sql.unsafe(row!.definition);
}

databaseTest(
  "a call that was answered while the store could not look up what comes next is applied, and the tick sends the rest",
  async () => {
    const id = await proposeChain([{ tool: "book", args: { number: "1" } }, {
      tool: "book_shown",
      args: { number: "2" },
    }]);
    const before = writes();
    let mend: () => Promise<unknown> = () => Promise.resolve();
    meanwhile = async () => mend = await breakLookups("53300");
    const { value: decided, lines } = await withErrorOutput(() => decide(id, {}));
    await mend();
    assertEquals([decided.status, ...statusesOf(decided.body)], [200, "running", "applied", "waiting"]);
    assertEquals(decided.body.calls[0].result, { id: 7 });
    assertStringIncludes(lines.join(), '"cause":"PostgresError 53300"');
    assertEquals((await workspace.tick()).body.failed, 0);
    assertEquals([...statusesOf(await show(id)), writes() - before], ["applied", "applied", "applied", 2]);
  },
);

databaseTest(
  "a call that was answered is applied where looking up what comes next breaks, and the rest is stopped with words",
  async () => {
    const id = await proposeChain([{ tool: "book", args: { number: "3" } }, {
      tool: "book_shown",
      args: { number: "4" },
    }]);
    const before = writes();
    let mend: () => Promise<unknown> = () => Promise.resolve();
    meanwhile = async () => mend = await breakLookups("22000");
    const { value: decided } = await withErrorOutput(() => decide(id, {}));
    await mend();
    assertEquals([decided.status, ...statusesOf(decided.body)], [200, "failed", "applied", "not_sent"]);
    assertEquals(decided.body.calls[1].reason, "internal");
    assertMatch(decided.body.outcome, /^Call 2 of 2 was not sent: .*Nothing after it was sent\.$/);
    await workspace.tick();
    assertEquals([...statusesOf(await show(id)), writes() - before], ["failed", "applied", "not_sent", 1]);
  },
);

databaseTest(
  "a sensitive call that was answered is applied where the workspace's first key cannot be stored, and says that no answer is kept",
  async () => {
    assertEquals((await sql`select from framed.workspace_data_keys`).length, 0);
    await sql.unsafe(`create function framed.refuse_key() returns trigger language plpgsql as $$
      begin raise exception 'away' using errcode = '53300'; end $$`);
    await sql`create trigger refuse_key before insert on framed.workspace_data_keys execute function framed.refuse_key()`;
    const { approval_id: id } = await propose("pay", { number: "1" });
    const before = writes();
    const { value: decided } = await withErrorOutput(() => decide(id, {}));
    await sql`drop trigger refuse_key on framed.workspace_data_keys`;
    assertEquals([decided.status, ...statusesOf(decided.body), writes() - before], [
      200,
      "applied",
      "applied",
      1,
    ]);
    assertEquals([decided.body.calls[0].reason, "result" in decided.body.calls[0]], [
      "store_unavailable",
      false,
    ]);
    assertMatch(decided.body.calls[0].detail, /nothing of it is kept/);
  },
);

databaseTest(
  "a sensitive call that was answered is applied where its answer cannot be sealed, and says that none is kept",
  async () => {
    await define(bookingFile());
    await workspace.paste("ledger_book_invoice", { name: "CONNECTOR_LEDGER", value: TOKEN });
    const { approval_id: id } = await propose("pay", { number: "2" });
    const before = writes();
    await sql`update framed.workspace_data_keys set kid = 'gone' where workspace_id = ${workspace.id}`;
    const { value: decided, lines } = await withErrorOutput(() => decide(id, {}));
    await sql`update framed.workspace_data_keys set kid = 'k1' where workspace_id = ${workspace.id}`;
    assertEquals([decided.status, ...statusesOf(decided.body), writes() - before], [
      200,
      "applied",
      "applied",
      1,
    ]);
    const [call] = decided.body.calls;
    assertEquals([call.reason, "result" in call], ["internal", false]);
    assertMatch(call.detail, /nothing of it is kept/);
    assertStringIncludes(lines.join(), "SealBroken unknown_key");
    const [row] =
      await sql`select result, sealed_result, result_id from framed.v2_approval_calls where approval_id = ${id}`;
    assertEquals({ ...row }, { result: null, sealed_result: null, result_id: null });
  },
);

/** Changes one bit of every value that is kept. */
const breakValues = () =>
  sql`update framed.v2_connector_secrets set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where sealed is not null`;

databaseTest("a call whose value cannot be opened has failed: nothing was sent", async () => {
  const { approval_id: id } = await propose("ledger_book_invoice", { number: "1" });
  const before = writes();
  await breakValues();
  const { value: decided, lines } = await withErrorOutput(() => decide(id, {}));
  await breakValues();
  assertEquals([decided.status, ...statusesOf(decided.body), writes() - before], [
    200,
    "failed",
    "failed",
    0,
  ]);
  const [call] = decided.body.calls;
  assertEquals(call.reason, "internal");
  assertMatch(call.detail, /cannot be opened.*Nothing was sent\./);
  assertStringIncludes(lines.join(), "SealBroken not_authentic");
  assert(!JSON.stringify([decided.text, lines, await workspace.log()]).includes(TOKEN));
});

databaseTest("a call of an mcp tool whose value cannot be opened has failed: nothing was sent", async () => {
  await define(mcpFile());
  assertEquals(
    (await workspace.paste("issue_tracker", { name: "CONNECTOR_TRACKER_TOKEN", value: TOKEN })).status,
    204,
  );
  const close = { action: "call", tool: "close", arguments: { q: "login" } };
  const id = await proposeChain([{ tool: "book", args: { number: "5" } }, {
    tool: "issue_tracker",
    args: close,
  }]);
  const before = writes();
  meanwhile = breakValues;
  const { value: decided } = await withErrorOutput(() => decide(id, {}));
  await breakValues();
  assertEquals([decided.status, ...statusesOf(decided.body)], [200, "failed", "applied", "failed"]);
  assertEquals([decided.body.calls[1].reason, writes() - before], ["internal", 1]);
  assertMatch(decided.body.calls[1].detail, /Nothing was sent\./);
});

databaseTest(
  "a call of an mcp tool has failed where what its server says cannot be stored: nothing was sent",
  async () => {
    const close = { action: "call", tool: "close", arguments: { q: "logout" } };
    const id = await proposeChain([{ tool: "book", args: { number: "6" } }, {
      tool: "issue_tracker",
      args: close,
    }]);
    const before = writes();
    await sql.unsafe(`create function framed.refuse_list() returns trigger language plpgsql as $$
      begin raise exception 'away' using errcode = '53300'; end $$`);
    meanwhile = () =>
      sql`create trigger refuse_list before insert or update on framed.v2_inner_lists execute function framed.refuse_list()`;
    const { value: decided } = await withErrorOutput(() => decide(id, {}));
    await sql`drop trigger refuse_list on framed.v2_inner_lists`;
    assertEquals([decided.status, ...statusesOf(decided.body)], [200, "failed", "applied", "failed"]);
    assertEquals([decided.body.calls[1].reason, writes() - before], ["store_unavailable", 1]);
    assertMatch(decided.body.calls[1].detail, /Nothing was sent\./);
  },
);
