/** The buckets themselves: what is taken by many at once is never more than there is, and what nobody needs is forgotten. */

import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";
import { addTwoAccounts, presentedKey } from "../../scripts/testing/two-accounts.ts";
import { createKey } from "../functions/_shared/auth/keys.ts";
import type { Limits } from "../functions/_shared/limits/limits.ts";
import { admitRequest, forgetDrained } from "../functions/_shared/limits/store.ts";

const { sql, url } = await openTestDatabase();
const { here, sibling, resellerKey } = await addTwoAccounts(sql);
const member = { user_id: here.member.id };

/** So slow that nothing drains while a test runs. */
const SLOW: Limits = {
  principal: { callsPerMinute: 1, burst: 20 },
  workspace: { callsPerMinute: 1, burst: 1_000 },
};

const forget = () => sql`truncate framed.call_rates`;

databaseTest("admitRequest() lets as many through as a bucket holds, however many ask at once", async () => {
  await forget();
  const pool = postgres(url, { max: 8, fetch_types: false });
  try {
    const asked = await Promise.all(Array.from({ length: 100 }, () =>
      admitRequest(pool, {
        presented: member,
        workspaceId: here.id,
        limits: SLOW,
      })));
    assertEquals(asked.filter((limited) => limited === null).length, 20);
    const waits = asked.filter((limited) => limited !== null);
    assert(
      waits.every(({ limitedBy, waitSeconds }) =>
        limitedBy === "principal" && waitSeconds > 50 && waitSeconds <= 60
      ),
      JSON.stringify(waits.slice(0, 3)),
    );
  } finally {
    await pool.end();
  }
});

databaseTest(
  "admitRequest() fills a bucket up again as time goes by, and no further than it holds",
  async () => {
    await forget();
    const ask = () => admitRequest(sql, { presented: member, workspaceId: here.id, limits: SLOW });
    const drain = (seconds: number) =>
      sql`update framed.call_rates set drained_at = drained_at - make_interval(secs => ${seconds})`;
    const admitted = async () => {
      let count = 0;
      while (await ask() === null) count++;
      return count;
    };
    assertEquals(await admitted(), 20);
    await drain(180);
    assertEquals(await admitted(), 3);
    await drain(365 * 24 * 3600);
    assertEquals(await admitted(), 20);
  },
);

databaseTest(
  "admitRequest() counts a principal on all workspaces together, and each workspace by itself",
  async () => {
    await forget();
    const presented = presentedKey(resellerKey);
    const limits = {
      ...SLOW,
      principal: { callsPerMinute: 1, burst: 4 },
      workspace: { callsPerMinute: 1, burst: 2 },
    };
    const ask = (workspaceId: string | null) =>
      admitRequest(sql, { presented, workspaceId, limits }).then((limited) => limited?.limitedBy ?? null);
    // Who has used of their own bucket sees the less of the workspace's, and pays with their own for what that refuses.
    const asked = [];
    for (const id of [here.id, here.id, sibling.id, sibling.id]) asked.push(await ask(id));
    assertEquals(asked, [null, "workspace", null, "workspace"]);
    assertEquals([await ask(null), await ask(here.id)], ["principal", "principal"]);
  },
);

databaseTest(
  "admitRequest() leaves no row for who is nobody, and none of a workspace out of reach",
  async () => {
    await forget();
    const ask = (presented: { key_hash: string } | { user_id: string }, workspaceId: string | null) =>
      admitRequest(sql, { presented, workspaceId, limits: SLOW });
    for (let i = 0; i < 5; i++) {
      assertEquals(await ask(presentedKey(createKey()), here.id), null);
    }
    assertEquals((await sql`select from framed.call_rates`).count, 0);
    assertEquals(await ask(member, sibling.id), null);
    assertEquals(await ask(member, crypto.randomUUID()), null);
    assertEquals((await sql`select bucket from framed.call_rates`).map(({ bucket }) => bucket), [
      here.member.id,
    ]);
  },
);

databaseTest("forgetDrained() forgets what drained an hour ago and nothing else", async () => {
  await forget();
  const [old, recent, full] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  await sql`insert into framed.call_rates (bucket, drained_at) values
    (${old}, now() - interval '61 minutes'), (${recent}, now() - interval '59 minutes'), (${full}, now() + interval '6 s')`;
  await forgetDrained(sql);
  assertEquals(
    new Set((await sql`select bucket from framed.call_rates`).map(({ bucket }) => bucket)),
    new Set([recent, full]),
  );
});

databaseTest("a bucket is written without waiting for a disk", async () => {
  const [table] =
    await sql`select relpersistence as kept from pg_class where oid = 'framed.call_rates'::regclass`;
  assertEquals(table!.kept, "u");
});
