import { assert, assertEquals, assertRejects } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import postgres from "postgres";
import {
  type Database,
  isConnectionLost,
  isStoreUnavailable,
  onlyRow,
  openDatabase,
  untilSent,
  untilWritten,
} from "./client.ts";

const database = await openTestDatabase();

/** The error that `ask` fails with. */
async function failureOf(ask: (db: Database) => Promise<unknown>, url = database.url): Promise<Error> {
  const db = openDatabase(url, { max: 1 });
  try {
    return await assertRejects(() => ask(db));
  } finally {
    await db.end({ timeout: 1 });
  }
}

databaseTest("openDatabase() asks with parameters, in a session that says who it is", async () => {
  const db = openDatabase(database.url);
  try {
    const [row] = await db`
      select ${"é"}::text as text, ${
      [1, 2].length
    }::int as number, current_setting('application_name') as name,
        current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`;
    assertEquals({ ...row }, { text: "é", number: 2, name: "framed", statement: "15s", idle: "30s" });
  } finally {
    await db.end();
  }
});

databaseTest("openDatabase() prepares statements, but not through a transaction pooler", async () => {
  const prepares = (url: string) => {
    const db = openDatabase(url);
    const { prepare } = db.options;
    return db.end().then(() => prepare);
  };
  assertEquals(await prepares("postgres://framed@127.0.0.1:5432/framed"), true);
  assertEquals(await prepares("postgres://framed@127.0.0.1/framed"), true);
  assertEquals(await prepares("postgres://framed@127.0.0.1:6543/framed"), false);
});

databaseTest("openDatabase() asks a pooler for no timeouts, which it may refuse to set", async () => {
  const asksFor = async (url: string) => {
    const db = openDatabase(url);
    const { connection } = db.options;
    await db.end();
    return "statement_timeout" in connection || "idle_in_transaction_session_timeout" in connection;
  };
  assertEquals(await asksFor("postgres://framed@db.example:5432/framed"), true);
  assertEquals(await asksFor("postgres://framed@127.0.0.1:6543/framed"), false);
  assertEquals(await asksFor("postgres://framed@aws-0-eu.pooler.supabase.com:5432/framed"), false);
});

databaseTest("isStoreUnavailable() is true where the store is away or cannot answer now", async (t) => {
  const elsewhere = Object.assign(new URL(database.url), { port: "1" }).href;
  const cases: Record<string, () => Promise<Error>> = {
    "nobody listens": () => failureOf((db) => db`select 1`, elsewhere),
    "a statement takes too long": () =>
      failureOf((db) =>
        db.begin(async (tx) => {
          await tx`set local statement_timeout = 1`;
          await tx`select pg_sleep(5)`;
        })
      ),
    "an operator ends the connection": () =>
      failureOf((db) => db`select pg_terminate_backend(pg_backend_pid())`),
    "the pool was closed": () =>
      failureOf(async (db) => {
        await db.end();
        await db`select 1`;
      }),
  };
  for (const [name, fail] of Object.entries(cases)) {
    await t.step(name, async () => {
      const error = await fail();
      assert(isStoreUnavailable(error), String((error as Error & { code?: string }).code));
    });
  }
});

databaseTest(
  "isStoreUnavailable() is true where two transactions stood in each other's way and one was undone",
  () => {
    for (const code of ["40001", "40P01", "55P03"]) {
      assert(isStoreUnavailable(Object.assign(new Error(), { code })), code);
    }
  },
);

databaseTest("isStoreUnavailable() is true where a socket ended under a write, by each of its names", () => {
  for (const code of ["EPIPE", "ECONNRESET", "EBADF"]) {
    assert(isStoreUnavailable(Object.assign(new Error(), { code, syscall: "write" })), code);
  }
});

databaseTest(
  "isStoreUnavailable() is false where we asked wrongly, and for what is no error of the store",
  async (t) => {
    const cases: Record<string, (db: Database) => Promise<unknown>> = {
      "no such table": (db) => db`select from framed.nothing`,
      "no such function": (db) => db`select framed.nothing()`,
      "text that is no id": (db) => db`select ${"office"}::text::uuid`,
      "a check that fails": (db) => db`insert into framed.accounts (name) values ('')`,
      "an unknown row": (db) =>
        db`insert into framed.workspaces (account_id, name) values (gen_random_uuid(), 'x')`,
    };
    for (const [name, ask] of Object.entries(cases)) {
      await t.step(name, async () => assertEquals(isStoreUnavailable(await failureOf(ask)), false));
    }
    for (
      const other of [
        new TypeError("x"),
        Object.assign(new Error(), { code: 8 }),
        "ECONNREFUSED",
        null,
        undefined,
      ]
    ) {
      assertEquals(isStoreUnavailable(other), false);
    }
  },
);

/** Ends every connection of the pool in the middle of a statement; tells how each statement failed. */
async function endAllAtWork(db: Database): Promise<unknown[]> {
  const asked = Array.from(
    { length: db.options.max },
    () => db`select pg_sleep(60)`.catch(({ code }) => code),
  );
  let failed = false;
  const failures = Promise.all(asked).finally(() => failed = true);
  while (!failed) {
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'framed' and datname = current_database()
        and state = 'active' and query like '%pg_sleep%'`;
  }
  return await failures;
}

databaseTest("untilSent() answers where the server had ended the connections, long ago", async () => {
  const db = openDatabase(database.url, { max: 3 });
  const askAll = (ask: () => Promise<unknown>) => Promise.all(Array.from({ length: 9 }, ask));
  try {
    const lost = await endAllAtWork(db);
    assertEquals(
      lost,
      Array(3).fill("CONNECTION_CLOSED"),
      "nobody knows what was done: not for us to repeat",
    );
    assertEquals((await askAll(() => untilSent(() => db<{ n: number }[]>`select 1 as n`))).length, 9);
    await endAllAtWork(db);
    const error = await assertRejects(() => askAll(() => db`select 1 as n`));
    assertEquals((error as Error & { code?: string }).code, "57P01", "without it");
  } finally {
    await db.end({ timeout: 1 });
  }
});

databaseTest(
  "untilSent() asks once where a statement failed, and no more than three times in all",
  async () => {
    let asked = 0;
    const ask = (code: string, severity: string) => {
      asked = 0;
      return assertRejects(() =>
        untilSent(() => {
          asked++;
          return Promise.reject(Object.assign(new postgres.PostgresError("x"), { code, severity }));
        })
      );
    };
    for (
      const [code, severity, times] of [
        ["57P01", "FATAL", 3],
        ["57P01", "ERROR", 1],
        ["CONNECTION_CLOSED", "FATAL", 1],
        ["28P01", "FATAL", 1],
        ["53300", "FATAL", 1],
      ] as const
    ) {
      await ask(code, severity);
      assertEquals([code, severity, asked], [code, severity, times]);
    }
  },
);

databaseTest("onlyRow() takes a statement without its answer for a connection that was lost", async () => {
  assertEquals(onlyRow([{ n: 1 }]), { n: 1 });
  // As postgres.js leaves it to the first statement after rows that were cut off with their connection.
  for (const holes of [1, 2]) assertEquals(onlyRow(new Array(holes).concat([{ n: 1 }])), { n: 1 });
  await assertRejects(() => Promise.resolve().then(() => onlyRow(new Array(1))));
  const lost = await assertRejects(() => Promise.resolve().then(() => onlyRow([])));
  assertEquals(isStoreUnavailable(lost), true);
});

databaseTest(
  "isConnectionLost() is true of every way in which a connection goes, and of nothing else",
  () => {
    const failed = (more: object) => Object.assign(new Error("x"), more);
    const table: [error: unknown, isLost: boolean][] = [
      [failed({ code: "CONNECTION_CLOSED" }), true],
      [failed({ code: "CONNECTION_DESTROYED" }), true],
      [failed({ code: "ECONNRESET", syscall: "read" }), true],
      [failed({ code: "EPIPE", syscall: "write" }), true],
      [failed({ code: "UNKNOWN", syscall: "write" }), true],
      // Written when the other side had ended the connection: Node's own words, without a system's call.
      [failed({ code: "EPIPE" }), true],
      [failed({ code: "CONNECT_TIMEOUT" }), false],
      [failed({ code: "ECONNREFUSED", syscall: "connect" }), false],
      [failed({ code: "57P01" }), false],
      [{ code: "EPIPE" }, false],
    ];
    for (const [error, isLost] of table) {
      assertEquals(isConnectionLost(error), isLost, JSON.stringify(error));
      if (isLost) assertEquals(isStoreUnavailable(error), true, JSON.stringify(error));
    }
  },
);

databaseTest("untilWritten() writes where the server ends the connections at that moment", async () => {
  const db = openDatabase(database.url, { max: 2 });
  try {
    for (let round = 0; round < 40; round++) {
      await Promise.all([untilWritten(() => db`select 1`), untilWritten(() => db`select pg_sleep(0.005)`)]);
      const ended = database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'framed' and datname = current_database()`;
      const long = "x".repeat(3_000);
      // As the stores do: what comes back where a row was lost with the last connection has a hole in its place.
      const [, ...written] = await Promise.all([
        ended,
        untilWritten(async () => onlyRow(await db`select 1 as n`).n),
        untilWritten(async () => onlyRow(await db`select ${long}::text as n`).n),
      ]);
      assertEquals(written, [1, long]);
    }
  } finally {
    await db.end({ timeout: 1 });
  }
});
