import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import { NO_LIMITS } from "../../../../scripts/testing/limits.ts";
import {
  addTwoAccounts,
  presentedKey,
  TEST_FORESEEN,
  TEST_SECRET,
  TEST_SLUG,
  type TestWorkspace,
} from "../../../../scripts/testing/two-accounts.ts";
import { inTransactionOf } from "../auth/store.ts";
import { openCall } from "../calls/store.ts";
import type { Transaction } from "../db/transaction.ts";
import { SealBroken } from "./envelope.ts";
import { generateKeyRing, type KeyRing, readKeyRing } from "./key-ring.ts";
import { putValue } from "./store.ts";
import { openSecrets, type SealedSecret, sealForWorkspace } from "./vault.ts";

const { sql, url } = await openTestDatabase();
const { here, sibling } = await addTwoAccounts(sql);
const RING = generateKeyRing("k1");
const keyRing = await ringOf(RING);

async function ringOf(text: string): Promise<KeyRing> {
  const read = await readKeyRing(text);
  assert(read.ok && read.value !== null);
  return read.value;
}

/** Runs `work` in a transaction of the workspace's administrator. */
async function inWorkspace<T>(
  { id, admin }: TestWorkspace,
  { db = sql, work }: { db?: postgres.Sql; work: (tx: Transaction) => Promise<T> },
): Promise<T> {
  const result = await inTransactionOf<T>(db, {
    presented: { user_id: admin.id },
    workspaceId: id,
    work: async (tx) => ({ ok: true, value: await work(tx) }),
  });
  assert(result.ok);
  return result.value;
}

/** Pastes `value` on the workspace's tool. */
function paste(workspace: TestWorkspace, value: string): Promise<void> {
  return inWorkspace(workspace, {
    async work(tx) {
      const sealed = await sealForWorkspace(tx, {
        keyRing,
        workspaceId: workspace.id,
        name: TEST_SECRET,
        value,
      });
      await putValue(tx, {
        workspaceId: workspace.id,
        connectorId: workspace.connectorId,
        name: TEST_SECRET,
        ...sealed,
        userId: workspace.admin.id,
      });
    },
  });
}

/** What a call of the workspace's tool gets to open. */
async function sealedOf(workspace: TestWorkspace): Promise<readonly SealedSecret[]> {
  const { sealed } = await openCall(sql, {
    presented: presentedKey(workspace.rawKey),
    workspaceId: workspace.id,
    slug: TEST_SLUG,
    foreseen: TEST_FORESEEN,
    limits: NO_LIMITS,
  });
  assertEquals(sealed?.length, 1);
  return sealed!;
}

async function forgetKeys(): Promise<void> {
  await sql`update framed.v2_connector_secrets set sealed = null, data_key_id = null, set_by = null, set_at = null`;
  await sql`delete from framed.v2_webhooks`;
  await sql`delete from framed.workspace_data_keys`;
}

databaseTest("sealForWorkspace() and openSecrets() bring a value back, through the database", async () => {
  await forgetKeys();
  for (const value of ["canary-secret-1", "line\nbreak", "é😀 and more", "x".repeat(16 * 1024)]) {
    await paste(here, value);
    const opened = await openSecrets(await sealedOf(here), { keyRing, workspaceId: here.id });
    assertEquals([...opened], [[TEST_SECRET, value]]);
  }
});

databaseTest("sealForWorkspace() stores nothing that holds the value, and no value twice alike", async () => {
  await paste(here, "canary-secret-2");
  const [first] = await sealedOf(here);
  await paste(here, "canary-secret-2");
  const [second] = await sealedOf(here);
  assertNotEquals(first!.sealed, second!.sealed);
  assertEquals(first!.data_key_id, second!.data_key_id, "the workspace keeps its data key");
  const hex = Array.from(new TextEncoder().encode("canary-secret"), (byte) => byte.toString(16)).join("");
  assert(!JSON.stringify([first, second]).includes(hex));
});

databaseTest(
  "sealForWorkspace() gives each workspace a data key of its own, and one only, from two connections at once",
  async () => {
    await forgetKeys();
    const other = postgres(url, { max: 1, fetch_types: false });
    try {
      const seal = (db: postgres.Sql) =>
        inWorkspace(here, {
          db,
          work: (tx) =>
            sealForWorkspace(tx, {
              keyRing,
              workspaceId: here.id,
              name: TEST_SECRET,
              value: "canary-secret",
            }),
        });
      const [one, two] = await Promise.all([seal(sql), seal(other)]);
      assertEquals(one.dataKeyId, two.dataKeyId);
    } finally {
      await other.end();
    }
    await paste(sibling, "canary-secret");
    const keys = await sql<{ workspace_id: string }[]>`select workspace_id from framed.workspace_data_keys`;
    assertEquals(keys.map((key) => key.workspace_id).sort(), [here.id, sibling.id].sort());
  },
);

databaseTest(
  "openSecrets() opens nothing that was moved, changed or sealed by a key that is gone",
  async (t) => {
    await paste(here, "canary-secret-here");
    await paste(sibling, "canary-secret-sibling");
    const [mine] = await sealedOf(here);
    const [theirs] = await sealedOf(sibling);
    const flipped = `${mine!.sealed.slice(0, -2)}${mine!.sealed.endsWith("00") ? "01" : "00"}`;
    const cases: Record<string, SealedSecret> = {
      "another workspace's row": theirs!,
      "another workspace's value under our key": { ...mine!, sealed: theirs!.sealed },
      "a value under another name": { ...mine!, name: "CONNECTOR_OTHER" },
      "a value under another data key's id": { ...mine!, data_key_id: theirs!.data_key_id },
      "another workspace's data key": {
        ...mine!,
        wrapped: theirs!.wrapped,
        data_key_id: theirs!.data_key_id,
      },
      "a bit that changed": { ...mine!, sealed: flipped },
      "a value cut short": { ...mine!, sealed: mine!.sealed.slice(0, 20) },
      "no value": { ...mine!, sealed: "" },
      "a master key that is not in the ring": { ...mine!, kid: "k0" },
    };
    for (const [name, secret] of Object.entries(cases)) {
      await t.step(name, async () => {
        const error = await assertRejects(
          () => openSecrets([secret], { keyRing, workspaceId: here.id }),
          SealBroken,
        );
        assert(!error.message.includes("canary"));
      });
    }
    await t.step("another master key by the same name", async () => {
      const other = await ringOf(generateKeyRing("k1"));
      await assertRejects(() => openSecrets([mine!], { keyRing: other, workspaceId: here.id }), SealBroken);
    });
  },
);

databaseTest(
  "openSecrets() opens what an older master key sealed, once a newer one stands before it",
  async () => {
    await paste(here, "canary-secret-old");
    const rotated = await ringOf(`${generateKeyRing("k2")},${RING}`);
    const opened = await openSecrets(await sealedOf(here), { keyRing: rotated, workspaceId: here.id });
    assertEquals([...opened.values()], ["canary-secret-old"]);
  },
);

databaseTest("openSecrets() opens none as none", async () => {
  assertEquals((await openSecrets([], { keyRing, workspaceId: here.id })).size, 0);
});
