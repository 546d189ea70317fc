/** The one connection pool of a process, and what tells that the store is away. Leaves SQL to the stores. */

import postgres from "postgres";
import { ignoreLateWrites } from "./late-write.ts";

ignoreLateWrites();

export type Database = postgres.Sql;
/** What a store needs to ask something: the pool itself or a transaction on it. */
export type Queryable = postgres.ISql;

/** How long the server lets a statement run, and a transaction wait for the next one, in milliseconds. */
export const SERVER_TIMEOUTS = { statement_timeout: 15_000, idle_in_transaction_session_timeout: 30_000 };

/**
 * Opens a pool on `databaseUrl`; connects at the first query.
 *
 * Through a transaction pooler (port 6543) statements are not prepared, since the next query may reach another
 * connection. Through any pooler of Supabase the session is asked for no timeouts: poolers refuse or ignore that.
 * Transactions set them by themselves; a statement alone then has the server's own. Array columns come back unparsed
 * (`fetch_types` would cost a round trip): stores select them as jsonb.
 */
export function openDatabase(databaseUrl: string, { max = 2 }: { max?: number } = {}): Database {
  const { hostname, port } = new URL(databaseUrl);
  const poolsTransactions = port === "6543";
  const isPooler = poolsTransactions || hostname.endsWith(".pooler.supabase.com");
  return postgres(databaseUrl, {
    max,
    prepare: !poolsTransactions,
    fetch_types: false,
    connect_timeout: 5,
    idle_timeout: 20,
    max_lifetime: 30 * 60,
    onnotice: () => {},
    connection: { application_name: "framed", ...(isPooler ? {} : SERVER_TIMEOUTS) },
  });
}

/** A statement came back without its answer: the connection was lost in the middle, and nobody knows what was done. */
export class AnswerLost extends Error {
  override name = "AnswerLost";
  readonly code = "CONNECTION_CLOSED";
}

/**
 * The one row of a statement that always answers with one. Throws `AnswerLost` where there is none: once in tens of
 * thousands of statements over restarts of the database, postgres.js takes the end of a connection for their end.
 */
export function onlyRow<T>(rows: readonly T[]): T {
  // The first answer of a connection whose last one was cut off begins with holes, as many as rows had come of that.
  const row = rows.find((row) => row !== undefined);
  if (row === undefined) throw new AnswerLost("A statement that always answers did not");
  return row;
}

/** How often a statement is handed on until a connection takes it. */
const MAX_HANDED_ON = 3;

/**
 * What `ask` answers. Asks again where its statement was never sent, at most three times in all.
 *
 * postgres.js gives the error a connection ended with (an operator or a restart of the server ended it) to the first
 * statement of that connection's next life, long after the server is back. Whatever was under way when it ended has
 * failed before with an error of the connection: that is never asked again here, since it may have been done.
 */
export async function untilSent<T>(ask: () => Promise<T>): Promise<T> {
  for (let handedOn = 1;; handedOn++) {
    try {
      return await ask();
    } catch (error) {
      if (handedOn === MAX_HANDED_ON || !isOfEarlierConnection(error)) throw error;
    }
  }
}

/** A statement that is handed on before a broken connection is closed would go to that connection, and never be answered. */
const TRIED_AGAIN_AFTER_MS = 100;

/**
 * Runs `write`, and once more where the connection is lost meanwhile: whichever was lost, the request or its answer.
 * `write` has to write once however often it runs; it is told when it runs again.
 */
export async function untilWritten<T>(write: (again: boolean) => Promise<T>): Promise<T> {
  try {
    return await untilSent(() => write(false));
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    await new Promise((resolve) => setTimeout(resolve, TRIED_AGAIN_AFTER_MS));
    return await untilSent(() => write(true));
  }
}

const ENDED_BY_SERVER = new Set(["57P01", "57P02", "57P03", "25P03"]);

/** The server ends a connection with a fatal error, and such a one reaches only a statement that waits to be sent. */
function isOfEarlierConnection(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === "FATAL" &&
    ENDED_BY_SERVER.has(error.code);
}

const CONNECTION_CODES = new Set([
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "EBADF", // a socket that ended under a write, as Deno 2.1.4 has it
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "40001", // undone: another transaction was in the way
  "40P01", // undone: deadlock
  "53300", // too many connections
  "53400", // configuration limit exceeded
  "55P03", // lock not available
  "57014", // statement timeout
  "57P01", // the server is shutting down
  "57P02", // the server crashed
  "57P03", // the server is starting up
  "25P03", // idle in transaction too long
]);

const LOST_CODES = new Set<unknown>(["CONNECTION_CLOSED", "CONNECTION_DESTROYED", "EPIPE"]);

/**
 * Whether an error says that the connection a statement was sent on is gone: what was done is not known.
 *
 * `EPIPE` too: the statement that was written when the server had ended the connection has not left, but the same error goes
 * to every statement that was under way on it, and which one that was nobody is told.
 */
export function isConnectionLost(error: unknown): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return error instanceof Error && (LOST_CODES.has(code) || syscall === "read" || syscall === "write");
}

/** Whether an error says that the store cannot be reached or cannot answer now, rather than that we asked wrongly. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Deno 2.1.4 has names of its own for what a socket says: UNKNOWN among them.
  if (isConnectionLost(error)) return true;
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === "string" && (CONNECTION_CODES.has(code) || code.startsWith("08"));
}
