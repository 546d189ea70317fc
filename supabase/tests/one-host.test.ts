/** A secret's name belongs to one host on a workspace and is a credential or a setting: the database itself holds it, whoever writes and at whatever moment. */

import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";
import { type CredentialKey, isCredential } from "../functions/_shared/definition/credentials.ts";
import { addTwoAccounts, TEST_SECRET } from "../../scripts/testing/two-accounts.ts";

const { sql, url } = await openTestDatabase();
const { here, stranger } = await addTwoAccounts(sql);

const FOREIGN_KEY_VIOLATION = "23503";

/** A second tool on the workspace, without a secret so far. */
async function addTool(slug: string): Promise<string> {
  const [tool] = await sql<{ id: string }[]>`
    insert into framed.v2_connectors (workspace_id, slug, name, description, kind, access, file, digest)
    values (${here.id}, ${slug}, 'Tool', 'A tool.', 'request', 'read', '{}', sha256('tool')) returning id`;
  return tool!.id;
}

/** Binds the name to the host where nobody has, and uses it: what defining a tool writes. */
async function claim(
  db: postgres.ISql,
  { connectorId, workspaceId = here.id, name, host, key = "secret" }: {
    connectorId: string;
    workspaceId?: string;
    name: string;
    host: string;
    key?: CredentialKey;
  },
): Promise<void> {
  await db`
    insert into framed.v2_connector_secrets (workspace_id, name, host, is_credential)
    values (${workspaceId}, ${name}, ${host}, ${isCredential(key)})
    on conflict on constraint v2_connector_secrets_pkey do nothing`;
  await db`
    insert into framed.v2_connector_secret_uses (connector_id, workspace_id, credential_key, name, host)
    values (${connectorId}, ${workspaceId}, ${key}, ${name}, ${host})`;
}

/** `done`, or the SQLSTATE it failed with. */
async function outcomeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Resolves when a connection waits for a lock: then two are known to stand in each other's way. */
async function untilOneWaits(): Promise<void> {
  for (;;) {
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (waiting.count > 0) return;
  }
}

/** Two connections of their own, while `sql` looks on. */
async function withTwo(use: (one: postgres.Sql, two: postgres.Sql) => Promise<void>): Promise<void> {
  const connections = [1, 2].map(() => postgres(url, { max: 1, fetch_types: false }));
  try {
    await use(connections[0]!, connections[1]!);
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

databaseTest("a name is not used for a host that it does not belong to", async () => {
  const connectorId = await addTool("other_host");
  assertEquals(
    await outcomeOf(claim(sql, { connectorId, name: TEST_SECRET, host: "evil.example" })),
    FOREIGN_KEY_VIOLATION,
  );
  assertEquals(
    await outcomeOf(claim(sql, { connectorId, name: TEST_SECRET, host: "ledger.example" })),
    "done",
  );
});

databaseTest("a name that is a credential is not used as a setting, nor the other way round", async () => {
  const connectorId = await addTool("other_role");
  const setting = { connectorId, name: TEST_SECRET, host: "ledger.example", key: "clientId" } as const;
  assertEquals(await outcomeOf(claim(sql, setting)), FOREIGN_KEY_VIOLATION);
  const turned = sql`
    update framed.v2_connector_secrets set is_credential = false where workspace_id = ${here.id} and name = ${TEST_SECRET}`;
  assertEquals(await outcomeOf(turned), FOREIGN_KEY_VIOLATION);
  const free = { ...setting, name: "CONNECTOR_CLIENT" };
  assertEquals(await outcomeOf(claim(sql, free)), "done");
  const credential = claim(sql, { ...free, connectorId: await addTool("third_role"), key: "accessToken" });
  assertEquals(await outcomeOf(credential), FOREIGN_KEY_VIOLATION);
});

databaseTest("a name that a tool uses is not moved to another host", async () => {
  const moved = sql`
    update framed.v2_connector_secrets set host = 'evil.example' where workspace_id = ${here.id} and name = ${TEST_SECRET}`;
  assertEquals(await outcomeOf(moved), FOREIGN_KEY_VIOLATION);
});

databaseTest("a name that a tool uses is not forgotten", async () => {
  const forgotten = sql`
    delete from framed.v2_connector_secrets where workspace_id = ${here.id} and name = ${TEST_SECRET}`;
  assertEquals(await outcomeOf(forgotten), FOREIGN_KEY_VIOLATION);
});

databaseTest("a tool of one workspace does not use a name of another", async () => {
  const connectorId = await addTool("borrower");
  const borrowed = claim(sql, {
    connectorId,
    workspaceId: stranger.id,
    name: TEST_SECRET,
    host: "ledger.example",
  });
  assertEquals(await outcomeOf(borrowed), FOREIGN_KEY_VIOLATION);
});

databaseTest("a name claimed for two hosts at once goes to the first", async () => {
  const [first, second] = [await addTool("first_claims"), await addTool("second_claims")];
  const name = "CONNECTOR_RACED";
  await withTwo(async (one, two) => {
    let late: Promise<string> | undefined;
    await one.begin(async (tx) => {
      await claim(tx, { connectorId: first, name, host: "one.example" });
      late = outcomeOf(
        two.begin((other) => claim(other, { connectorId: second, name, host: "two.example" })),
      );
      await untilOneWaits();
    });
    assertEquals(await late, FOREIGN_KEY_VIOLATION);
  });
  const uses = await sql<{ connector_id: string; host: string }[]>`
    select connector_id, host from framed.v2_connector_secret_uses where name = ${name}`;
  assertEquals([...uses].map((use) => ({ ...use })), [{ connector_id: first, host: "one.example" }]);
});

databaseTest("a name is not forgotten while another connection takes it up", async () => {
  const connectorId = await addTool("takes_up");
  const name = "CONNECTOR_FREED";
  await sql`
    insert into framed.v2_connector_secrets (workspace_id, name, host, is_credential)
    values (${here.id}, ${name}, 'one.example', true)`;
  await withTwo(async (one, two) => {
    let late: Promise<string> | undefined;
    await one.begin(async (tx) => {
      await claim(tx, { connectorId, name, host: "one.example" });
      late = outcomeOf(two`delete from framed.v2_connector_secrets where name = ${name}`);
      await untilOneWaits();
    });
    assertEquals(await late, FOREIGN_KEY_VIOLATION);
  });
});
