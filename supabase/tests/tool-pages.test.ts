/** Ten thousand tools on a workspace: every page of them costs what it shows, however far in, and a search no more than its bound. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../scripts/testing/database.ts";
import { explaining, mostRows, nodesOf, type PlanNode } from "../../scripts/testing/query-plan.ts";
import { trySpeakingFor } from "../../scripts/testing/speaking-for.ts";
import { type CallerName, openTestWorkspace } from "../../scripts/testing/workspace.ts";
import { openFile } from "../../scripts/testing/files.ts";
import { listTools } from "../functions/_shared/tools/store.ts";

const TOOLS = 10_000;

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => workspace.close());
const { sql } = workspace.database;
// One of each hundred belongs to the partner; two are found by a word, one far in.
await sql`
  insert into framed.v2_connectors (workspace_id, slug, name, description, kind, access, file, digest, host, owner_key_kind, owner_account_id, owner_user_id)
  select ${workspace.id}, 'tool_' || lpad(n::text, 5, '0'), 'Tool ' || n,
    case when n in (3, 9000) then 'The Needle.' else repeat('What it does. ', 20) end, 'request', 'read',
    ${JSON.stringify(openFile())}::text::json, sha256('x'), 'rates.example',
    case when n % 100 = 0 then 'reseller' end, case when n % 100 = 0 then ${workspace.accountId}::uuid end,
    case when n % 100 <> 0 then ${workspace.people.admin}::uuid end
  from generate_series(0, ${TOOLS - 1}) n`;
await sql`
  insert into framed.v2_kept_reads (workspace_id, connector_id, call_digest, args, version, result, row_count, read_at)
  select workspace_id, id, sha256(n::text::bytea), '{}', 1, '[]', 0, now() from framed.v2_connectors,
    generate_series(1, case slug when 'tool_00000' then 5000 else 1 end) n`;
await sql`analyze framed.v2_connectors, framed.v2_kept_reads`;

/** Every node of the plan that PostgreSQL ran a page with. */
async function planOf(
  page: { query?: string; after?: string; ownerAccountId?: string },
): Promise<readonly PlanNode[]> {
  const plans: PlanNode[] = [];
  await trySpeakingFor(sql, {
    workspaceId: workspace.id,
    work: (tx) =>
      listTools(explaining(tx, plans), {
        workspaceId: workspace.id,
        query: page.query ?? null,
        after: page.after ?? null,
        limit: 51,
        ownerAccountId: page.ownerAccountId ?? null,
      }),
  });
  assert(plans.length > 0);
  return plans.flatMap(nodesOf);
}

const PAGES: readonly [name: string, page: Parameters<typeof planOf>[0], maxRows: number][] = [
  ["the first page", {}, 51],
  ["a page far in", { after: "tool_09000" }, 51],
  ["a reseller's first page", {
    get ownerAccountId() {
      return workspace.accountId;
    },
  }, 51],
  ["a reseller's page far in", {
    after: "tool_09000",
    get ownerAccountId() {
      return workspace.accountId;
    },
  }, 51],
  ["a search that finds at once", { query: "tool" }, 52],
  ["a search that finds nothing", { query: "nowhere" }, 5_000],
  ["a search of the rest", { query: "needle", after: "tool_04999" }, 5_000],
];

for (const [name, page, maxRows] of PAGES) {
  databaseTest(`${name} of ${TOOLS} tools comes out of an index in its order`, async () => {
    const nodes = await planOf(page);
    const kinds = nodes.map((node) => node["Node Type"]);
    assertEquals(kinds.filter((kind) => /Sort|Hash|Bitmap/.test(kind)), [], kinds.join(", "));
    const scanned = nodes.filter((node) => node["Node Type"] === "Seq Scan").map((node) =>
      node["Relation Name"]
    );
    assert(!scanned.includes("v2_connectors"), kinds.join(", "));
    assert(mostRows(nodes) <= maxRows, `${mostRows(nodes)} rows for a page of ${maxRows}`);
  });
}

async function walk(more: string, as: CallerName = "member") {
  const [slugs, pages] = [[] as string[], [] as number[]];
  let cursor: string | null = null;
  do {
    const { body }: Awaited<ReturnType<typeof workspace.ask>> = await workspace.ask(
      `/tools?workspace_id=${workspace.id}${more}${cursor === null ? "" : `&cursor=${cursor}`}`,
      { as },
    );
    slugs.push(...body.tools.map(({ tool }: { tool: string }) => tool));
    pages.push(body.tools.length);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return { slugs, pages };
}

databaseTest("all of them are read in pages, each once, in their order", async () => {
  const { slugs, pages } = await walk("&limit=200");
  assertEquals(slugs, Array.from({ length: TOOLS }, (_, n) => `tool_${String(n).padStart(5, "0")}`));
  assertEquals(pages.length, TOOLS / 200);
  assertEquals((await walk("&limit=200", "reseller_key")).slugs.length, TOOLS / 100);
});

databaseTest("a search goes on where it stopped, and ends", async () => {
  assertEquals(await walk("&query=NEEDLE"), { slugs: ["tool_00003", "tool_09000"], pages: [1, 1, 0] });
  assertEquals((await walk("&query=tool_000&limit=50")).slugs.length, 100);
  // A page that is full just where the search stops.
  await sql`update framed.v2_connectors set name = 'Full' where slug in ('tool_00001', 'tool_00002', 'tool_07000')`;
  assertEquals((await walk("&query=full&limit=2")).slugs, ["tool_00001", "tool_00002", "tool_07000"]);
});
