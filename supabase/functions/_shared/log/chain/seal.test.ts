/** What is sealed and when, on a real database with transactions that take their time. */

import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { databaseTest } from "../../../../../scripts/testing/database.ts";
import { openTestLogs, share } from "../../../../../scripts/testing/logs.ts";
import { sealLogs } from "./seal.ts";

const { sql, url, makeWorkspace, append, sealAll, sealedWorkspace, sealsOf, assertHolds } =
  await openTestLogs();

/** Begins a transaction that keeps whatever is written from now on from settling until it is ended. */
async function hold(db: postgres.Sql): Promise<() => Promise<void>> {
  const [began, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = db.begin(async (tx) => {
    await tx`select pg_current_xact_id()`;
    began.resolve();
    await end.promise;
  });
  await began.promise;
  return async () => {
    end.resolve();
    await ended;
  };
}

/** Waits until every horizon that was noted is reached: transactions of the whole cluster hold it up, other tests' too. */
async function settled(): Promise<void> {
  let open: number;
  do {
    const [row] = await sql<{ open: number }[]>`
      select count(*)::int as open from framed.log_chains
       where horizon_xid > pg_snapshot_xmin(pg_current_snapshot())`;
    open = row!.open;
  } while (open > 0);
}

databaseTest("sealLogs() seals what was appended, batch after batch, and the chain holds", async () => {
  const { id } = await sealedWorkspace([3, 1, 2]);
  assertEquals(await sealsOf(id), [[1, 3], [2, 1], [3, 2]]);
  await assertHolds(id, 6);
  const links = await sql`
    select encode(previous_hash, 'hex') as previous, encode(hash, 'hex') as hash from framed.log_links
     where workspace_id = ${id} order by event_id`;
  assertEquals(links[0]!.previous, "0".repeat(64));
  for (let index = 1; index < links.length; index++) {
    assertEquals(links[index]!.previous, links[index - 1]!.hash);
  }
});

databaseTest(
  "sealLogs() leaves what is sealed alone, and rows that came after it to the next tick",
  async () => {
    const { id } = await sealedWorkspace([2]);
    await sealAll();
    assertEquals(await sealsOf(id), [[1, 2]]);
    await append(id, 1);
    await assertHolds(id, 2, 1);
  },
);

databaseTest("sealLogs() misses no row of a transaction that commits long after it took its id", async () => {
  const id = await makeWorkspace();
  const slow = postgres(url, { max: 1, fetch_types: false });
  try {
    const [taken, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const committed = slow.begin(async (tx) => {
      await append(id, 1, tx);
      taken.resolve();
      await commit.promise;
    });
    await taken.promise;
    await append(id, 2);
    const waits = await sealLogs(sql, share());
    assertEquals(waits.waiting > 0, true);
    assertEquals(await sealsOf(id), [], "a lower id may still appear");
    await sealLogs(sql, share());
    assertEquals(await sealsOf(id), [], "and a tick later it may still");
    commit.resolve();
    await committed;
    await sealAll();
    assertEquals(await sealsOf(id), [[1, 3]]);
    await assertHolds(id, 3);
  } finally {
    await slow.end({ timeout: 0 });
  }
});

databaseTest(
  "sealLogs() seals up to what was settled a tick ago, though some transaction always runs",
  async () => {
    const id = await makeWorkspace();
    const [one, two] = [1, 2].map(() => postgres(url, { max: 1, fetch_types: false })) as [
      postgres.Sql,
      postgres.Sql,
    ];
    try {
      const endFirst = await hold(one);
      await append(id, 2);
      await sealLogs(sql, share());
      const endSecond = await hold(two);
      await append(id, 1);
      await sealLogs(sql, share());
      assertEquals(await sealsOf(id), []);
      await endFirst();
      // The second still runs, and began after the first two rows: they are settled, the third is not.
      while ((await sealsOf(id)).length === 0) await sealLogs(sql, share());
      assertEquals(await sealsOf(id), [[1, 2]]);
      await assertHolds(id, 2, 1);
      await endSecond();
      await sealAll();
      assertEquals(await sealsOf(id), [[1, 2], [2, 1]]);
      await assertHolds(id, 3);
    } finally {
      await one.end();
      await two.end();
    }
  },
);

databaseTest("an id whose transaction was undone leaves a gap and no trouble", async () => {
  const id = await makeWorkspace();
  await append(id, 1);
  await sql.begin(async (tx) => {
    await append(id, 1, tx);
    throw new Error("undone");
  }).catch(({ message }) => assertEquals(message, "undone"));
  await append(id, 1);
  await sealAll();
  await assertHolds(id, 2);
});

databaseTest("ticks at once over concurrent appends seal each row once, and in order", async () => {
  const ids = await Promise.all([1, 2, 3].map(() => makeWorkspace()));
  const pools = [1, 2, 3].map(() => postgres(url, { max: 4, fetch_types: false }));
  try {
    const appending = Promise.all(ids.flatMap((id) => pools.map((pool) => append(id, 40, pool))));
    let over = false;
    const ended = appending.then(() => over = true);
    const ticks = pools.map(async (pool) => {
      while (!over) await sealLogs(pool, share());
    });
    await Promise.all([ended, ...ticks]);
    await sealAll();
    for (const id of ids) await assertHolds(id, 120);
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
});

databaseTest(
  "sealLogs() takes batches of 1,000 in turn, says more when its time is over, and goes on from there",
  async () => {
    const [long, short] = [await makeWorkspace(), await makeWorkspace()];
    // Both wait, and then both can be sealed: were one settled before the other, their turns would not be these.
    const slow = postgres(url, { max: 1, fetch_types: false });
    try {
      const end = await hold(slow);
      await sql`
      insert into framed.log_events (workspace_id, event, request_id, principal, outcome, total_ms)
      select ${long}::uuid, 'tool.called', 'req_' || n, '{"kind": "session", "id": "x", "name": null}', 'ok', 1 from generate_series(1, 2500) n`;
      await append(short, 1);
      assertEquals((await sealLogs(sql, share())).waiting, 2);
      await end();
    } finally {
      await slow.end({ timeout: 0 });
    }
    await settled();
    let batches = 2;
    const work = await sealLogs(sql, share({ hasTime: () => batches-- > 0 }));
    assertEquals([work.more, await sealsOf(long), await sealsOf(short)], [true, [[1, 1000]], [[1, 1]]]);
    await sealAll();
    assertEquals(await sealsOf(long), [[1, 1000], [2, 1000], [3, 500]]);
    await assertHolds(long, 2500);
  },
);

databaseTest("sealLogs() goes on with the others when one workspace breaks", async () => {
  const [broken, whole] = [await makeWorkspace(), await makeWorkspace()];
  await append(broken, 1);
  // A seal by the next number is there already: sealing meets the unique key.
  await sql`
    insert into framed.log_seals (workspace_id, number, first_id, last_id, row_count, hash, newest_at, sealed_at)
    values (${broken}, 1, 1, 1, 1, sha256('x'), now(), now())`;
  await append(whole, 1);
  const reports: unknown[] = [];
  let work;
  do work = await sealLogs(sql, share({ report: (_error, about) => reports.push(about) })); while (
    work.waiting > 0
  );
  assertEquals([work.failed, await sealsOf(whole)], [1, [[1, 1]]]);
  assertEquals(reports.at(-1), { workspace_id: broken });
  await sql`delete from framed.workspaces where id = ${broken}`;
});
