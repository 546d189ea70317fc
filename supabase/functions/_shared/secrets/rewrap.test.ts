import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import { addTwoAccounts } from "../../../../scripts/testing/two-accounts.ts";
import { createDataKey, openValue, SealBroken, sealValue, unwrapDataKey } from "./envelope.ts";
import { generateKeyRing, type KeyRing, readKeyRing } from "./key-ring.ts";
import { rewrapDataKeys } from "./rewrap.ts";

const { sql, url } = await openTestDatabase();
const { here } = await addTwoAccounts(sql);
const [K1, K2, K3] = ["k1", "k2", "k3"].map(generateKeyRing) as [string, string, string];

async function ringOf(...entries: string[]): Promise<KeyRing> {
  const read = await readKeyRing(entries.join(","));
  assert(read.ok && read.value !== null);
  return read.value;
}

const [one, two, both, all] = [
  await ringOf(K1),
  await ringOf(K2),
  await ringOf(K2, K1),
  await ringOf(K3, K2, K1),
];

interface Sealed {
  readonly workspaceId: string;
  readonly dataKeyId: string;
  readonly value: Uint8Array;
}

/** A workspace with a data key that `ring` wrapped and a value under it. */
async function addSealed(ring: KeyRing): Promise<Sealed> {
  const [row] = await sql<{ id: string }[]>`
    insert into framed.workspaces (account_id, name) values (${here.accountId}, 'Sealed') returning id`;
  const workspaceId = row!.id;
  const dataKeyId = crypto.randomUUID();
  const { key, wrapped } = await createDataKey(ring, workspaceId);
  await sql`insert into framed.workspace_data_keys (id, workspace_id, kid, wrapped)
    values (${dataKeyId}, ${workspaceId}, ${wrapped.kid}, ${wrapped.sealed as Uint8Array<ArrayBuffer>})`;
  const place = { workspaceId, name: "CONNECTOR_LEDGER", dataKeyId };
  return { workspaceId, dataKeyId, value: await sealValue(`canary of ${workspaceId}`, { key, place }) };
}

/** What the value is, opened as a call does, with nothing but `ring`. */
async function open({ workspaceId, dataKeyId, value }: Sealed, ring: KeyRing): Promise<string> {
  const [row] = await sql<{ kid: string; wrapped: Uint8Array }[]>`
    select kid, wrapped from framed.workspace_data_keys where id = ${dataKeyId}`;
  const key = await unwrapDataKey({ kid: row!.kid, sealed: row!.wrapped }, { ring, workspaceId });
  return await openValue(value, { key, place: { workspaceId, name: "CONNECTOR_LEDGER", dataKeyId } });
}

async function begin(count: number, ring = one): Promise<Sealed[]> {
  await sql`delete from framed.workspaces where name = 'Sealed'`;
  await sql`update framed.v2_connector_secrets set sealed = null, data_key_id = null, set_by = null, set_at = null`;
  await sql`delete from framed.v2_webhooks`;
  await sql`delete from framed.workspace_data_keys`;
  return await Promise.all(Array.from({ length: count }, () => addSealed(ring)));
}

databaseTest(
  "rewrapDataKeys() moves every data key, in batches, so that the old master key can be dropped",
  async () => {
    const sealed = await begin(7);
    for (const each of sealed) await assertRejects(() => open(each, two), SealBroken);
    const ran = await rewrapDataKeys(sql, { ring: both, workspaceId: null, batch: 3 });
    assertEquals(ran, { ok: true, value: { moved: 7, broken: [], left: [{ kid: "k2", count: 7 }] } });
    for (const each of sealed) {
      assertEquals(await open(each, two), `canary of ${each.workspaceId}`);
      await assertRejects(() => open(each, one), SealBroken);
    }
  },
);

databaseTest(
  "rewrapDataKeys() run again moves nothing, and picks up where another was broken off",
  async () => {
    const sealed = await begin(3);
    await addSealed(two);
    await rewrapDataKeys(sql, { ring: both, workspaceId: sealed[1]!.workspaceId });
    const rows = () => sql`select id, kid, wrapped from framed.workspace_data_keys order by id`;
    const ran = await rewrapDataKeys(sql, { ring: both, workspaceId: null });
    assert(ran.ok);
    assertEquals(ran.value.moved, 2);
    const before = [...await rows()];
    const again = await rewrapDataKeys(sql, { ring: both, workspaceId: null });
    assertEquals(again, { ok: true, value: { moved: 0, broken: [], left: [{ kid: "k2", count: 4 }] } });
    assertEquals([...await rows()], before);
  },
);

databaseTest("rewrapDataKeys() of one workspace leaves the others as they are", async () => {
  const [mine, theirs] = await begin(2);
  const ran = await rewrapDataKeys(sql, { ring: both, workspaceId: mine!.workspaceId });
  assertEquals(ran, { ok: true, value: { moved: 1, broken: [], left: [{ kid: "k2", count: 1 }] } });
  assertEquals(await open(theirs!, one), `canary of ${theirs!.workspaceId}`);
});

databaseTest(
  "rewrapDataKeys() refuses, naming each key in use that the ring lacks, and moves nothing",
  async () => {
    await begin(2);
    await addSealed(all);
    const ran = await rewrapDataKeys(sql, { ring: two, workspaceId: null });
    assertEquals(ran, { ok: false, refusal: ["k1", "k3"] });
    const kids = await sql<{ kid: string }[]>`select kid from framed.workspace_data_keys order by kid`;
    assertEquals(kids.map(({ kid }) => kid), ["k1", "k1", "k3"]);
  },
);

databaseTest(
  "rewrapDataKeys() names a workspace whose data key does not open, and moves the others",
  async () => {
    const [mine, theirs, third] = await begin(3);
    const wrapped = sql`(select wrapped from framed.workspace_data_keys where id = ${theirs!.dataKeyId})`;
    await sql`update framed.workspace_data_keys set wrapped = ${wrapped} where id = ${mine!.dataKeyId}`;
    const ran = await rewrapDataKeys(sql, { ring: both, workspaceId: null });
    assert(ran.ok);
    assertEquals([ran.value.moved, ran.value.broken], [2, [mine!.workspaceId]]);
    assertEquals(ran.value.left, [{ kid: "k1", count: 1 }, { kid: "k2", count: 2 }]);
    assertEquals(await open(third!, two), `canary of ${third!.workspaceId}`);
  },
);

databaseTest("rewrapDataKeys() by two at once moves each data key once", async () => {
  const sealed = await begin(12);
  const other = postgres(url, { max: 1, fetch_types: false });
  try {
    const runs = await Promise.all(
      [sql, other].map((db) => rewrapDataKeys(db, { ring: both, workspaceId: null, batch: 2 })),
    );
    assertEquals(runs.reduce((sum, ran) => sum + (ran.ok ? ran.value.moved : NaN), 0), 12);
  } finally {
    await other.end();
  }
  for (const each of sealed) assertEquals(await open(each, two), `canary of ${each.workspaceId}`);
});

databaseTest("rewrapDataKeys() brings a value through two rotations", async () => {
  const [mine] = await begin(1);
  await rewrapDataKeys(sql, { ring: both, workspaceId: null });
  await rewrapDataKeys(sql, { ring: all, workspaceId: null });
  assertEquals(await open(mine!, await ringOf(K3)), `canary of ${mine!.workspaceId}`);
});
