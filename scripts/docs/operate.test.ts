import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { JOBS } from "../../supabase/functions/_shared/flows/tick.ts";
import { databaseTest } from "../testing/database.ts";
import { addSentApproval } from "../testing/follow-ups.ts";
import { openTestWorkspace } from "../testing/workspace.ts";
import { fixtureFile } from "../testing/files.ts";
import { readExamples, readTable } from "./examples.ts";

const OPERATE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "operate.md"));

/** The SQL under the marker `<!-- test: name -->`, in the page's order. */
function statementsOf(name: string): string[] {
  return readExamples(OPERATE).filter(({ marker }) => marker === name).map(({ text }) => text);
}

Deno.test("docs/operate.md lists the jobs of the tick in their order", () => {
  const rows = readTable(OPERATE, { columns: ["job", "what it does"], under: "## The tick" });
  assertEquals(rows.flatMap(({ job }) => job!.split(", ")), JOBS.map(({ name }) => name));
});

databaseTest(
  "docs/operate.md finds what is old: approvals, writes nobody knows the end of, checks, webhooks",
  async () => {
    const workspace = await openTestWorkspace();
    try {
      const { id: workspaceId, database: { sql } } = workspace;
      const found = async () => {
        const counts: number[] = [];
        for (const statement of statementsOf("watch")) counts.push((await sql.unsafe(statement)).length);
        return counts;
      };
      assertEquals(await found(), [0, 0, 0, 0]);
      await addSentApproval(sql, { workspaceId, calls: ["unknown"] });
      const running = await addSentApproval(sql, { workspaceId });
      await sql`update framed.v2_approvals set status = 'running', lease_until = now() - interval '6 minutes' where id = ${running}`;
      await sql`update framed.v2_follow_ups set due_at = now() - interval '11 minutes' where approval_id = ${running}`;
      await sql`
      insert into framed.v2_webhooks (workspace_id, failing_since, last_failure) values (${workspaceId}, now(), 'upstream_failed')
      on conflict (workspace_id) do update set failing_since = now(), last_failure = 'upstream_failed'`;
      assertEquals(await found(), [1, 1, 1, 1]);
    } finally {
      await workspace.close();
    }
  },
);

databaseTest(
  "docs/operate.md leaves nothing to send after a restore, and what was under way to people",
  async () => {
    const workspace = await openTestWorkspace();
    try {
      const { sql } = workspace.database;
      await workspace.define(fixtureFile({ access: "write" }));
      const { body: { approval_id: waiting } } = await workspace.call("rooms", { args: {} });
      const underWay = await addSentApproval(sql, {
        workspaceId: workspace.id,
        calls: ["applied", "not_sent"],
      });
      await sql`update framed.v2_approvals set status = 'running', lease_until = now() - interval '1 second' where id = ${underWay}`;
      await sql`update framed.v2_approval_calls set status = 'waiting' where approval_id = ${underWay} and n = 1`;
      for (const statement of statementsOf("after a restore")) await sql.unsafe(statement);
      await workspace.tick();
      const shown = async (id: string) => {
        const { body } = await workspace.ask(`/approvals/${id}`, { as: "admin" });
        return [body.status, ...body.calls.map(({ status }: { status: string }) => status)];
      };
      assertEquals(await shown(waiting), ["expired", "not_sent"]);
      assertEquals(await shown(underWay), ["unknown", "applied", "unknown"]);
      const settled = await workspace.ask(`/approvals/${underWay}/settle`, {
        as: "admin",
        body: { outcome: "applied", note: "It is there." },
      });
      assertEquals(settled.body.status, "applied");
    } finally {
      await workspace.close();
    }
  },
);
