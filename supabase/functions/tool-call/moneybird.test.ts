/** The shipped Moneybird file against a server that behaves as Moneybird does, through the front door. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { installOn } from "../../../scripts/install/commands.ts";
import { readShippedTool } from "../_shared/shipped/shipped.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { startMoneybird } from "../../../scripts/testing/moneybird.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const moneybird = startMoneybird();
const workspace = await openTestWorkspace({ upstreams: new Map([["moneybird.com", moneybird.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  moneybird.close();
});
const { sql } = workspace.database;
await installOn(sql, { tool: readShippedTool("moneybird"), workspaceId: workspace.id });
await workspace.paste("moneybird", { name: "CONNECTOR_MONEYBIRD_ACCESS_TOKEN", value: moneybird.token });
await workspace.paste("moneybird", {
  name: "CONNECTOR_MONEYBIRD_ADMINISTRATION_ID",
  value: moneybird.administrationId,
});

const contacts = (operation: string, args: JsonObject = {}, more: JsonObject = {}) =>
  workspace.call("moneybird", { capability: "contact.read", operation, args, ...more });
const invoices = (operation: string, args: JsonObject = {}, more: JsonObject = {}) =>
  workspace.call("moneybird", { capability: "sales_invoice.read", operation, args, ...more });

databaseTest(
  "a list of contacts is read page by page with the arguments that next names, each once",
  async () => {
    const seen: string[] = [];
    let args: JsonObject | undefined = { per_page: 40 };
    let pages = 0;
    while (args !== undefined) {
      const { status, body } = await contacts("list", args);
      assertEquals(status, 200, JSON.stringify(body));
      seen.push(...body.result.map(({ id }: JsonObject) => id));
      pages++;
      args = body.next;
    }
    assertEquals([pages, seen.length, new Set(seen).size], [4, moneybird.contacts, moneybird.contacts]);
    assert(seen.every((id) => typeof id === "string" && /^\d{18}$/.test(id)), "every digit of an id is kept");
  },
);

databaseTest("next keeps what else was asked for, and is not there on the last page", async () => {
  const first = await contacts("list", { query: "company 1", per_page: 40 });
  assertEquals(first.body.next, { query: "company 1", per_page: 40, page: 2 });
  assertEquals("next" in (await contacts("list", { query: "company 12", per_page: 100 })).body, false);
  assertEquals(
    (await contacts("list")).body.next,
    { page: 2, per_page: 25 },
    "without a size it is Moneybird's own",
  );
});

databaseTest("more than 100 a page is refused before Moneybird is asked", async () => {
  const before = moneybird.requests.length;
  const { body } = await contacts("list", { per_page: 101 });
  assertEquals([body.reason, moneybird.requests.length], ["bad_arguments", before]);
});

databaseTest("without a filter the invoices of this year, with one only what it says", async () => {
  const of = async (args: JsonObject) => (await invoices("list", args)).body.result.length;
  assertEquals(await of({}), moneybird.invoicesThisYear);
  assertEquals(await of({ filter: "period:200001..209912" }), moneybird.invoices);
  assert(
    await of({ filter: "state:open" }) > (await invoices("list", {})).body.result.filter(
      ({ state }: JsonObject) => state === "open",
    ).length,
    "a filter by state alone is about every year",
  );
});

databaseTest("a contact and an invoice are read by their ids, all of it in its place", async () => {
  const contact = (await contacts("get", { id: moneybird.firstContactId })).body;
  assertEquals([contact.result.id, contact.result.company_name], [moneybird.firstContactId, "Company 1"]);
  const invoice = (await invoices("get", { id: moneybird.firstInvoiceId })).body;
  assertEquals(invoice.result.id, moneybird.firstInvoiceId);
  assertEquals(invoice.result.contact, {
    id: moneybird.firstContactId,
    company_name: "Company 1",
    firstname: "Noor",
    lastname: "de Boer",
    customer_id: "1",
  });
  assertEquals(invoice.result.details, [{ description: "Bread", amount: "1 x", price: "100.0" }]);
  assertEquals(invoice.result.total_price_incl_tax, "121.0", "money is a text");
  assertEquals(invoice.kept, { kept: false });
  assertEquals(
    moneybird.requests.at(-1)!.target,
    `/api/v2/${moneybird.administrationId}/sales_invoices/${moneybird.firstInvoiceId}.json`,
  );
});

databaseTest("what is withheld leaves in no answer, no page, no kept row and no log row", async () => {
  const told = [
    await contacts("list", { per_page: 100 }),
    await contacts("get", { id: moneybird.firstContactId }, { persist: true }),
    await invoices("list", { filter: "period:200001..209912" }),
    await invoices("get", { id: moneybird.firstInvoiceId }, { persist: true }),
    await invoices("get", { id: moneybird.firstInvoiceId }, { kept: true }),
  ];
  assert(told.every(({ status }) => status === 200));
  const handle = told[0]!.body.result_handle;
  assert(typeof handle === "string", "100 contacts are more than go out at once");
  const page = await workspace.ask(`/results/${handle}?offset=50`, { as: "member" });
  assertEquals(page.body.total, 100);
  const texts = [...told, page].map(({ text }) => text);
  const tables = await sql`select table_name from information_schema.tables where table_schema = 'framed'`;
  for (const { table_name } of tables) {
    const rows = await sql`select to_json(t)::text as row from framed.${sql(table_name)} t`;
    texts.push(...rows.map(({ row }) => row));
  }
  for (const value of [...moneybird.withheld, moneybird.token]) {
    assertEquals(texts.filter((text) => text.includes(value)), [], value);
  }
});

databaseTest(
  "too many requests: the status, what the page says, and in how many seconds to come back",
  async () => {
    moneybird.limitUntil(Math.floor(Date.now() / 1000) + 90);
    const { status, body, headers } = await contacts("list");
    moneybird.limitUntil(null);
    assertEquals([status, body.reason], [502, "upstream_failed"]);
    assertEquals(body.detail, "The other system answered 429. It said: Throttled");
    const wait = Number(headers.get("retry-after"));
    assert(wait > 80 && wait <= 90, `${wait}`);
    assertStringIncludes(body.hint, `${wait} s`);
  },
);

databaseTest("a token that Moneybird refuses is told as that, without the token", async () => {
  await workspace.paste("moneybird", {
    name: "CONNECTOR_MONEYBIRD_ACCESS_TOKEN",
    value: "an outdated token",
  });
  const { body, text } = await contacts("list");
  await workspace.paste("moneybird", { name: "CONNECTOR_MONEYBIRD_ACCESS_TOKEN", value: moneybird.token });
  assertStringIncludes(body.detail, "401");
  assertStringIncludes(body.detail, "Authorization required");
  assert(!text.includes("outdated"));
});

databaseTest("it reads back as seeded, belongs to nobody, and no file takes its place", async () => {
  const { body } = await workspace.ask(`/tools/moneybird?workspace_id=${workspace.id}`, { as: "member" });
  assertEquals([body.origin, body.status, body.access], ["seeded", "ready", "read"]);
  assertEquals(body.tool, readShippedTool("moneybird"));
  const mine = {
    ...body.tool,
    auth: { env: { accessToken: "CONNECTOR_MB", administrationId: "CONNECTOR_MB_ID" } },
  };
  for (const as of ["admin", "admin_key", "reseller_key"] as const) {
    const { status, body } = await workspace.define(mine, as);
    assertEquals([as, status, body.reason], [as, 409, "seeded_or_installed"]);
  }
  const named = await workspace.define({ ...body.tool, slug: "my_moneybird" });
  assertEquals(named.body.reason, "bad_definition", "its secrets are named by shipped files only");
});
