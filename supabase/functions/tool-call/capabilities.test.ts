/** Calls of tools that declare capabilities: what is denied reaches no fixture, no secret and no other system. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { ledgerFile } from "../../../scripts/testing/files.ts";
import { type ReceivedRequest, startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const BODY = "what the other system holds";
const upstream = startUpstream(({ target }: ReceivedRequest) =>
  Response.json([{ id: "1", name: BODY, target }])
);
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;

const example = (capability: string, operation: string, more: JsonObject = {}) => ({
  capability,
  operation,
  ...more,
});
const FIXTURES = [
  { example: example("contact.read", "list"), response: [{ id: "1", name: BODY }] },
  { example: example("contact.read", "get", { id: "1" }), response: { id: "1", name: BODY } },
  { example: example("deal.read", "list"), response: [{ id: "2", name: BODY }] },
];
const request = (path: string, more: JsonObject = {}) => ({
  method: "GET",
  url: `https://ledger.example/${path}`,
  headers: { Authorization: "Bearer {{secret}}" },
  ...more,
});
const LIVE = ledgerFile({
  slug: "crm_live",
  arguments: { type: "object", properties: { id: { type: "string" }, page: { type: "integer" } } },
  request: request("contacts?page={page}"),
  capabilities: [
    { id: "contact.read", operations: ["list", "get"], requests: { get: request("contacts/{id}") } },
    { id: "deal.read", operations: ["list"], requests: { list: request("deals", { method: "POST" }) } },
  ],
  fixtures: FIXTURES,
});
const { request: _request, auth: _auth, ...rest } = LIVE;
const FIXTURE = {
  ...rest,
  slug: "crm_fixture",
  kind: "fixture",
  capabilities: [{ id: "contact.read", operations: ["list", "get"] }, {
    id: "deal.read",
    operations: ["list"],
  }],
};
for (const file of [LIVE, FIXTURE]) {
  const { status, body } = await workspace.define(file as JsonObject);
  assertEquals(status, 200, JSON.stringify(body));
}
const paste = () => workspace.paste("crm_live", { name: "CONNECTOR_LEDGER", value: "capability-secret" });
await paste();

const DENIED: readonly [string, JsonObject, string][] = [
  ["no capability", {}, "capability_missing"],
  ["an operation alone", { operation: "list" }, "capability_missing"],
  ["an unknown capability", { capability: "invoice.read", operation: "list" }, "capability_not_declared"],
  ["a name of JavaScript", { capability: "__proto__", operation: "list" }, "capability_not_declared"],
  [
    "an unknown capability to write with",
    { capability: "contact.write", operation: "create" },
    "capability_not_declared",
  ],
  ["no operation", { capability: "contact.read" }, "operation_missing"],
  ...["create", "update", "delete", "write", "patch"].map((operation): [string, JsonObject, string] => [
    `the write ${operation}`,
    { capability: "contact.read", operation },
    "operation_denied",
  ]),
  [
    "an operation of another capability",
    { capability: "deal.read", operation: "get", args: { id: "1" } },
    "operation_not_declared",
  ],
  [
    "an operation nobody knows",
    { capability: "contact.read", operation: "search" },
    "operation_not_declared",
  ],
  ["capitals", { capability: "contact.read", operation: "LIST" }, "operation_not_declared"],
  ["a get without id", { capability: "contact.read", operation: "get" }, "bad_arguments"],
  [
    "a get with an empty id",
    { capability: "contact.read", operation: "get", args: { id: "" } },
    "bad_arguments",
  ],
  [
    "a capability among the arguments",
    { args: { capability: "contact.read", operation: "list" } },
    "capability_missing",
  ],
];

for (const slug of ["crm_live", "crm_fixture"]) {
  for (const more of [{}, { kept: true }, { persist: true }] as JsonObject[]) {
    const with_ = Object.keys(more)[0] ?? "nothing more";
    databaseTest(
      `${slug} with ${with_}: what is denied reaches nothing and tells nothing of an answer`,
      async () => {
        const before = upstream.requests.length;
        // A value that does not open would answer `internal`: that none does shows that none was opened.
        await sql`update framed.v2_connector_secrets set sealed = '\\x01'`;
        for (const [name, call, reason] of DENIED) {
          const { body, text } = await workspace.call(slug, { args: {}, ...call, ...more });
          assertEquals([name, body.ok, body.reason], [name, false, reason]);
          assert(!text.includes(BODY) && !("result" in body) && !("rows" in body), name);
        }
        await paste();
        assertEquals(upstream.requests.length, before);
        const rows = (await workspace.log()).slice(-DENIED.length - 1, -1);
        assertEquals(rows.map(({ outcome }) => outcome), DENIED.map(([, , reason]) => reason));
        for (const { detail, upstream_ms } of rows) {
          assert(
            /^connector=crm_\w+ capability=\S+ operation=\S+ mode=(live|fixture) ok=false truncated=false$/
              .test(detail.audit),
          );
          assertEquals(upstream_ms, null);
        }
      },
    );
  }
}

databaseTest("each operation goes by its own request, or by the tool's", async () => {
  const of = async (call: JsonObject) => (await workspace.call("crm_live", call)).body.result?.[0].target;
  assertEquals(
    await of({ capability: "contact.read", operation: "list", args: { page: 2 } }),
    "/contacts?page=2",
  );
  assertEquals(
    await of({ capability: "contact.read", operation: "get", args: { id: "a/b" } }),
    "/contacts/a%2Fb",
  );
});

databaseTest("an operation whose request is a POST waits for a person, beside one that runs", async () => {
  const before = upstream.requests.length;
  const { status, body } = await workspace.call("crm_live", {
    capability: "deal.read",
    operation: "list",
    args: {},
  });
  assertEquals([status, body.ran, upstream.requests.length], [202, false, before]);
  const shown = await workspace.ask(`/approvals/${body.approval_id}`, { as: "member" });
  const [{ capability, operation, method }] = shown.body.calls;
  assertEquals([capability, operation, method], ["deal.read", "list", "POST"]);
});

databaseTest("the audit line stands on the result and in the log, the same, with the mode", async () => {
  for (const [slug, mode] of [["crm_live", "live"], ["crm_fixture", "fixture"]]) {
    const { body } = await workspace.call(slug!, { capability: "contact.read", operation: "list", args: {} });
    assertEquals(
      body.audit,
      `connector=${slug} capability=contact.read operation=list mode=${mode} ok=true truncated=false`,
    );
    const row = (await workspace.log()).at(-1);
    assertEquals([row.detail.audit, row.operation], [body.audit, "contact.read/list"]);
    assert(!JSON.stringify(row).includes(BODY));
  }
});

databaseTest("what the file declares is in a column of its own, and gives no internal grant", async () => {
  const [row] = await sql`
    select declared_capabilities, to_jsonb(capabilities) as capabilities from framed.v2_connectors where slug = 'crm_live'`;
  assertEquals(row!.declared_capabilities, LIVE.capabilities);
  assertEquals(row!.capabilities, []);
});
