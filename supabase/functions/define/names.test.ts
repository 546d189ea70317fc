/** What defining a tool does with the names of secrets, and with the values that are stored under them. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { ledgerFile } from "../../../scripts/testing/files.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => workspace.close());
const { sql } = workspace.database;

async function readBack(slug: string) {
  return (await workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, { as: "admin" })).body;
}

async function emptyWorkspace() {
  await sql`delete from framed.v2_connectors where workspace_id = ${workspace.id}`;
  await sql`delete from framed.v2_connector_secrets where workspace_id = ${workspace.id}`;
}

databaseTest("define refuses the names of a built-in client's secrets", async () => {
  const { body } = await workspace.define(ledgerFile({ auth: { secret: "CONNECTOR_MONEYBIRD_TOKEN" } }));
  assertEquals(body.reason, "bad_definition");
  assertStringIncludes(body.problems.join("\n"), "auth.secret: ");
});

databaseTest(
  "define holds a tool with a secret to its host and its secret, and a name to one host",
  async () => {
    await emptyWorkspace();
    await workspace.define(ledgerFile());
    const elsewhere = (more: JsonObject) =>
      ledgerFile({
        request: {
          method: "GET",
          url: "https://evil.example/",
          headers: { Authorization: "Bearer {{secret}}" },
        },
        ...more,
      });
    const second = await workspace.define(elsewhere({ slug: "second" }));
    assertEquals([second.status, second.body.reason], [409, "secret_bound_to_other_host"]);
    const moved = await workspace.define(elsewhere({}));
    assertEquals([moved.status, moved.body.version], [200, 2], "a tool without a value may move");
    await workspace.define(ledgerFile());
    await workspace.paste("ledger_open_invoices", {
      name: "CONNECTOR_LEDGER",
      value: "a value of some length",
    });
    for (
      const [more, reason] of [[{}, "host_moved"], [
        { auth: { secret: "CONNECTOR_NEW" } },
        "secret_moved",
      ]] as const
    ) {
      const { status, body } = await workspace.define(elsewhere(more));
      assertEquals([status, body.reason], [409, reason]);
    }
    assertEquals((await readBack("ledger_open_invoices")).secrets, [{
      name: "CONNECTOR_LEDGER",
      keys: ["secret"],
      set: true,
      allowed: true,
      host: "ledger.example",
    }]);
  },
);

databaseTest("define by who is no administrator waits for one before it may use a stored value", async () => {
  await emptyWorkspace();
  await workspace.define(ledgerFile());
  await workspace.paste("ledger_open_invoices", {
    name: "CONNECTOR_LEDGER",
    value: "a value of some length",
  });
  for (const [slug, as] of [["by_member", "member"], ["by_partner", "reseller_key"]] as const) {
    const { body } = await workspace.define(ledgerFile({ slug }), as);
    assertEquals([body.status, body.waits_for], ["waits_for_admin", []]);
  }
  const allow = (as: "admin" | "member") =>
    workspace.ask(`/tools/by_member/secrets/CONNECTOR_LEDGER/allow`, {
      as,
      body: { workspace_id: workspace.id },
    });
  assertEquals((await allow("member")).body.reason, "admin_required");
  assertEquals((await allow("admin")).status, 204);
  assertEquals((await readBack("by_member")).status, "ready");
  const renamed = await workspace.define(ledgerFile({ slug: "by_member", name: "Renamed" }), "member");
  assertEquals(renamed.body.status, "ready", "what is sent is what was allowed");
  const request = {
    method: "GET",
    url: "https://ledger.example/admin?supplier={supplier}",
    headers: { Authorization: "Bearer {{secret}}" },
  };
  const changed = await workspace.define(
    ledgerFile({ slug: "by_member", name: "Renamed", request }),
    "member",
  );
  assertEquals(changed.body.status, "waits_for_admin", "another request has to be allowed again");
  assertEquals((await workspace.define(ledgerFile({ slug: "by_admin" }), "admin_key")).body.status, "ready");
});

const NARROW = {
  arguments: { type: "object", properties: { supplier: { type: "string", description: "Supplier name" } } },
  result: { rows: "rows", fields: ["id"] },
  rules: [{ path: "supplier", op: "exists", then: "deny", say: "Not by supplier." }],
  confirm: true,
};

databaseTest(
  "whatever of a file decides what is sent or what leaves makes it wait again, by who is no administrator",
  async () => {
    const allowed = ledgerFile({ slug: "lent", ...NARROW });
    const { result: _result, ...noResult } = allowed;
    const table: [what: string, file: JsonObject, status: "ready" | "waits_for_admin"][] = [
      ["another name", { ...allowed, name: "Renamed" }, "ready"],
      ["another description", { ...allowed, description: "Another text." }, "ready"],
      ["other fixtures", { ...allowed, fixtures: [{ label: "none", response: { rows: [] } }] }, "ready"],
      ["for an editor", { ...allowed, $schema: "https://framed.example/schema.json" }, "ready"],
      ["no result", noResult, "waits_for_admin"],
      ["more fields", { ...allowed, result: { rows: "rows", fields: ["id", "iban"] } }, "waits_for_admin"],
      ["other rows", { ...allowed, result: { rows: "all", fields: ["id"] } }, "waits_for_admin"],
      ["one more argument", {
        ...allowed,
        arguments: { type: "object", properties: { supplier: {}, page: {} } },
        request: { ...allowed.request as JsonObject, query: { page: "{page}" } },
      }, "waits_for_admin"],
      [
        "a looser argument",
        { ...allowed, arguments: { type: "object", properties: { supplier: {} } } },
        "waits_for_admin",
      ],
      ["another access", { ...allowed, access: "sensitive" }, "waits_for_admin"],
      [
        "another rule",
        {
          ...allowed,
          rules: [...NARROW.rules, { path: "supplier", op: "not_exists", then: "deny", say: "No." }],
        },
        "waits_for_admin",
      ],
    ];
    for (const as of ["member", "reseller_key"] as const) {
      for (const [what, file, status] of table) {
        await emptyWorkspace();
        await workspace.define(ledgerFile());
        await workspace.paste("ledger_open_invoices", {
          name: "CONNECTOR_LEDGER",
          value: "a value of some length",
        });
        assertEquals((await workspace.define(allowed, as)).body.status, "waits_for_admin");
        const path = "/tools/lent/secrets/CONNECTOR_LEDGER/allow";
        const body = { workspace_id: workspace.id };
        assertEquals((await workspace.ask(path, { as: "admin", body })).status, 204);
        const again = await workspace.define(file, as);
        assertEquals([as, what, again.body.status], [as, what, status], JSON.stringify(again.body));
        const [use] = await sql`select allowed_by from framed.v2_connector_secret_uses u
          join framed.v2_connectors c on c.id = u.connector_id where c.slug = 'lent'`;
        assertEquals(use!.allowed_by, status === "ready" ? workspace.people.admin : null);
      }
    }
  },
);

databaseTest("a name is a credential or a setting on a workspace, for as long as it is taken", async () => {
  await emptyWorkspace();
  const setting = (more: JsonObject = {}) =>
    ledgerFile({
      slug: "as_setting",
      request: { method: "GET", url: "https://ledger.example/{{clientId}}/rows?supplier={supplier}" },
      auth: { env: { clientId: "CONNECTOR_LEDGER" } },
      ...more,
    });
  const refused = async (file: JsonObject, line: string) => {
    const { status, body } = await workspace.define(file, "member");
    assertEquals([status, body.reason, body.problems], [400, "bad_definition", [line]], JSON.stringify(body));
  };
  const asSetting =
    "auth.env.clientId: CONNECTOR_LEDGER is a credential on this workspace, and clientId is a setting; a name of its own is wanted";
  await workspace.define(ledgerFile({ slug: "as_secret" }), "member");
  await refused(setting(), asSetting);
  await workspace.paste("as_secret", { name: "CONNECTOR_LEDGER", value: "a value of some length" });
  await refused(setting(), asSetting);
  await workspace.ask(`/tools/as_secret?workspace_id=${workspace.id}`, { as: "member", method: "DELETE" });
  await refused(setting(), asSetting);

  await emptyWorkspace();
  assertEquals((await workspace.define(setting())).status, 200);
  assertEquals((await readBack("as_setting")).secrets[0].keys, ["clientId"]);
  await refused(
    ledgerFile(),
    "auth.secret: CONNECTOR_LEDGER is a setting on this workspace, and secret is a credential; a name of its own is wanted",
  );
  const turned = ledgerFile({ slug: "as_setting" });
  assertEquals((await workspace.define(turned)).status, 200, "a name that only this tool takes may turn");
});

databaseTest("define of one new name for two hosts at once binds it to one of them", async () => {
  await emptyWorkspace();
  const at = (host: string) =>
    ledgerFile({
      slug: host.split(".")[0]!,
      request: { method: "GET", url: `https://${host}/`, headers: { Authorization: "Bearer {{secret}}" } },
    });
  const answers = await Promise.all(
    ["one.example", "two.example", "three.example"].map((host) => workspace.define(at(host))),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  assertEquals(answers.filter(({ status }) => status === 409).map(({ body }) => body.reason), [
    "secret_bound_to_other_host",
    "secret_bound_to_other_host",
  ]);
});
