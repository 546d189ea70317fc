/** Tries what framed_app may not do even for the workspace it speaks for. */

import { assertEquals } from "@std/assert";
import type postgres from "postgres";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";
import { DENIED, trySpeakingFor } from "../../scripts/testing/speaking-for.ts";
import { addTwoAccounts } from "../../scripts/testing/two-accounts.ts";

const { sql } = await openTestDatabase();
const { here, stranger } = await addTwoAccounts(sql);

const FOREIGN_KEY_VIOLATION = "23503";
const CHECK_VIOLATION = "23514";

interface Attempt {
  readonly name: string;
  readonly work: (tx: postgres.TransactionSql) => PromiseLike<unknown>;
}

function tryHere(work: Attempt["work"]) {
  return trySpeakingFor(sql, { workspaceId: here.id, work });
}

const copyTool = (tx: postgres.TransactionSql, column: string) =>
  tx`
  insert into framed.v2_connectors (workspace_id, slug, name, description, kind, access, file, digest, ${
    tx(column)
  })
  select workspace_id, 'another', name, description, kind, access, file, digest, ${
    tx(column)
  } from framed.v2_connectors`;

const DENIALS: readonly Attempt[] = [
  {
    name: "change where a tool came from",
    work: (tx) => tx`update framed.v2_connectors set origin = 'seeded'`,
  },
  {
    name: "share a tool across the account",
    work: (tx) => tx`update framed.v2_connectors set shared_across_account = true`,
  },
  {
    name: "give a tool internal grants",
    work: (tx) => tx`update framed.v2_connectors set capabilities = array['read:insights']`,
  },
  { name: "rename a tool's slug", work: (tx) => tx`update framed.v2_connectors set slug = 'another'` },
  { name: "add a tool that came from elsewhere", work: (tx) => copyTool(tx, "origin") },
  { name: "add a tool that is shared", work: (tx) => copyTool(tx, "shared_across_account") },
  { name: "add a tool with internal grants", work: (tx) => copyTool(tx, "capabilities") },
  { name: "change a log row", work: (tx) => tx`update framed.log_events set outcome = 'ok'` },
  { name: "remove a log row", work: (tx) => tx`delete from framed.log_events` },
  {
    name: "append a log row of another time",
    work: (tx) =>
      tx`insert into framed.log_events (workspace_id, at, event, request_id, principal, outcome, total_ms)
         values (${here.id}, '2020-01-01', 'tool.called', 'req_test', '{}', 'ok', 0)`,
  },
  {
    name: "append a log row at a place of one's choice",
    work: (tx) =>
      tx`insert into framed.log_events (workspace_id, id, event, request_id, principal, outcome, total_ms)
         overriding system value values (${here.id}, 1, 'tool.called', 'req_test', '{}', 'ok', 0)`,
  },
  { name: "move the start of the log's chain", work: (tx) => tx`update framed.log_chains set start_id = 1` },
  { name: "change a seal", work: (tx) => tx`update framed.log_seals set hash = sha256('mine')` },
  {
    name: "seal a row",
    work: (tx) =>
      tx`insert into framed.log_links (workspace_id, event_id, seal, previous_hash, hash)
         values (${here.id}, 9, 1, sha256('a'), sha256('b'))`,
  },
  {
    name: "change an earlier version",
    work: (tx) => tx`update framed.v2_connector_versions set file = '{}'`,
  },
  { name: "remove an earlier version", work: (tx) => tx`delete from framed.v2_connector_versions` },
  { name: "change what a key may do", work: (tx) => tx`update framed.api_keys set kind = 'reseller'` },
  { name: "lengthen a key's life", work: (tx) => tx`update framed.api_keys set expires_at = null` },
  { name: "remove a key from the books", work: (tx) => tx`delete from framed.api_keys` },
  {
    name: "move a workspace to another account",
    work: (tx) => tx`update framed.workspaces set account_id = id`,
  },
  { name: "remove a data key", work: (tx) => tx`delete from framed.workspace_data_keys` },
  {
    name: "issue a reseller key",
    work: (tx) =>
      tx`insert into framed.api_keys (kind, account_id, name, key_hash)
         values ('reseller', ${here.accountId}, 'mine', sha256('mine'))`,
  },
  {
    name: "look past row security",
    work: async (tx) => {
      await tx`set local row_security = off`;
      return await tx`select from framed.v2_connectors`;
    },
  },
  {
    name: "turn row security off",
    work: (tx) => tx`alter table framed.v2_connectors disable row level security`,
  },
  {
    name: "make a policy of its own",
    work: (tx) => tx`create policy mine on framed.v2_connectors using (true)`,
  },
  {
    name: "make a function",
    work: (tx) => tx`create function framed.mine() returns int language sql as 'select 1'`,
  },
  { name: "make a table", work: (tx) => tx`create table framed.mine (id int)` },
];

for (const { name, work } of DENIALS) {
  databaseTest(`framed_app cannot ${name}`, async () => {
    assertEquals(await tryHere(work), DENIED);
  });
}

databaseTest("framed_app issues a raw key for its own workspace, person and account only", async () => {
  const raw = { accountId: here.accountId, workspaceId: here.id, userId: here.admin.id as string | null };
  const issue = ({ accountId, workspaceId, userId }: typeof raw) =>
    tryHere(async (tx) =>
      (await tx`
      insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash)
      values ('raw', ${accountId}, ${workspaceId}, ${userId}, 'mine', sha256('mine'))`).count
    );
  assertEquals(await issue(raw), 1);
  assertEquals(await issue({ ...raw, accountId: stranger.accountId }), FOREIGN_KEY_VIOLATION);
  assertEquals(await issue({ ...raw, userId: null }), CHECK_VIOLATION);
  assertEquals(await issue({ ...raw, workspaceId: stranger.id, accountId: stranger.accountId }), DENIED);
});
