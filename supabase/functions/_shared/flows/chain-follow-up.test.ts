/** What is followed up of a chain that was not sent to its end. */

import { assertEquals } from "@std/assert";
import { openBookingFile } from "../../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { openFile } from "../../../../scripts/testing/files.ts";
import { readFollowUp } from "../../../../scripts/testing/follow-ups.ts";
import { type ReceivedRequest, startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../definition/json.ts";

/** What the ledger does with the next invoice that is sent to it. */
let take: (request: ReceivedRequest) => Response | Promise<Response> = () => Response.json({ id: 41 });
const upstream = startUpstream((request) => take(request));
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
const { sql } = workspace.database;
globalThis.addEventListener("unload", () => {
  upstream.close();
  workspace.close();
});

async function define(file: JsonObject): Promise<void> {
  const { status, text } = await workspace.define(file);
  assertEquals(status, 200, text);
}
await define(openFile({ slug: "booked", request: { method: "GET", url: "https://ledger.example/booked" } }));
await define(openBookingFile({
  slug: "stage",
  follow_up: {
    what: "Invoice {{args.number}}, {{result.id}}",
    until: "Someone books it",
    check: { tool: "booked", args: {} },
    done_when: { all: [{ path: "rows.number", op: "equals", value: "{{args.number}}" }] },
  },
}));
const pay = (name: string) =>
  openBookingFile({ slug: "pay", name, request: { method: "POST", url: "https://ledger.example/pay" } });
await define(pay("Pay"));

/** Two calls that ask for a follow-up and one that does not, approved; gives the approval as it is then. */
async function send() {
  const proposed = await workspace.ask("/tools/calls", {
    as: "member",
    body: {
      workspace_id: workspace.id,
      calls: ["stage", "stage", "pay"].map((tool, n) => ({ tool, args: { number: `2026-${n}` } })),
    },
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

/** The ledger takes invoices, and answers what is paid with `answer`. */
function answerPayment(answer: () => Response): void {
  take = ({ target }) => target === "/pay" ? answer() : Response.json({ id: 41 });
}

/** Replaces the tool of the last call while the one before it is under way. */
function replaceMeanwhile(): void {
  let taken = 0;
  take = async () => {
    if (++taken === 2) await define(pay(`Pay ${crypto.randomUUID()}`));
    return Response.json({ id: 41 });
  };
}

const statusesOf = ({ status, calls }: { status: string; calls: { status: string }[] }) => [
  status,
  ...calls.map((call) => call.status),
];

databaseTest("the last call that landed is followed up where a later one failed", async () => {
  answerPayment(() => new Response("no", { status: 422 }));
  const approval = await send();
  assertEquals(statusesOf(approval), ["failed", "applied", "applied", "failed"]);
  assertEquals([approval.follow_up.what, approval.follow_up.status], ["Invoice 2026-1, 41", "waiting"]);
});

databaseTest("nothing is followed up where nobody knows of a later call that asks for nothing", async () => {
  answerPayment(() => new Response("broken", { status: 500 }));
  const approval = await send();
  assertEquals([...statusesOf(approval), approval.follow_up], [
    "unknown",
    "applied",
    "applied",
    "unknown",
    null,
  ]);
});

databaseTest("the last call that landed is followed up where the next could not be claimed", async () => {
  replaceMeanwhile();
  const approval = await send();
  assertEquals(statusesOf(approval), ["failed", "applied", "applied", "not_sent"]);
  assertEquals([approval.calls[2].reason, approval.follow_up?.what], ["tool_changed", "Invoice 2026-1, 41"]);
  // It goes by how it was sent, and by the end of the write.
  const { next_check_at } = await readFollowUp(sql, approval.id);
  assertEquals(Date.parse(next_check_at!) - Date.parse(approval.calls[1].ended_at), 2 * 3_600_000);
});

databaseTest("the last call that landed is followed up where a tick cannot send the next", async () => {
  replaceMeanwhile();
  const { id } = await send();
  // As its sender would have left it, had it died before the next call was claimed.
  await sql`delete from framed.v2_follow_ups where approval_id = ${id}`;
  await sql`update framed.v2_approval_calls set status = 'waiting', reason = null where approval_id = ${id} and n = 2`;
  await sql`
    update framed.v2_approvals set status = 'running', lease_until = now() - interval '1 second', outcome = null, ended_at = null where id = ${id}`;
  const { body } = await workspace.tick();
  assertEquals(body.failed, 0);
  const approval = (await workspace.ask(`/approvals/${id}`, { as: "admin" })).body;
  assertEquals(statusesOf(approval), ["failed", "applied", "applied", "not_sent"]);
  assertEquals([approval.calls[2].reason, approval.follow_up?.what], ["tool_changed", "Invoice 2026-1, 41"]);
});

databaseTest("nothing is followed up where a tick cannot send the first call", async () => {
  take = () => new Response("no", { status: 422 });
  const { id } = await send();
  await define(openBookingFile({ slug: "stage", name: "Stage anew" }));
  await sql`update framed.v2_approval_calls set status = 'waiting', reason = null where approval_id = ${id}`;
  await sql`
    update framed.v2_approvals set status = 'running', lease_until = now() - interval '1 second', outcome = null, ended_at = null where id = ${id}`;
  assertEquals((await workspace.tick()).body.failed, 0);
  const approval = (await workspace.ask(`/approvals/${id}`, { as: "admin" })).body;
  assertEquals([approval.status, approval.calls[0].status, approval.follow_up], [
    "superseded",
    "not_sent",
    null,
  ]);
});
