import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import type { FramedTool } from "../supabase/functions/_shared/framed-tool.ts";
import { installEverywhere, installOn } from "./install/commands.ts";
import { readShippedTool, shippedSlugs } from "../supabase/functions/_shared/shipped/shipped.ts";
import { databaseTest } from "./testing/database.ts";
import { ledgerFile } from "./testing/files.ts";
import { runProgram } from "./testing/run-program.ts";
import { openTestWorkspace } from "./testing/workspace.ts";

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => void workspace.close());
const { database: { sql, url }, id, siblingId } = workspace;
const SCRIPT = fileURLToPath(new URL("install.ts", import.meta.url));
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runProgram(Deno.execPath(), ["run", "--no-check", "--no-lock", "-A", SCRIPT, ...args], {
    env: { SUPABASE_DB_URL: url, ...env },
  });
const moneybird = readShippedTool("moneybird");
const readBack = () => workspace.ask(`/tools/moneybird?workspace_id=${id}`, { as: "admin" });
const NAME = "CONNECTOR_MONEYBIRD_ACCESS_TOKEN";

Deno.test("readShippedTool() reads every tool that ships, each under its own slug", () => {
  assertEquals(shippedSlugs(), ["moneybird"]);
  for (const slug of shippedSlugs()) assertEquals(readShippedTool(slug).slug, slug);
});

databaseTest("deno task install puts the tool on a workspace as seeded, and once is enough", async () => {
  const first = await run(["moneybird", "--workspace", id]);
  assertEquals(first.code, 0, first.stderr);
  assertStringIncludes(first.stdout, NAME);
  const { body } = await readBack();
  assertEquals([body.origin, body.version, body.status, body.owner], ["seeded", 1, "waits_for_secret", {
    kind: null,
    name: null,
  }]);
  assertEquals(body.tool, moneybird);
  const again = await run(["moneybird", "--workspace", id.toUpperCase()]);
  assertEquals([again.code, (await readBack()).body.version], [0, 1]);
  assertStringIncludes(again.stdout, "this version already");
  const [row] = (await workspace.log()).slice(-1);
  assertEquals([row.event, row.principal.kind, row.tool, row.version], [
    "tool.defined",
    "operator",
    "moneybird",
    1,
  ]);
});

databaseTest("deno task install says in one line what keeps it from working", async () => {
  const nowhere = crypto.randomUUID();
  const table: [string[], Record<string, string>, number, string][] = [
    [[], {}, 2, "One of the tools that ship is wanted: moneybird."],
    [["exact"], {}, 2, "One of the tools that ship"],
    [["moneybird"], {}, 2, "One of --workspace ID and --everywhere"],
    [["moneybird", "--everywhere", "--workspace", id], {}, 2, "One of --workspace ID and --everywhere"],
    [["moneybird", "--workspace", "mine"], {}, 2, "a UUID"],
    [["moneybird", "--upgrade"], {}, 2, "--upgrade"],
    [["moneybird", "--workspace", id], { SUPABASE_DB_URL: "" }, 2, "SUPABASE_DB_URL is missing"],
    [["moneybird", "--workspace", nowhere], {}, 1, "no workspace with that id"],
  ];
  for (const [args, env, code, says] of table) {
    const ended = await run(args, env);
    assertEquals([args, ended.code, ended.stdout], [args, code, ""]);
    assertStringIncludes(ended.stderr, says);
    assertEquals(ended.stderr.trim().split("\n").length, 1, ended.stderr);
  }
});

databaseTest(
  "installOn() brings a newer version in the place of the one before, and keeps pasted values",
  async () => {
    await workspace.paste("moneybird", { name: NAME, value: "pasted-token" });
    const newer: FramedTool = { ...moneybird, description: "A newer description." };
    assertStringIncludes(await installOn(sql, { tool: newer, workspaceId: id }), "version 2");
    const { body } = await readBack();
    assertEquals([body.origin, body.version, body.tool.description], ["seeded", 2, "A newer description."]);
    assertEquals(body.secrets.find(({ name }: { name: string }) => name === NAME).set, true);
    const versions =
      await sql`select version from framed.v2_connector_versions where connector_id = ${body.id} order by 1`;
    assertEquals(versions.map(({ version }) => version), [1, 2], "earlier versions stay");
  },
);

databaseTest("installEverywhere() reaches every workspace that has the tool, and no other", async () => {
  await installOn(sql, { tool: moneybird, workspaceId: siblingId });
  assertEquals((await installEverywhere(sql, { tool: moneybird })).length, 2);
  const found = await sql`
    select workspace_id, file ->> 'description' as description from framed.v2_connectors where slug = 'moneybird'`;
  assertEquals(new Set(found.map((row) => row.workspace_id)), new Set([id, siblingId]));
  assert(found.every(({ description }) => description === moneybird.description));
  assertEquals(await installEverywhere(sql, { tool: { ...moneybird, slug: "exact" } }), [
    "No workspace has exact.",
  ]);
});

databaseTest(
  "installOn() leaves a tool alone that did not come with Framed, and a name that belongs elsewhere",
  async () => {
    await workspace.define(ledgerFile());
    const refused = async (tool: FramedTool) => {
      try {
        return await installOn(sql, { tool, workspaceId: id });
      } catch (error) {
        return (error as Error).message;
      }
    };
    assertStringIncludes(
      await refused({ ...moneybird, slug: "ledger_open_invoices" }),
      "did not come with Framed",
    );
    const elsewhere = JSON.parse(JSON.stringify(moneybird).replaceAll("moneybird.com", "elsewhere.example"));
    assertStringIncludes(await refused(elsewhere), "belongs to another host");
    assertEquals((await readBack()).body.tool, moneybird);
  },
);

databaseTest("an administrator may remove it, and it can be installed again", async () => {
  const remove = (as: "member" | "admin") =>
    workspace.ask(`/tools/moneybird?workspace_id=${id}`, { as, method: "DELETE" });
  assert((await remove("member")).status >= 400);
  assertEquals((await remove("admin")).status, 204);
  await installOn(sql, { tool: moneybird, workspaceId: id });
  assertEquals((await readBack()).body.version, 1);
});

databaseTest("the role the functions run as gives no tool its origin", async () => {
  const attempt = sql.begin(async (tx) => {
    await tx`select set_config('role', 'framed_app', true), set_config('framed.workspace_id', ${id}, true)`;
    await tx`update framed.v2_connectors set origin = 'seeded'`;
  });
  assertEquals(await attempt.catch((error) => error.code), "42501");
});
