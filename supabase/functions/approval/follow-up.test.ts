/** What is followed up of approvals that were really sent, and how a check settles what nobody knew. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, openFile } from "../../../scripts/testing/files.ts";
import { type ReceivedRequest, startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

/** What the ledger does with the next invoice that is sent to it. */
let take: (request: ReceivedRequest) => Response = () => Response.json({ id: 41 });
const booked = new Set<string>();
const upstream = startUpstream((request) =>
  request.method === "POST"
    ? take(request)
    : Response.json({ rows: [...booked].map((number) => ({ number })) })
);
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
globalThis.addEventListener("unload", () => void upstream.close());

const FOLLOW_UP = {
  what: "Invoice {{args.number}}",
  until: "Someone books it",
  check: { tool: "booked", args: {} },
  done_when: { all: [{ path: "rows.number", op: "equals", value: "{{args.number}}" }] },
};

async function define(file: JsonObject): Promise<void> {
  const { status, text } = await workspace.define(file);
  assertEquals(status, 200, text);
}

/** A tool that stages an invoice and asks for this follow-up. */
function stagingFile(slug: string, followUp: JsonObject | null, more: JsonObject = {}): JsonObject {
  const { auth: _, ...file } = bookingFile({
    slug,
    request: { method: "POST", url: "https://ledger.example/api/invoices" },
    ...(followUp === null ? {} : { follow_up: followUp }),
    ...more,
  });
  return file;
}

await define(
  openFile({
    slug: "booked",
    arguments: { type: "object", properties: {} },
    request: { method: "GET", url: "https://ledger.example/api/booked" },
    fixtures: [{ response: { rows: [] } }],
  }),
);
await define(stagingFile("stage", FOLLOW_UP));
await define(stagingFile("stage_silently", null));
await define(stagingFile("stage_sensitive", FOLLOW_UP, { access: "sensitive" }));
const withAnswer = { ...FOLLOW_UP, what: "Invoice {{args.number}}, {{result.id}}" };
await define(stagingFile("stage_by_id", withAnswer));
await define(stagingFile("stage_sensitive_by_id", withAnswer, { access: "sensitive" }));

interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Proposes the calls and approves them; gives the approval as it is then. */
async function send(...calls: Call[]) {
  const proposed = await workspace.ask("/tools/calls", {
    as: "member",
    body: { workspace_id: workspace.id, calls },
  });
  assertEquals(proposed.status, 202, proposed.text);
  const path = `/approvals/${proposed.body.approval_id}`;
  const { body: { digest } } = await workspace.ask(path, { as: "admin" });
  const decided = await workspace.ask(`${path}/decision`, {
    as: "admin",
    body: { decision: "approve", digest },
  });
  assertEquals(decided.status, 200, decided.text);
  return decided.body;
}

const look = async (id: string) => (await workspace.ask(`/approvals/${id}`, { as: "admin" })).body;

databaseTest("an approved write is followed up by what its tool asks, from two hours after it", async () => {
  const { id, status, follow_up, calls } = await send({ tool: "stage_by_id", args: { number: "2026-1" } });
  assertEquals([status, follow_up.status, follow_up.what, follow_up.until, follow_up.checks], [
    "applied",
    "waiting",
    "Invoice 2026-1, 41",
    "Someone books it",
    0,
  ]);
  const waited = Date.parse(follow_up.next_check_at) - Date.parse(calls[0].ended_at);
  assertEquals(waited, 2 * 3_600_000);
  await workspace.tick(new Date(follow_up.next_check_at));
  assertEquals((await look(id)).follow_up.checks, 1);
});

const SENT: readonly [name: string, calls: readonly Call[], what: string | null][] = [
  ["a tool that asks for nothing", [{ tool: "stage_silently", args: { number: "1" } }], null],
  ["a sensitive tool whose follow-up needs no answer", [
    { tool: "stage_sensitive", args: { number: "1" } },
  ], "Invoice 1"],
  ["a sensitive tool whose follow-up needs the answer", [
    { tool: "stage_sensitive_by_id", args: { number: "1" } },
  ], null],
  ["a credential among what is filled in", [
    { tool: "stage", args: { number: "sk_live_4eC39HqLyjWDarjtT1" } },
  ], null],
  ["a chain: the last that asks", [
    { tool: "stage", args: { number: "1" } },
    { tool: "stage", args: { number: "2" } },
    { tool: "stage_silently", args: { number: "3" } },
  ], "Invoice 2"],
];

for (const [name, calls, what] of SENT) {
  databaseTest(`what follows ${name}: ${what ?? "nothing"}`, async () => {
    const { status, follow_up } = await send(...calls);
    assertEquals([status, follow_up?.what ?? null], ["applied", what]);
  });
}

databaseTest("an answer that cannot be filled in keeps no write from being recorded", async () => {
  for (const id of ["a\0b", "\ud83d", { of: 1 }, null]) {
    take = () => Response.json({ id });
    const { status, follow_up } = await send({ tool: "stage_by_id", args: { number: "2026-6" } });
    assertEquals([status, follow_up], ["applied", null]);
  }
  take = () => Response.json({ id: 41 });
});

databaseTest("a write that failed is not followed up", async () => {
  take = () => new Response("no", { status: 422 });
  const { status, follow_up } = await send({ tool: "stage", args: { number: "2026-2" } });
  assertEquals([status, follow_up], ["failed", null]);
  take = () => Response.json({ id: 41 });
});

databaseTest("a write of which nobody knows is looked up, and applied once it is found done", async () => {
  take = () => new Response("broken", { status: 500 });
  const { id, status, follow_up } = await send({ tool: "stage", args: { number: "2026-3" } });
  assertEquals([status, follow_up.status], ["unknown", "waiting"]);
  const byId = await send({ tool: "stage_by_id", args: { number: "2026-3" } });
  assertEquals([byId.status, byId.follow_up], ["unknown", null], "there is no answer to fill from");
  const sent = () => upstream.requests.filter(({ method }) => method === "POST").length;
  const sentBefore = sent();

  await workspace.tick(new Date(follow_up.next_check_at));
  const still = await look(id);
  assertEquals([still.status, still.calls[0].status, still.follow_up.status], [
    "unknown",
    "unknown",
    "waiting",
  ]);

  booked.add("2026-3");
  await workspace.tick(new Date(still.follow_up.next_check_at));
  const after = await look(id);
  assertEquals([after.status, after.calls[0].status, after.follow_up.status, after.settled], [
    "applied",
    "applied",
    "done",
    null,
  ]);
  assertEquals(after.outcome, "Nobody knew what became of it; a check with booked found it done.");
  assertEquals((await look(byId.id)).status, "unknown");
  assertEquals(sent(), sentBefore, "nothing is sent a second time");

  const settled = await workspace.ask(`/approvals/${id}/settle`, {
    as: "admin",
    body: { outcome: "failed", note: "I saw none" },
  });
  assertEquals([settled.status, settled.body.reason], [409, "already_decided"]);
  take = () => Response.json({ id: 41 });
});

databaseTest("what a person settled as failed is checked no more, and never becomes applied", async () => {
  take = () => new Response("broken", { status: 500 });
  const { id, follow_up } = await send({ tool: "stage", args: { number: "2026-4" } });
  await workspace.ask(`/approvals/${id}/settle`, {
    as: "admin",
    body: { outcome: "failed", note: "I looked" },
  });
  booked.add("2026-4");
  await workspace.tick(new Date(follow_up.next_check_at));
  const after = await look(id);
  assertEquals([after.status, after.follow_up.status, after.follow_up.checks], ["failed", "stopped", 0]);
  take = () => Response.json({ id: 41 });
});

databaseTest("a tool that is replaced after the write changes nothing of what was begun", async () => {
  const { id, follow_up } = await send({ tool: "stage", args: { number: "2026-5" } });
  await define(stagingFile("stage", { ...FOLLOW_UP, done_when: { all: [{ path: "rows", op: "exists" }] } }));
  await workspace.tick(new Date(follow_up.next_check_at));
  assertEquals((await look(id)).follow_up.status, "waiting");
  booked.add("2026-5");
  await workspace.tick(new Date((await look(id)).follow_up.next_check_at));
  const after = await look(id);
  assertEquals(after.follow_up.status, "done");
  assert(after.follow_up.checks === 2);
});
