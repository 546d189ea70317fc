import { assert, assertEquals } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import { openFile } from "../../../../scripts/testing/files.ts";
import { NO_LIMITS } from "../../../../scripts/testing/limits.ts";
import { addTwoAccounts, presentedKey, TEST_SLUG } from "../../../../scripts/testing/two-accounts.ts";
import { createKey } from "../auth/keys.ts";
import { createDefinitions } from "../calls/definitions.ts";
import { openDatabase } from "../db/client.ts";
import type { Limits } from "../limits/limits.ts";
import { admitCall } from "./admit-call.ts";

const database = await openTestDatabase();
const accounts = await addTwoAccounts(database.sql);
const { here } = accounts;
await database.sql`update framed.v2_connectors set file = ${
  JSON.stringify(openFile({ slug: TEST_SLUG }))
}::text::json where id = ${here.connectorId}`;
const db = openDatabase(database.url);
const definitions = createDefinitions();

/** How the call of who holds the key ends, and whether the definition was looked at before the store said who that is. */
async function admit(key: string, limits: Limits = NO_LIMITS) {
  let decidedFirst = false;
  const ended = await admitCall({
    db,
    limits,
    definitions: {
      ...definitions,
      find(reaching) {
        const found = definitions.find(reaching);
        decidedFirst = found !== null;
        return found;
      },
    },
  }, {
    presented: presentedKey(key),
    workspaceId: here.id,
    slug: TEST_SLUG,
    request: { ok: true, value: { call: { args: {} }, persist: false, kept: false } },
    occasion: { requestId: "req_test", elapsedMs: () => 0 },
  });
  return [ended === null ? "nobody" : ended.ok ? "admitted" : ended.refusal.reason, decidedFirst];
}

databaseTest(
  "admitCall() looks at a definition before the store only for who reached that tool",
  async () => {
    assertEquals(await admit(here.rawKey), ["admitted", false]);
    assertEquals(await admit(here.rawKey), ["admitted", true]);
    for (
      const [key, ends] of [
        [createKey(), "nobody"],
        [accounts.resellerKey, "not_found"],
        [accounts.strangersResellerKey, "not_found"],
        [accounts.sibling.rawKey, "not_found"],
      ] as const
    ) {
      assertEquals(await admit(key), [ends, false]);
      assertEquals(await admit(key), [ends, false], "and not the second time");
    }
  },
);

databaseTest("admitCall() no longer does so for who has lost their reach", async () => {
  await admit(here.rawKey);
  assert((await admit(here.rawKey))[1]);
  await database.sql`update framed.members set role = 'member' where user_id = ${here.admin.id}`;
  assertEquals(await admit(here.rawKey), ["nobody", true]);
  assertEquals(await admit(here.rawKey), ["nobody", false]);
  await database.sql`update framed.members set role = 'admin' where user_id = ${here.admin.id}`;
  assertEquals(await admit(here.rawKey), ["admitted", false]);
});

for (const limitedBy of ["principal", "workspace"] as const) {
  databaseTest(
    `admitCall() leaves who is over the limit of the ${limitedBy} to the store, until they are let in`,
    async () => {
      const limits = { ...NO_LIMITS, [limitedBy]: { callsPerMinute: 1, burst: 1 } };
      await admit(here.rawKey);
      await database.sql`delete from framed.call_rates`;
      assertEquals(await admit(here.rawKey, limits), ["admitted", true]);
      assertEquals(await admit(here.rawKey, limits), ["rate_limited", true]);
      assertEquals(await admit(here.rawKey, limits), ["rate_limited", false]);
      assertEquals(await admit(here.rawKey, limits), ["rate_limited", false]);
      await database.sql`delete from framed.call_rates`;
      assertEquals(await admit(here.rawKey, limits), ["admitted", false]);
      await database.sql`delete from framed.call_rates`;
      assertEquals(await admit(here.rawKey, limits), ["admitted", true]);
    },
  );
}

globalThis.addEventListener("unload", () => {
  db.end();
  database.drop();
});
