/** Catch up through the front door: what it shows, in which order, and to whom. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { addSentApproval, hoursLater } from "../../../scripts/testing/follow-ups.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const workspace = await openTestWorkspace();
const { sql } = workspace.database;
globalThis.addEventListener("unload", () => void workspace.close());

const WEEK = 7 * 24;
const ask = async (as: CallerName = "member", query = "") =>
  (await workspace.ask(`/catch-up?workspace_id=${workspace.id}${query}`, { as })).body;

function add(what: string, { after = 0, workspaceId = workspace.id } = {}) {
  return addSentApproval(sql, { workspaceId, wroteAt: hoursLater(after), followUp: { what } });
}

databaseTest("GET /catch-up is empty while nothing was found", async () => {
  const { request_id: _, ...body } = await ask();
  assertEquals(body, { ok: true, findings: [], next_cursor: null });
});

databaseTest("GET /catch-up shows each week's finding with what joined it, the latest first", async () => {
  await sql`truncate framed.v2_follow_ups, framed.v2_findings`;
  const first = await add("Invoice 1");
  const second = await add("Invoice 2", { after: 1 });
  const later = await add("Invoice 3", { after: WEEK });
  await add("Not yet", { after: 2 * WEEK });
  await add("Elsewhere", { workspaceId: workspace.siblingId });
  for (let hours = 0; hours <= 2 * WEEK + 2; hours += 12) await workspace.tick(hoursLater(hours));
  await workspace.ask(`/approvals/${second}/follow-up/stop`, { as: "member", body: {} });

  const { findings, next_cursor } = await ask();
  assertEquals(next_cursor, null);
  assertEquals(findings.map(({ id: _, ...finding }: Record<string, unknown>) => finding), [
    {
      kind: "follow_ups_waiting",
      week: "2026-W51",
      title: "An approved call waited too long for what should follow it",
      found_at: iso(2 * WEEK),
      changed_at: iso(2 * WEEK),
      total: 1,
      items: [item(later, "Invoice 3", { wrote: WEEK, alarmed: 2 * WEEK })],
    },
    {
      kind: "follow_ups_waiting",
      week: "2026-W50",
      title: "2 approved calls waited too long for what should follow them",
      found_at: iso(WEEK),
      changed_at: iso(WEEK + 12),
      total: 2,
      items: [
        item(first, "Invoice 1", { wrote: 0, alarmed: WEEK }),
        { ...item(second, "Invoice 2", { wrote: 1, alarmed: WEEK + 12 }), status: "stopped" },
      ],
    },
  ]);

  const page = await ask("member", "&limit=1");
  assertEquals(page.findings.map(({ week }: { week: string }) => week), ["2026-W51"]);
  const rest = await ask("member", `&limit=1&cursor=${page.next_cursor}`);
  assertEquals([rest.findings.map(({ week }: { week: string }) => week), rest.next_cursor], [
    ["2026-W50"],
    null,
  ]);
});

databaseTest(
  "GET /catch-up tells a member without the grant what there is, and none of its values",
  async () => {
    const [bare, full] = [await ask("bare_member"), await ask("member")];
    const without = (findings: { items: Record<string, unknown>[] }[]) =>
      findings.map((finding) => ({
        ...finding,
        items: finding.items.map((one) => ({ ...one, what: null, until: null })),
      }));
    assertEquals(bare.findings, without(full.findings));
    assert(full.findings.length > 0);
    assert(!JSON.stringify(bare).includes("Invoice"));
  },
);

databaseTest("GET /catch-up shows 50 of many, and how many there are", async () => {
  await sql`truncate framed.v2_follow_ups, framed.v2_findings`;
  for (let index = 0; index < 52; index++) await add(`Invoice ${index}`);
  await sql`
    with found as (insert into framed.v2_findings (workspace_id, kind, week, found_at, changed_at)
      values (${workspace.id}, 'follow_ups_waiting', '2026-W50', now(), now()) returning id)
    update framed.v2_follow_ups set alarmed_at = now(), finding_id = found.id from found`;
  const { findings: [finding] } = await ask();
  assertEquals([finding.total, finding.items.length], [52, 50]);
});

databaseTest("GET /catch-up refuses a cursor that is none of ours", async () => {
  const { reason, problems } = await ask("member", "&cursor=bm8");
  assertEquals([reason, problems], ["bad_request", [
    "cursor: the next_cursor of the page before is wanted, unchanged",
  ]]);
});

function item(approval_id: string, what: string, { wrote, alarmed }: { wrote: number; alarmed: number }) {
  return {
    approval_id,
    tool: "ledger_book_invoice",
    what,
    until: "Someone books it",
    wrote_at: iso(wrote),
    alarmed_at: iso(alarmed),
    status: "waiting",
  };
}

/** As the store writes an instant. */
function iso(hours: number): string {
  return hoursLater(hours).toISOString().replace(".000Z", "+00:00");
}
