import { assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile } from "../../../scripts/testing/files.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { MONEYBIRD } from "../_shared/shipped/moneybird.ts";

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => workspace.close());

const install = (body: object, as: "admin" | "member" = "admin") =>
  workspace.ask("/tools/install", { as, body: { workspace_id: workspace.id, ...body } });

databaseTest(
  "install puts a tool that ships on the workspace as seeded, and again does nothing",
  async () => {
    const { status, body } = await install({ tool: "moneybird" });
    assertEquals([status, body.did, body.origin, body.version, body.status], [
      200,
      "installed",
      "seeded",
      1,
      "waits_for_secret",
    ]);
    const back = await workspace.ask(`/tools/moneybird?workspace_id=${workspace.id}`, { as: "member" });
    assertEquals([back.body.origin, back.body.tool], ["seeded", MONEYBIRD]);
    const again = await install({ tool: "moneybird" });
    assertEquals([again.body.did, again.body.version, again.body.id], ["nothing", 1, body.id]);
    assertEquals((await workspace.log()).map((row) => [row.event, row.tool, row.principal.name]), [
      ["tool.defined", "moneybird", "Ada Admin"],
    ]);
  },
);

databaseTest("what is installed is not replaced by a file, and goes to no other workspace", async () => {
  const { body } = await workspace.define(fixtureFile({ slug: "moneybird" }));
  assertEquals(body.reason, "seeded_or_installed");
  const [row] = await workspace.database
    .sql`select count(*)::int as n from framed.v2_connectors where slug = 'moneybird'`;
  assertEquals(row!.n, 1);
});

databaseTest(
  "install takes the slug of no tool of somebody's, and refuses in words what does not ship",
  async () => {
    const { sql } = workspace.database;
    await sql`delete from framed.v2_connectors where workspace_id = ${workspace.id}`;
    await workspace.define(fixtureFile({ slug: "moneybird" }), "member");
    assertEquals((await install({ tool: "moneybird" })).body.reason, "other_owner");
    const unknown = await install({ tool: "elsewhere" });
    assertEquals([unknown.status, unknown.body.problems], [400, [
      "tool: one of the tools that ship is wanted: moneybird",
    ]]);
    assertEquals((await install({ tool: "moneybird" }, "member")).body.reason, "admin_required");
  },
);
