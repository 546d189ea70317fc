import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile, ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
globalThis.addEventListener("unload", () => w.close());

const versions = (slug: string, query = "", as: CallerName = "member") =>
  w.ask(`/tools/${slug}/versions?workspace_id=${w.id}${query}`, { as });
const version = (slug: string, n: string | number, as: CallerName = "member") =>
  w.ask(`/tools/${slug}/versions/${n}?workspace_id=${w.id}`, { as });

databaseTest(
  "the versions of a tool tell who defined it so and when, newest first, and each one's file",
  async () => {
    const files = [openFile(), openFile({ name: "Rates, again" }), openFile({ description: "All rates." })];
    await w.define(files[0]!, "admin_key");
    await w.define(files[1]!, "admin");
    await w.define(files[1]!, "admin");
    await w.define(files[2]!, "admin");
    const { body } = await versions("rates");
    assertEquals(body.next_cursor, null);
    assertEquals(
      body.versions.map((
        { version, defined_by }: { version: number; defined_by: { kind: string; name: string } },
      ) => [
        version,
        defined_by.kind,
        defined_by.name,
      ]),
      [[3, "session", "Ada Admin"], [2, "session", "Ada Admin"], [1, "raw_key", "Ada Admin"]],
    );
    assert(body.versions.every((row: object) => Object.keys(row).length === 3), "a list holds no files");
    for (const [index, file] of files.entries()) {
      const one = await version("rates", index + 1, "bare_member");
      const { request_id: _, ...rest } = one.body;
      assertEquals(rest, { ok: true, ...body.versions[2 - index], tool: file });
      assert(Math.abs(Date.parse(rest.defined_at) - Date.now()) < 60_000);
    }
    assertEquals(
      JSON.stringify((await version("rates", 1)).body.tool),
      JSON.stringify(files[0]),
      "key order and all",
    );
  },
);

databaseTest("the versions of a tool are paged by a cursor that loses and repeats nothing", async () => {
  for (let n = 1; n <= 7; n++) await w.define(fixtureFile({ slug: "paged", name: `Version ${n}` }));
  const seen: number[] = [];
  let cursor = "";
  do {
    const { body } = await versions("paged", `&limit=3${cursor}`);
    seen.push(...body.versions.map(({ version }: { version: number }) => version));
    cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
  } while (cursor !== "");
  assertEquals(seen, [7, 6, 5, 4, 3, 2, 1]);
  assertEquals((await versions("paged", `&cursor=${btoa("seven").replaceAll("=", "")}`)).status, 400);
});

databaseTest(
  "a version that never was, is no number, or is of a tool that is not there is not found",
  async () => {
    await w.define(fixtureFile({ slug: "once" }));
    const missing = await w.ask(`/tools/nothing?workspace_id=${w.id}`, { as: "member" });
    const answers = [
      ...await Promise.all(
        ["0", "2", "01", "-1", "1.0", "9".repeat(12), "latest"].map((n) => version("once", n)),
      ),
      await version("nothing", 1),
      await versions("nothing"),
    ];
    for (const { status, body } of answers) {
      assertEquals([status, { ...body, request_id: "" }], [404, { ...missing.body, request_id: "" }]);
    }
  },
);

databaseTest("versions go with their tool: one of the same name begins anew", async () => {
  await w.define(fixtureFile({ slug: "brief" }));
  await w.define(fixtureFile({ slug: "brief", name: "Second" }));
  await w.ask(`/tools/brief?workspace_id=${w.id}`, { as: "admin", method: "DELETE" });
  assertEquals((await versions("brief")).status, 404);
  await w.define(fixtureFile({ slug: "brief", name: "Third" }));
  assertEquals((await versions("brief")).body.versions.length, 1);
  assertEquals((await version("brief", 1)).body.tool.name, "Third");
});

databaseTest(
  "a reseller key sees the versions of what its account's keys defined, and no other's",
  async () => {
    await w.define(fixtureFile({ slug: "partners" }), "reseller_key");
    await w.define(ledgerFile());
    assertEquals((await version("partners", 1, "reseller_key")).status, 200);
    assertEquals((await versions("partners", "", "reseller_key")).body.versions.length, 1);
    const hidden = await versions("ledger_open_invoices", "", "reseller_key");
    const missing = await versions("nothing", "", "reseller_key");
    assertEquals([hidden.status, { ...hidden.body, request_id: "" }], [404, {
      ...missing.body,
      request_id: "",
    }]);
    assertEquals((await version("ledger_open_invoices", 1, "reseller_key")).status, 404);
  },
);
