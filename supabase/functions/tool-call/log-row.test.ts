/** What the log row of a live call holds: where its time went, how much came back, and no credential. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { ledgerFile } from "../../../scripts/testing/files.ts";
import { type ReceivedRequest, startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const CANARY = "canary-5d1c+of/a secret, 77";
let answer: (request: ReceivedRequest) => Response | Promise<Response> = () => Response.json({ rows: [] });
const upstream = startUpstream((request) => answer(request));
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
await workspace.define(ledgerFile());
await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: CANARY });

async function rowOf(args: { supplier?: unknown }) {
  const { body } = await workspace.call("ledger_open_invoices", { args: args as { supplier: string } });
  const row = (await workspace.log()).at(-1);
  assertEquals(row.request_id, body.request_id);
  return row;
}

databaseTest(
  "a call that was answered: its turn, the other system and the store each have their time",
  async () => {
    const text = JSON.stringify({ rows: [{ id: "é" }] });
    answer = () => new Response(text, { headers: { "content-type": "application/json" } });
    const row = await rowOf({ supplier: "Acme" });
    assertEquals([row.outcome, Number(row.answer_bytes)], ["ok", new TextEncoder().encode(text).length]);
    const parts = [row.queue_ms, row.database_ms, row.upstream_ms];
    assert(parts.every((ms) => Number.isInteger(ms) && ms >= 0), String(parts));
    // Each is rounded by itself.
    assert(parts.reduce((a, b) => a + b, 0) <= row.total_ms + 2, `${parts} of ${row.total_ms}`);
  },
);

databaseTest("a call that the other system failed has taken its time too", async () => {
  answer = () => new Response("no", { status: 500 });
  const row = await rowOf({});
  assertEquals([row.outcome, Number(row.answer_bytes), Number.isInteger(row.upstream_ms)], [
    "upstream_failed",
    2,
    true,
  ]);
});

databaseTest("a call that sent nothing has no time but its own", async () => {
  const row = await rowOf({ supplier: 7 });
  assertEquals([row.outcome, row.queue_ms, row.upstream_ms, row.answer_bytes], [
    "bad_arguments",
    null,
    null,
    null,
  ]);
});

databaseTest("a credential that somebody wrote into an argument is not in the row", async () => {
  answer = () => Response.json({ rows: [] });
  const row = await rowOf({ supplier: `is it ${CANARY}?` });
  assertEquals(row.outcome, "ok");
  assert(!JSON.stringify(await workspace.log()).includes(CANARY));
  assert(row.args.supplier.startsWith("is it ") && row.args.supplier.endsWith("?"), row.args.supplier);
});

databaseTest(
  "a call whose connection the server ends while it writes the row has its row, and its answer",
  async () => {
    answer = () => Response.json({ rows: [{ id: 1 }] });
    const { sql } = workspace.database;
    const before = (await workspace.log()).length;
    const called = await sql.begin(async (tx) => {
      await tx`lock table framed.log_events in exclusive mode`;
      const called = workspace.call("ledger_open_invoices");
      for (let ended = 0; ended === 0;) {
        await tx`select pg_stat_clear_snapshot()`; // else a transaction goes on seeing what it saw first
        ended = (await tx`select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%close_call%'`).count;
      }
      return { called };
    });
    const { status, body } = await called.called;
    const rows = (await workspace.log()).slice(before);
    assertEquals([status, rows.map(({ request_id, outcome }) => [request_id, outcome])], [
      200,
      [[body.request_id, "ok"]],
    ]);
  },
);
