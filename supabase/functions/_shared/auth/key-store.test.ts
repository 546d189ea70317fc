import { assert, assertEquals, assertExists } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import { DENIED, trySpeakingFor } from "../../../../scripts/testing/speaking-for.ts";
import { addMember, addTwoAccounts } from "../../../../scripts/testing/two-accounts.ts";
import { createKey, hashKey } from "./keys.ts";
import {
  insertRawKey,
  insertResellerKey,
  type KeyPlace,
  listKeys,
  listReach,
  revokeKey,
} from "./key-store.ts";
import { inTransactionOf } from "./store.ts";

const { sql } = await openTestDatabase();
const { here, sibling, stranger } = await addTwoAccounts(sql);

function newKey(name = "Test key") {
  const key = createKey();
  return { key, row: { name, hash: hashKey(key), expiresAt: null, createdBy: here.admin.id } };
}

/** Runs `work` as framed_app, speaking for `here`. */
async function inHere<T>(work: Parameters<typeof inTransactionOf<T>>[1]["work"]): Promise<T> {
  const result = await inTransactionOf<T>(sql, {
    presented: { user_id: here.admin.id },
    workspaceId: here.id,
    work,
  });
  assert(result.ok);
  return result.value;
}

function insertHere(options: Parameters<typeof insertRawKey>[1]) {
  return inHere(async (tx) => ({ ok: true, value: await insertRawKey(tx, options) }));
}

databaseTest("insertRawKey() stores a key that opens the workspace as its person", async () => {
  const { key, row } = newKey();
  const stored = await insertHere({ workspaceId: here.id, userId: here.admin.id, key: row });
  assertExists(stored);
  assertEquals(
    { kind: stored.kind, account: stored.account_id, workspace: stored.workspace_id, name: stored.user_name },
    { kind: "raw", account: here.accountId, workspace: here.id, name: here.admin.name },
  );
  const hash = hashKey(key);
  assert(!JSON.stringify(stored).includes(hash));
  const [opened] = await sql`select framed.present_principal(${
    JSON.stringify({ key_hash: hash })
  }::text::jsonb, ${here.id}) as who`;
  assertEquals(opened!.who.user_id, here.admin.id);
});

databaseTest("insertRawKey() stores nothing for who is no administrator there", async (t) => {
  for (
    const [name, options] of [
      ["a member", { workspaceId: here.id, userId: here.member.id }],
      ["an administrator of another workspace", { workspaceId: here.id, userId: sibling.admin.id }],
      ["a workspace that is out of reach", { workspaceId: stranger.id, userId: stranger.admin.id }],
      ["a workspace that does not exist", { workspaceId: crypto.randomUUID(), userId: here.admin.id }],
    ] as const
  ) {
    await t.step(name, async () => {
      const before = (await sql`select from framed.api_keys`).count;
      assertEquals(await insertHere({ ...options, key: (newKey()).row }), null);
      assertEquals((await sql`select from framed.api_keys`).count, before);
    });
  }
});

databaseTest(
  "insertResellerKey() is for the owner of the database, and for an account that exists",
  async () => {
    const { row } = newKey();
    const asApp = await trySpeakingFor(sql, {
      workspaceId: here.id,
      work: (tx) => insertResellerKey(tx, { accountId: here.accountId, key: row }),
    });
    assertEquals(asApp, DENIED);
    assertEquals(await insertResellerKey(sql, { accountId: crypto.randomUUID(), key: row }), null);
    const stored = await insertResellerKey(sql, { accountId: here.accountId, key: row });
    assertExists(stored);
    assertEquals([stored.kind, stored.workspace_id, stored.user_id], ["reseller", null, null]);
    assertEquals(await listReach(sql, stored), [here.id, sibling.id].sort());
  },
);

databaseTest("listKeys() pages through a workspace's keys, newest first, and shows no other's", async () => {
  for (let count = 0; count < 5; count++) {
    await insertHere({
      workspaceId: here.id,
      userId: here.admin.id,
      key: (newKey(`Key ${count}`)).row,
    });
  }
  const all = await inHere(async (tx) => ({
    ok: true,
    value: await listKeys(tx, { of: { workspaceId: here.id }, limit: 100 }),
  }));
  assert(all.length > 5 && all.every((key) => key.workspace_id === here.id));
  assertEquals(all.slice(0, 5).map(({ name }) => name), ["Key 4", "Key 3", "Key 2", "Key 1", "Key 0"]);

  const paged: string[] = [];
  let after: KeyPlace | null = null;
  do {
    const page: typeof all = await listKeys(sql, { of: { workspaceId: here.id }, limit: 2, after });
    paged.push(...page.map(({ id }) => id));
    after = page.at(-1) ?? null;
  } while (after !== null);
  assertEquals(paged, all.map(({ id }) => id));

  const strangers = await inHere(async (tx) => ({
    ok: true,
    value: await listKeys(tx, { of: { workspaceId: stranger.id }, limit: 100 }),
  }));
  assertEquals(strangers, []);
});

databaseTest("listKeys() of an account holds its reseller keys and those of all its workspaces", async () => {
  await insertResellerKey(sql, { accountId: here.accountId, key: (newKey()).row });
  const found = await listKeys(sql, { of: { accountId: here.accountId }, limit: 100 });
  assertEquals(new Set(found.map((key) => key.workspace_id)), new Set([null, here.id, sibling.id]));
});

databaseTest("revokeKey() ends a key once, and only one in reach", async () => {
  const { key, row } = newKey();
  const stored = await insertHere({ workspaceId: here.id, userId: here.admin.id, key: row });
  const revoke = (id: string) => inHere(async (tx) => ({ ok: true, value: await revokeKey(tx, { id }) }));
  const revoked = await revoke(stored!.id);
  assertExists(revoked?.revoked_at);
  const who = await sql`select framed.present_principal(${
    JSON.stringify({ key_hash: hashKey(key) })
  }::text::jsonb, ${here.id}) as who`;
  assertEquals(who[0]!.who, null);

  assertEquals(await revoke(stored!.id), null, "the first time stands");
  const [strangersKey] = await listKeys(sql, { of: { workspaceId: stranger.id }, limit: 1 });
  assertEquals(await revoke(strangersKey!.id), null);
  const [still] = await listKeys(sql, { of: { workspaceId: stranger.id }, limit: 1 });
  assertEquals(still!.revoked_at, null);
});

databaseTest("insertRawKey() keeps who was demoted from issuing one more", async () => {
  const demoted = await addMember(sql, { workspaceId: here.id, role: "admin", grants: [], name: "Demoted" });
  await sql`update framed.members set role = 'member' where user_id = ${demoted.id}`;
  assertEquals(
    await insertHere({ workspaceId: here.id, userId: demoted.id, key: (newKey()).row }),
    null,
  );
});
