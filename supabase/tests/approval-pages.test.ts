/** Thousands of approvals on a workspace: a page of those that wait costs what it shows, however many were decided since. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";
import { explaining, mostRows, nodesOf, type PlanNode } from "../../scripts/testing/query-plan.ts";
import { trySpeakingFor } from "../../scripts/testing/speaking-for.ts";
import { addTwoAccounts } from "../../scripts/testing/two-accounts.ts";
import { type ApprovalFilter, listApprovals } from "../functions/_shared/approvals/store.ts";

const database = await openTestDatabase();
globalThis.addEventListener("unload", () => database.drop());
const { sql } = database;
const { here, sibling } = await addTwoAccounts(sql);

// A thousand wait, and ten thousand that came after them were turned away; on another workspace ten thousand wait.
await sql`
  insert into framed.v2_approvals (id, workspace_id, status, digest, proposal_key, needs, requested_by, requested_at, expires_at)
  select gen_random_uuid(), case when n < 11000 then ${here.id}::uuid else ${sibling.id}::uuid end,
    case when n between 1000 and 10999 then 'rejected' else 'awaiting_approval' end, sha256(n::text::bytea), sha256(n::text::bytea),
    'member', json_build_object('kind', case when n % 10 = 7 then 'reseller_key' else 'session' end, 'id', 'p', 'name', null), now() + n * interval '1 second', now() + interval '14 days'
  from generate_series(0, 20999) n`;
await sql`
  insert into framed.v2_approval_calls (approval_id, n, workspace_id, connector_id, version, tool, tool_name, args)
  select id, 0, workspace_id, ${here.connectorId}, 1, 'book', 'Book', '{}' from framed.v2_approvals
   where status in ('awaiting_approval', 'rejected')`;
await sql`analyze framed.v2_approvals, framed.v2_approval_calls`;
const [middle] = await sql<{ place: string }[]>`
  select floor(extract(epoch from requested_at) * 1000)::bigint || ' ' || id as place from framed.v2_approvals
   where workspace_id = ${here.id} and status = 'awaiting_approval' order by requested_at desc offset 500 limit 1`;

const [ofPartner] = await sql<{ place: string }[]>`
  select floor(extract(epoch from requested_at) * 1000)::bigint || ' ' || id as place from framed.v2_approvals
   where workspace_id = ${here.id} and requester = 'reseller_key p' order by requested_at desc offset 500 limit 1`;

const PARTNER = { kind: "reseller_key", id: "p" };
const ALL: ApprovalFilter = { status: null, requestedBy: null };
const PAGES: readonly [name: string, filter: ApprovalFilter, after: string | null][] = [
  ["what waits", { ...ALL, status: "awaiting_approval" }, null],
  ["what waits, far in", { ...ALL, status: "awaiting_approval" }, middle!.place],
  ["everything", ALL, null],
  ["everything, far in", ALL, middle!.place],
  ["what a partner's key asked for", { ...ALL, requestedBy: PARTNER }, null],
  ["what a partner's key asked for, far in", { ...ALL, requestedBy: PARTNER }, ofPartner!.place],
];

for (const [name, filter, after] of PAGES) {
  databaseTest(`a page of ${name} comes out of an index in its order`, async () => {
    const plans: PlanNode[] = [];
    await trySpeakingFor(sql, {
      workspaceId: here.id,
      work: (tx) => listApprovals(explaining(tx, plans), { workspaceId: here.id, filter, after, limit: 51 }),
    });
    assertEquals(plans.length, 1, "one round trip");
    const nodes = plans.flatMap(nodesOf);
    const kinds = nodes.map((node) => node["Node Type"]);
    assertEquals(kinds.filter((kind) => /Sort|Hash|Bitmap|Seq/.test(kind)), [], kinds.join(", "));
    assertEquals(mostRows(nodes), 51);
    assert(nodes.some((node) => node["Index Name"]?.startsWith("v2_approvals_")), kinds.join(", "));
  });
}
