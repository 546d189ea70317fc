/** Runs work as the least-privileged role in one transaction, and undoes all of it when the work is refused. */

import type { Refusal, Result } from "../outcome/result.ts";
import {
  AnswerLost,
  type Database,
  isConnectionLost,
  onlyRow,
  type Queryable,
  SERVER_TIMEOUTS,
  untilSent,
} from "./client.ts";

/** A transaction as `framed_app`. Row security shows it nothing until it says who it speaks for. */
export type Transaction = Queryable;

/**
 * Runs `work` in one transaction as `framed_app`. Commits a value; rolls everything back on a refusal or a throw.
 *
 * `opening` runs together with the change of role, so that it costs no round trip of its own: an SQL expression whose
 * value `work` gets.
 */
export async function inTransaction<O, T>(
  db: Database,
  { opening, work }: {
    opening: (db: Queryable) => ReturnType<Queryable>;
    work: (tx: Transaction, opened: O) => Promise<Result<T>>;
  },
): Promise<Result<T>> {
  let refusal: Refusal | undefined;
  try {
    const committed = await untilSent(async () => {
      const transaction = { isOver: false };
      return await db.begin(async (begun) => {
        const tx = whileItLasts(transaction, begun);
        const result = await untilLost(transaction, async () => {
          const rows = await tx<{ opened: O }[]>`
            select set_config('role', 'framed_app', true), ${setTimeouts(tx)}, (${opening(tx)}) as opened`;
          return await work(tx, onlyRow(rows).opened);
        });
        if (!result.ok) {
          refusal = result.refusal;
          throw new RolledBack();
        }
        return { result };
      }).finally(() => transaction.isOver = true);
    });
    return committed.result;
  } catch (error) {
    if (error instanceof RolledBack) return { ok: false, refusal: refusal! };
    throw error;
  }
}

/** Also where the session has them: through a pooler it has none of ours. Counts from the next statement on. */
function setTimeouts(tx: Queryable): ReturnType<Queryable> {
  const { statement_timeout, idle_in_transaction_session_timeout } = SERVER_TIMEOUTS;
  return tx`set_config('statement_timeout', ${String(statement_timeout)}, true),
    set_config('idle_in_transaction_session_timeout', ${String(idle_in_transaction_session_timeout)}, true)`;
}

/** Of a transaction. It is over when it was committed or undone, and when its connection is gone. */
interface Lasting {
  isOver: boolean;
}

/**
 * What `run` gives, or nothing ever where the connection was lost: `begin` then fails by itself. Told of the end, it would
 * send a commit or a roll back to a connection that is gone, which ends the process or spoils the next connection.
 */
async function untilLost<T>(transaction: Lasting, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isConnectionLost(error) && !(error instanceof AnswerLost)) return await never();
    throw error;
  } finally {
    if (transaction.isOver) await never();
  }
}

/**
 * `tx` as long as the transaction lasts: what is asked later is never answered. A connection can go between two statements, and
 * `begin` has failed then while the work goes on. postgres.js would give the next statement to the connection that is gone,
 * and that one's place in the pool would answer nobody any more.
 */
function whileItLasts(transaction: Lasting, tx: Transaction): Transaction {
  return new Proxy(tx, {
    apply: (ask, self, args) => transaction.isOver ? never() : Reflect.apply(ask, self, args),
  });
}

function never(): Promise<never> {
  return new Promise<never>(() => {});
}

/**
 * From here on the transaction works as the owner of the database, for the few things the functions' role may not do.
 * Row security shows the owner everything: whoever calls this has decided who may, and names the workspace in each query.
 */
export async function actAsOwner(tx: Transaction): Promise<void> {
  await tx`select set_config('role', 'none', true)`;
}

class RolledBack extends Error {}
