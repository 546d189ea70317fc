/** Moves sealed rows to where they do not belong, as whoever writes to the database could, and calls the tool there. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { databaseTest } from "../../scripts/testing/database.ts";
import { withErrorOutput } from "../../scripts/testing/error-output.ts";
import { ledgerFile } from "../../scripts/testing/files.ts";
import { startUpstream } from "../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../scripts/testing/workspace.ts";

const upstream = startUpstream(() => Response.json({ rows: [] }));
const w = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  w.close();
  upstream.close();
});
const { sql } = w.database;
const [MINE, THEIRS] = ["canary-of-mine", "canary-of-theirs"];
const FOREIGN_KEY_VIOLATION = "23503";

/** The administrator's tool on `w.id` and on its sibling, each with a secret of its own. */
async function begin(): Promise<void> {
  await sql`delete from framed.v2_connectors`;
  await sql`delete from framed.v2_connector_secrets`;
  await sql`delete from framed.workspace_data_keys`;
  await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    values (${w.siblingId}, ${w.people.admin}, 'admin', 'Ada', 'ada@people.example') on conflict do nothing`;
  for (const [workspace_id, value] of [[w.id, MINE], [w.siblingId, THEIRS]]) {
    const defined = await w.ask("/tools/define", { as: "admin", body: { workspace_id, tool: ledgerFile() } });
    assertEquals(defined.status, 200);
    const path = "/tools/ledger_open_invoices/secrets/CONNECTOR_LEDGER";
    const pasted = await w.ask(path, { as: "admin", method: "PUT", body: { workspace_id, value } });
    assertEquals(pasted.status, 204);
  }
}

const call = () => w.call("ledger_open_invoices", { args: { supplier: "Acme" } }, "admin");

const MOVES: Readonly<Record<string, () => Promise<unknown>>> = {
  "another workspace's value": () =>
    sql`update framed.v2_connector_secrets set sealed =
      (select sealed from framed.v2_connector_secrets where workspace_id = ${w.siblingId}) where workspace_id = ${w.id}`,
  "another workspace's data key": () =>
    sql`update framed.workspace_data_keys set wrapped =
      (select wrapped from framed.workspace_data_keys where workspace_id = ${w.siblingId}) where workspace_id = ${w.id}`,
  "another workspace's value with its data key": () =>
    sql.begin(async (tx) => {
      await tx`update framed.v2_connector_secrets set sealed = null, data_key_id = null, set_at = null where workspace_id = ${w.id}`;
      await tx`delete from framed.workspace_data_keys where workspace_id = ${w.id}`;
      const [theirs] =
        await tx`select sealed, data_key_id from framed.v2_connector_secrets where workspace_id = ${w.siblingId}`;
      await tx`update framed.v2_connector_secrets set sealed = null, data_key_id = null, set_at = null where workspace_id = ${w.siblingId}`;
      await tx`update framed.workspace_data_keys set workspace_id = ${w.id} where workspace_id = ${w.siblingId}`;
      await tx`update framed.v2_connector_secrets set sealed = ${theirs!.sealed}, data_key_id = ${
        theirs!.data_key_id
      }, set_at = now()
        where workspace_id = ${w.id}`;
    }),
  "the value of another name": async () => {
    const file = ledgerFile({ slug: "other", auth: { secret: "CONNECTOR_OTHER" } });
    assertEquals((await w.define(file)).status, 200);
    assertEquals(
      (await w.paste("other", { name: "CONNECTOR_OTHER", value: "canary-of-another-name" })).status,
      204,
    );
    await sql`update framed.v2_connector_secrets set sealed =
      (select sealed from framed.v2_connector_secrets where workspace_id = ${w.id} and name = 'CONNECTOR_OTHER')
      where workspace_id = ${w.id} and name = 'CONNECTOR_LEDGER'`;
  },
  "a data key that says another master key sealed it": () =>
    sql`update framed.workspace_data_keys set kid = 'k2' where workspace_id = ${w.id}`,
};

databaseTest("a call opens what is where it belongs, so that opening nothing means something", async () => {
  await begin();
  assertEquals((await call()).status, 200);
  assertEquals(upstream.requests.at(-1)!.headers.get("authorization"), `Bearer ${MINE}`);
});

for (const [name, move] of Object.entries(MOVES)) {
  databaseTest(`a call does not open ${name}: nothing is sent, and nothing of it is told`, async () => {
    await begin();
    const sent = upstream.requests.length;
    await move();
    const { value: { status, body, text }, lines } = await withErrorOutput(call);
    assertEquals([status, body.reason, upstream.requests.length], [500, "internal", sent]);
    assertMatch(JSON.parse(lines[0]!).cause, /^SealBroken (?:not_authentic|unknown_key)$/);
    assert(![text, ...lines, JSON.stringify(await w.log())].join().includes("canary"));
  });
}

databaseTest(
  "a call does not open a credential that was made a setting: it would come back in the answer",
  async () => {
    await begin();
    const sent = upstream.requests.length;
    const [constraint] = await sql`select pg_get_constraintdef(oid) as definition from pg_constraint
    where conname = 'v2_connector_secret_uses_one_binding'`;
    await sql`alter table framed.v2_connector_secret_uses drop constraint v2_connector_secret_uses_one_binding`;
    try {
      await sql`update framed.v2_connector_secret_uses set credential_key = 'clientId' where workspace_id = ${w.id}`;
      const { status, body, text } = await call();
      assertEquals([status, body.reason, upstream.requests.length], [409, "secret_missing", sent]);
      assert(!text.includes("canary"));
    } finally {
      await begin();
      await sql.unsafe(`alter table framed.v2_connector_secret_uses
      add constraint v2_connector_secret_uses_one_binding ${constraint!.definition}`);
    }
  },
);

databaseTest("a value cannot name another workspace's data key at all", async () => {
  await begin();
  const code = await sql`update framed.v2_connector_secrets set data_key_id =
      (select id from framed.workspace_data_keys where workspace_id = ${w.siblingId}) where workspace_id = ${w.id}`
    .then(() => null, (error) => error.code);
  assertEquals(code, FOREIGN_KEY_VIOLATION);
});
