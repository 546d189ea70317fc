import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { CALLERS, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const CANARY = "canary-3f9d2c81-do-not-tell";
const workspace = await openTestWorkspace();
const ringless = await openTestWorkspace({ keyRingText: "" });
globalThis.addEventListener("unload", () => {
  workspace.close();
  ringless.close();
});
const { sql } = workspace.database;
await workspace.define(ledgerFile());
await workspace.define(openFile());

const PATH = "/tools/ledger_open_invoices/secrets/CONNECTOR_LEDGER";
const put = (as: Parameters<typeof workspace.ask>[1]["as"], body: object = {}) =>
  workspace.ask(PATH, { as, method: "PUT", body: { workspace_id: workspace.id, value: CANARY, ...body } });
const stored = async () =>
  (await sql`select sealed from framed.v2_connector_secrets where name = 'CONNECTOR_LEDGER'`)[0]?.sealed as
    | Uint8Array
    | null;
const clear = () => workspace.ask(`${PATH}?workspace_id=${workspace.id}`, { as: "admin", method: "DELETE" });

databaseTest(
  "only an administrator's own session pastes, removes and allows; no key may, whatever its owner may do",
  async () => {
    const expected: Record<(typeof CALLERS)[number], string | undefined> = {
      admin: undefined,
      second_admin: undefined,
      member: "admin_required",
      bare_member: "admin_required",
      admin_key: "person_required",
      reseller_key: "person_required",
      stranger: "not_found",
      stranger_key: "not_found",
      stranger_reseller_key: "not_found",
      nobody: "unauthenticated",
    };
    for (const as of CALLERS) {
      await clear();
      assertEquals([as, (await put(as)).body?.reason], [as, expected[as]]);
      assertEquals([as, await stored() !== null], [as, expected[as] === undefined]);
      const removed = await workspace.ask(`${PATH}?workspace_id=${workspace.id}`, { as, method: "DELETE" });
      const allowed = await workspace.ask(`${PATH}/allow`, { as, body: { workspace_id: workspace.id } });
      assertEquals([as, removed.body?.reason, allowed.body?.reason], [as, expected[as], expected[as]]);
    }
  },
);

databaseTest("a value is sealed: no answer and no row of the database holds it", async () => {
  const answered = await put("admin");
  assertEquals([answered.status, answered.text], [204, ""]);
  const sealed = await stored();
  assert(sealed !== null && !new TextDecoder("latin1").decode(sealed).includes(CANARY));
  const tables = await sql`select table_name from information_schema.tables where table_schema = 'framed'`;
  for (const { table_name } of tables) {
    const rows = await sql`select to_json(t)::text as row from framed.${sql(table_name)} t`;
    for (const { row } of rows) assert(!row.includes(CANARY), table_name);
  }
  const back = await workspace.ask(`/tools/ledger_open_invoices?workspace_id=${workspace.id}`, {
    as: "admin",
  });
  assert(!back.text.includes(CANARY));
  assertEquals(back.body.secrets, [{
    name: "CONNECTOR_LEDGER",
    keys: ["secret"],
    set: true,
    allowed: true,
    host: "ledger.example",
  }]);
});

databaseTest("a value that cannot be one is refused in words that do not repeat it", async () => {
  await clear();
  const table: [value: unknown, reason: string][] = [
    ["short", "bad_request"],
    ["", "bad_request"],
    ["x".repeat(16 * 1024 + 1), "bad_request"],
    [12345678901, "bad_request"],
    [{ token: CANARY }, "bad_request"],
  ];
  for (const [value, reason] of table) {
    const { body, text } = await put("admin", { value });
    assertEquals(body.reason, reason);
    assert(!text.includes(CANARY) && !text.includes("short"), text);
  }
  const nul = await workspace.ask(PATH, {
    as: "admin",
    method: "PUT",
    body: `{"workspace_id":"${workspace.id}","value":"12345678\\u0000"}`,
  });
  assertEquals(nul.status, 400);
  assertEquals(await stored(), null);
});

databaseTest("a pasted JSON bundle is the value itself, and 16 KiB are kept", async () => {
  for (const value of ['{"token":"abcdefgh"}', "x".repeat(16 * 1024)]) {
    assertEquals((await put("admin", { value })).status, 204);
  }
});

databaseTest(
  "a value that its header cannot carry is refused at the paste, and taken where it is encoded",
  async () => {
    await clear();
    for (const value of ["abcdefgh\n", "abcd\tefgh", "pässwörd ☃ 日本"]) {
      const { status, body, text } = await put("admin", { value });
      assertEquals([status, body.reason], [400, "bad_request"]);
      assert(!text.includes(value.slice(0, 4)));
    }
    const basic = {
      method: "GET",
      url: "https://basic.example/",
      headers: { Authorization: "Basic {{secret|base64}}" },
    };
    const file = openFile({
      slug: "basic",
      arguments: { type: "object" },
      request: basic,
      auth: { secret: "CONNECTOR_BASIC" },
    });
    assertEquals((await workspace.define(file)).status, 200);
    assertEquals(
      (await workspace.paste("basic", { name: "CONNECTOR_BASIC", value: "user:pässwörd ☃" })).status,
      204,
    );
  },
);

databaseTest(
  "a version that the administrator did not see answers tool_changed and stores nothing",
  async () => {
    await clear();
    assertEquals((await put("admin", { version: 9 })).body.reason, "tool_changed");
    assertEquals(await stored(), null);
    assertEquals((await put("admin", { version: 1 })).status, 204);
  },
);

databaseTest("a name the tool does not use, and a tool that is not there, answer alike", async () => {
  const paths = [
    "/tools/rates/secrets/CONNECTOR_LEDGER",
    "/tools/missing/secrets/CONNECTOR_LEDGER",
    "/tools/ledger_open_invoices/secrets/CONNECTOR_OTHER",
  ];
  const texts = await Promise.all(paths.map(async (path) => {
    const { text, body } = await workspace.ask(path, {
      as: "admin",
      method: "PUT",
      body: { workspace_id: workspace.id, value: CANARY },
    });
    return text.replace(body.request_id, "");
  }));
  assertEquals(new Set(texts).size, 1);
  assertEquals(JSON.parse(texts[0]!).reason, "not_found");
});

databaseTest("a stack without a key ring refuses to store, in words, and keeps nothing", async () => {
  await ringless.define(ledgerFile());
  const { status, body, headers } = await ringless.paste("ledger_open_invoices", {
    name: "CONNECTOR_LEDGER",
    value: CANARY,
  });
  assertEquals([status, body.reason], [503, "store_unavailable"]);
  assert(headers.get("retry-after") !== null && body.hint.includes("FRAMED_SECRET_KEYS"));
  assertEquals(
    (await ringless.database.sql`select sealed from framed.v2_connector_secrets`)[0]!.sealed,
    null,
  );
});

databaseTest("a row of another workspace or another name does not open", async () => {
  await put("admin");
  const before = await stored();
  await workspace.define(ledgerFile({ slug: "second", auth: { secret: "CONNECTOR_SECOND" } }));
  await workspace.paste("second", { name: "CONNECTOR_SECOND", value: "another value entirely" });
  await sql`update framed.v2_connector_secrets set sealed = ${before!} where name = 'CONNECTOR_SECOND'`;
  const { status, text, body } = await workspace.call("second", { args: {} });
  assertEquals([status, body.reason], [500, "internal"]);
  assert(!text.includes(CANARY));
});

databaseTest(
  "a permission goes with the value it was given for, but for what an administrator defined",
  async () => {
    await put("admin");
    const theirs = { by_member: "member", by_partner: "reseller_key", by_second: "second_admin" } as const;
    for (const [slug, as] of Object.entries(theirs)) {
      assertEquals((await workspace.define(ledgerFile({ slug }), as)).status, 200);
      const path = `/tools/${slug}/secrets/CONNECTOR_LEDGER/allow`;
      await workspace.ask(path, { as: "admin", body: { workspace_id: workspace.id } });
    }
    const statusOf = async (slug: string) =>
      (await workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, { as: "admin" })).body.status;
    const statuses = async () => await Promise.all(Object.keys(theirs).map(statusOf));
    assertEquals(await statuses(), ["ready", "ready", "ready"]);
    await put("admin", { value: "a value in the place of it" });
    assertEquals(
      await statuses(),
      ["ready", "ready", "ready"],
      "a value that is replaced is the same secret",
    );
    await clear();
    await put("admin", { value: "a value for another matter" });
    assertEquals(await statuses(), ["waits_for_admin", "waits_for_admin", "ready"]);
    assertEquals(await statusOf("ledger_open_invoices"), "ready");
  },
);

databaseTest("each paste, removal and permission is logged by name, with who did it", async () => {
  await sql`truncate framed.log_events`;
  await put("admin");
  await workspace.ask(`${PATH}/allow`, { as: "second_admin", body: { workspace_id: workspace.id } });
  await clear();
  assertEquals((await workspace.log()).map((row) => [row.event, row.detail.name, row.principal.name]), [
    ["secret.pasted", "CONNECTOR_LEDGER", "Ada Admin"],
    ["secret.allowed", "CONNECTOR_LEDGER", "Sam Second"],
    ["secret.removed", "CONNECTOR_LEDGER", "Ada Admin"],
  ]);
});
