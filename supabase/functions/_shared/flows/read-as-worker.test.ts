/** Checks and previews that read from an outside MCP server, through the front door. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { askingOn, openBookingFile } from "../../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { mcpFile } from "../../../../scripts/testing/files.ts";
import { readFollowUp } from "../../../../scripts/testing/follow-ups.ts";
import { innerTool, speakMcp } from "../../../../scripts/testing/mcp-server.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../definition/json.ts";

const TOKEN = "canary-token-of-the-tracker";

/** What the server has, and what each of its calls answers, which each test sets. */
let tools: JsonObject[] = [];
let rows: JsonObject[] = [];
const asked: string[] = [];
const server = startUpstream(speakMcp({
  tools: () => tools,
  instead: (message, { headers }) => {
    asked.push(`${message.method} ${headers.get("authorization")}`);
    return null;
  },
  call: () => ({ content: [{ type: "text", text: "found" }], structuredContent: { rows } }),
}));
const ledger = startUpstream(() => Response.json({ id: 41 }));
const w = await openTestWorkspace({
  upstreams: new Map([["mcp.tracker.example", server.url], ["ledger.example", ledger.url]]),
});
const { approved, propose, show, decide } = askingOn(w);
globalThis.addEventListener("unload", () => {
  server.close();
  ledger.close();
  w.close();
});

const calledTimes = () => asked.filter((line) => line.startsWith("tools/call ")).length;

/** A tool on a server address of its own, so that nothing was listed there before. */
async function makeServerTool(more: JsonObject = {}): Promise<string> {
  const slug = `tracker_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = `https://mcp.tracker.example/${slug}`;
  const file = mcpFile({ slug, mcp: { url, auth: { secret: "CONNECTOR_TRACKER_TOKEN" } }, ...more });
  assertEquals((await w.define(file)).status, 200);
  assertEquals((await w.paste(slug, { name: "CONNECTOR_TRACKER_TOKEN", value: TOKEN })).status, 204);
  return slug;
}

const lookup = (tool: string): JsonObject => ({
  tool,
  args: { action: "call", tool: "search", arguments: { q: "invoice {{args.number}}" } },
});
const followUp = (check: JsonObject): JsonObject => ({
  what: "Invoice {{args.number}}",
  until: "Someone closes its issue",
  check,
  done_when: { all: [{ path: "rows.state", op: "equals", value: "closed" }] },
});
const preview = (tool: string): JsonObject => ({ ...lookup(tool), compare: ["rows.state"] });

/** A tool that writes to the ledger and looks something up with another one. */
async function makeWrite(more: JsonObject): Promise<string> {
  const slug = `book_${crypto.randomUUID().replaceAll("-", "")}`;
  const { status, text } = await w.define(openBookingFile({ slug, ...more }));
  assertEquals(status, 200, text);
  return slug;
}

/** As if the server had been asked eleven minutes ago. */
async function letListAge(slug: string): Promise<void> {
  await w.database.sql`
    update framed.v2_inner_lists set listed_at = listed_at - interval '11 minutes',
      first_listed_at = first_listed_at - interval '11 minutes' where url like ${`%/${slug}`}`;
}

const logged = async (approvalId: string) =>
  (await w.log()).filter(({ event, detail }) =>
    event === "follow_up.checked" && detail.approval_id === approvalId
  );

databaseTest("a check reads through a server's tool that only reads, until it is done", async () => {
  tools = [innerTool("search")];
  rows = [{ state: "open" }];
  const slug = await makeServerTool();
  const { id, follow_up } = await approved(await makeWrite({ follow_up: followUp(lookup(slug)) }), {
    number: "2026-7",
  });
  const before = asked.length;
  await w.tick(new Date(follow_up.next_check_at));
  const open = await readFollowUp(w.database.sql, id);
  assertEquals([open.status, open.checks, open.last_check_outcome], ["waiting", 1, "waiting"]);
  assertEquals(
    asked.slice(before),
    ["server/discover", "tools/list", "tools/call"].map((line) => `${line} Bearer ${TOKEN}`),
  );
  const { body } = server.requests.at(-1)!;
  assertEquals(JSON.parse(body).params.arguments, { q: "invoice 2026-7" });

  rows = [{ state: "closed" }];
  await w.tick(new Date(open.next_check_at!));
  assertEquals((await show(id)).follow_up.status, "done");
  const checks = await logged(id);
  assertEquals(checks.map(({ tool, outcome, detail }) => [tool, outcome, detail.is_done]), [
    [slug, "ok", false],
    [slug, "ok", true],
  ]);
  assertEquals(checks[0].principal.kind, "follow_up");
  assert(!JSON.stringify(await w.log()).includes(TOKEN));
});

databaseTest("a preview reads through a server's tool, and sends nothing where that changed", async () => {
  tools = [innerTool("search")];
  rows = [{ state: "open" }];
  const slug = await makeWrite({ preview: preview(await makeServerTool()) });
  const { approval_id: id } = await propose(slug, { number: "2026-8" });
  const shown = await show(id);
  assertEquals([shown.preview.ok, shown.preview.result], [true, { rows }], shown.preview.failed);
  const sentBefore = ledger.requests.length;
  rows = [{ state: "closed" }];
  assertEquals((await decide(id, {})).status, 409);
  assertEquals([(await show(id)).status, ledger.requests.length], ["superseded", sentBefore]);

  const same = await propose(slug, { number: "2026-9" });
  assertEquals((await decide(same.approval_id, {})).body.status, "applied");
  assertEquals(ledger.requests.length, sentBefore + 1);
});

/** What keeps the lookup from reading, after the file that names it was taken. */
const STOPS: readonly [name: string, stop: (slug: string) => void | Promise<void>, reason: string][] = [
  ["does not say that it only reads", () => {
    tools = [innerTool("search", { annotations: {} })];
  }, "approval_required"],
  ["says that it may destroy", () => {
    tools = [innerTool("search", { annotations: { readOnlyHint: true, destructiveHint: true } })];
  }, "approval_required"],
  ["changed, and nobody has looked at that", async (slug) => {
    await w.call(slug, { args: { action: "list" } });
    tools = [innerTool("search", { description: "Another." })];
    await letListAge(slug);
  }, "approval_required"],
  ["is not listed any more", () => {
    tools = [innerTool("find")];
  }, "tool_changed"],
  ["takes other arguments now", () => {
    tools = [innerTool("search", { inputSchema: { type: "object", required: ["text"] } })];
  }, "bad_arguments"],
];

for (const [name, stop, reason] of STOPS) {
  databaseTest(
    `a check and a preview through a server's tool that ${name} fail, and call nothing`,
    async () => {
      tools = [innerTool("search")];
      rows = [{ state: "closed" }];
      const slug = await makeServerTool();
      const [checked, previewed] = [
        await makeWrite({ follow_up: followUp(lookup(slug)) }),
        await makeWrite({ preview: preview(slug) }),
      ];
      const { id, follow_up } = await approved(checked, { number: "2026-7" });
      await stop(slug);
      const before = calledTimes();
      await w.tick(new Date(follow_up.next_check_at));
      const after = await readFollowUp(w.database.sql, id);
      assertEquals([after.status, after.last_check_outcome], ["waiting", reason]);
      assertEquals((await logged(id)).map(({ outcome }) => outcome), [reason]);

      const waiting = await propose(previewed, { number: "2026-7" });
      const shown = (await show(waiting.approval_id)).preview;
      assertEquals([shown.ok, typeof shown.failed], [false, "string"]);
      assertEquals((await decide(waiting.approval_id, {})).status, 409);
      assertEquals(calledTimes(), before);
    },
  );
}

databaseTest("a lookup whose tool's file came to make every call wait asks its server nothing", async () => {
  tools = [innerTool("search")];
  const slug = await makeServerTool();
  const { id, follow_up } = await approved(await makeWrite({ follow_up: followUp(lookup(slug)) }), {
    number: "1",
  });
  const url = `https://mcp.tracker.example/${slug}`;
  const stricter = mcpFile({
    slug,
    access: "write",
    mcp: { url, auth: { secret: "CONNECTOR_TRACKER_TOKEN" } },
  });
  assertEquals((await w.define(stricter)).status, 200);
  const before = asked.length;
  await w.tick(new Date(follow_up.next_check_at));
  assertEquals((await readFollowUp(w.database.sql, id)).last_check_outcome, "approval_required");
  assertEquals(asked.length, before);
});

databaseTest("define takes a lookup of a server's tool as far as it can tell without asking", async () => {
  tools = [innerTool("search"), innerTool("close", { annotations: {} })];
  const slug = await makeServerTool({
    arguments: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  });
  const problemsOf = async (args: JsonObject) => {
    const { body } = await w.define(openBookingFile({ slug: "judged", preview: { tool: slug, args } }));
    return body.reason === "bad_definition" ? body.problems : [];
  };
  const call = { action: "call", tool: "search", arguments: { q: "{{args.number}}" } };
  const close = { ...call, tool: "close" };
  const table: [JsonObject, RegExp | null][] = [
    [call, null],
    [{ action: "list" }, null],
    [close, null],
    [{}, /^preview\.args\.action: "list" or "call" is wanted/],
    [{ ...call, action: "{{args.number}}" }, /^preview\.args\.action: /],
    [{ action: "list", tool: "search" }, /^preview\.args\.tool: not a key of list/],
    [{ ...call, also: 1 }, /^preview\.args\.also: not a key of call/],
    [{ action: "call" }, /^preview\.args\.tool: the name of one of the server's tools is wanted/],
    [{ ...call, tool: "{{args.number}}" }, /^preview\.args\.tool: .* written out$/],
    [{ ...call, arguments: [1] }, /^preview\.args\.arguments: an object/],
    [{ ...call, arguments: {} }, /^preview\.args\.arguments: .* cannot be called without q$/],
    [{ ...call, arguments: { q: "x", r: 1 } }, /^preview\.args\.arguments\.r: .* declares no argument/],
  ];
  for (const [args, problem] of table) {
    const problems = await problemsOf(args);
    if (problem === null) assertEquals(problems, [], JSON.stringify(args));
    else assertMatch(problems.join("\n"), problem);
  }
  await w.call(slug, { args: { action: "list" } });
  assertEquals(await problemsOf(call), []);
  assertMatch((await problemsOf(close)).join("\n"), /^preview\.tool: .* waits for an approval/);
});

databaseTest("an mcp tool may look up with itself, by the file that is defined", async () => {
  const slug = "tracker_of_itself";
  const file = (check: JsonObject, more: JsonObject = {}) =>
    mcpFile({
      slug,
      mcp: { url: "https://mcp.tracker.example/of-itself", auth: { secret: "CONNECTOR_TRACKER_TOKEN" } },
      follow_up: followUp(check),
      ...more,
    });
  const check = lookup(slug);
  assertMatch((await w.define(file({ tool: slug, args: {} }))).body.problems.join("\n"), /args\.action: /);
  assertEquals((await w.define(file(check))).status, 200);
  const stricter = await w.define(file(check, { access: "write" }));
  assertMatch(stricter.body.problems.join("\n"), /^follow_up\.check\.tool: .* waits for an approval/);
});
