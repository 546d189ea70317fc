import { assertEquals, assertRejects } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import { addTwoAccounts } from "../../../../scripts/testing/two-accounts.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { isStoreUnavailable, openDatabase } from "./client.ts";
import { inTransaction, type Transaction } from "./transaction.ts";

const { sql, url } = await openTestDatabase();
const { here } = await addTwoAccounts(sql);

/** Runs `work` speaking for `here`; `opening` does what an opening does: it sets whom the transaction speaks for. */
function inHere<T>(work: (tx: Transaction, opened: string) => Promise<Result<T>>): Promise<Result<T>> {
  return inTransaction<string, T>(sql, {
    opening: (tx) => tx`select set_config('framed.workspace_id', ${here.id}, true)`,
    work,
  });
}

function rename(tx: Transaction, name: string) {
  return tx`update framed.workspaces set name = ${name} where id = ${here.id}`;
}

async function nameNow(): Promise<string> {
  const [row] = await sql`select name from framed.workspaces where id = ${here.id}`;
  return row!.name;
}

databaseTest("inTransaction() runs its work as framed_app, with what the opening gave", async () => {
  const result = await inHere<Record<string, unknown>>(async (tx, opened) => {
    const [row] = await tx`select current_user::text as role, framed.current_workspace_id() as speaks_for`;
    return ok({ opened, ...row });
  });
  assertEquals(result, { ok: true, value: { opened: here.id, role: "framed_app", speaks_for: here.id } });
});

databaseTest("inTransaction() is bounded where its session is not, and leaves the session so", async () => {
  const timeouts = async (db: Transaction) => [
    ...await db`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`,
  ];
  const result = await inHere(async (tx) => ok(await timeouts(tx)));
  assertEquals(result, { ok: true, value: [{ statement: "15s", idle: "30s" }] });
  assertEquals(await timeouts(sql), [{ statement: "0", idle: "0" }]);
});

databaseTest("inTransaction() commits a value", async () => {
  const result = await inHere(async (tx) => {
    await rename(tx, "Committed");
    return ok("done");
  });
  assertEquals([result, await nameNow()], [{ ok: true, value: "done" }, "Committed"]);
});

databaseTest("inTransaction() undoes everything on a refusal, and gives the refusal", async () => {
  const before = await nameNow();
  const result = await inHere(async (tx) => {
    await rename(tx, "Refused");
    return refuse("not_found", { detail: "Not here." });
  });
  assertEquals(result, { ok: false, refusal: { reason: "not_found", detail: "Not here." } });
  assertEquals(await nameNow(), before);
});

databaseTest(
  "inTransaction() undoes everything on a throw, ours or the database's, and throws on",
  async () => {
    const before = await nameNow();
    await assertRejects(
      () =>
        inHere(async (tx) => {
          await rename(tx, "Thrown");
          throw new TypeError("broken");
        }),
      TypeError,
      "broken",
    );
    await assertRejects(() =>
      inHere(async (tx) => {
        await rename(tx, "Failed");
        return ok(await tx`select 1 / 0`);
      })
    );
    assertEquals(await nameNow(), before);
  },
);

databaseTest("inTransaction() does not run its work when the opening fails", async () => {
  let ran = false;
  await assertRejects(() =>
    inTransaction(sql, {
      opening: (tx) => tx`select ${"office"}::text::uuid`,
      work: () => {
        ran = true;
        return Promise.resolve(ok(1));
      },
    })
  );
  assertEquals(ran, false);
});

databaseTest("inTransaction() leaves the connection as it found it, however it ended", async () => {
  const endings: (() => Promise<Result<number>>)[] = [
    () => Promise.resolve(ok(1)),
    () => Promise.resolve(refuse("not_found")),
    () => Promise.reject(new TypeError("broken")),
  ];
  for (const end of endings) {
    await inHere(end).catch(() => null);
    const [row] =
      await sql`select current_user = session_user as own, framed.current_workspace_id() as speaks_for`;
    assertEquals({ ...row }, { own: true, speaks_for: null });
  }
});

databaseTest(
  "inTransaction() runs its work once where the server ends the connection, and the next as ever",
  async () => {
    const db = openDatabase(url, { max: 1 });
    let ran = 0;
    const run = (seconds: number) =>
      inTransaction<number, number>(db, {
        opening: (tx) => tx`select pg_backend_pid()`,
        async work(tx, pid) {
          ran++;
          await Promise.all([tx`select pg_sleep(${seconds})`, seconds > 0 && endAtWork(pid)]);
          return ok(ran);
        },
      });
    try {
      for (let i = 0; i < 5; i++) {
        const before = ran;
        const error = await assertRejects(() => run(60));
        assertEquals([isStoreUnavailable(error), ran - before], [true, 1]);
        assertEquals(await run(0), { ok: true, value: ran });
      }
    } finally {
      await db.end({ timeout: 1 });
    }
  },
);

/** Ends the connection as soon as it is asleep in a statement. */
async function endAtWork(pid: number): Promise<void> {
  for (let ended = 0; ended === 0;) {
    ended = (await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where pid = ${pid} and state = 'active' and wait_event = 'PgSleep'`).count;
  }
}

/** What work does of which the connection is gone, in between two of its statements. */
const GOES_ON: readonly [name: string, go: (tx: Transaction) => Promise<Result<unknown>>][] = [
  ["asks on", async (tx) => ok(await tx`select 1`)],
  ["asks on at length", async (tx) => ok(await tx`select ${"x".repeat(5_000)}::text`)],
  ["is done", () => Promise.resolve(ok("done"))],
  ["is refused", () => Promise.resolve(refuse("not_found"))],
  ["breaks", () => Promise.reject(new Error("it broke"))],
];
for (const [name, go] of GOES_ON) {
  databaseTest(
    `inTransaction() leaves a usable pool where work ${name} and its connection is gone`,
    async () => {
      const db = openDatabase(url, { max: 1 });
      const hasFailed = Promise.withResolvers<void>();
      const went = Promise.withResolvers<void>();
      try {
        const error = await assertRejects(() =>
          inTransaction(db, {
            opening: (tx) => tx`pg_backend_pid()`,
            work: async (tx, pid: number) => {
              await sql`select pg_terminate_backend(${pid}::integer)`;
              await hasFailed.promise;
              try {
                const going = go(tx);
                went.resolve();
                return await going;
              } finally {
                went.resolve();
              }
            },
          }).finally(hasFailed.resolve)
        );
        assertEquals(isStoreUnavailable(error), true);
        await went.promise;
        for (let n = 0; n < 5; n++) {
          assertEquals(
            await inTransaction(db, { opening: (tx) => tx`null`, work: () => Promise.resolve(ok(n)) }),
            ok(n),
          );
        }
      } finally {
        await db.end({ timeout: 1 });
      }
    },
  );
}
