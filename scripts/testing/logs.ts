/** A database with logs to append to, seal and check, for tests of the chain. */

import { assert, assertEquals } from "@std/assert";
import type postgres from "postgres";
import { sealLogs } from "../../supabase/functions/_shared/log/chain/seal.ts";
import { type Verdict, verifyLog } from "../../supabase/functions/_shared/log/chain/verify.ts";
import type { LogEvent } from "../../supabase/functions/_shared/log/event.ts";
import { appendEvent } from "../../supabase/functions/_shared/log/store.ts";
import type { Share } from "../../supabase/functions/_shared/outcome/work.ts";
import { openTestDatabase } from "./database.ts";

/** What a tick's clock says in these tests. */
export const NOW = new Date("2026-11-30T12:00:00Z");

const EVENT: LogEvent = {
  event: "tool.called",
  request_id: "req_test",
  principal: { kind: "session", id: "0c8f2c5e-5b0e-4ad5-8e1b-1f3a0a1c9e55", name: "Noor" },
  tool: "rates",
  connector_id: null,
  version: 1,
  operation: null,
  args: { currency: "EUR", amount: 1.5, of: [1, "é", null] },
  outcome: "ok",
  total_ms: 12,
};

/** A tick with time for everything, in which nothing may break. */
export function share(more: Partial<Share> = {}): Share {
  const report: Share["report"] = (error) => {
    throw error;
  };
  return { now: NOW, hasTime: () => true, report, ...more };
}

/** Opens a database and what works on its logs. */
export async function openTestLogs() {
  const { sql, url } = await openTestDatabase();

  async function makeWorkspace(settings: object = {}): Promise<string> {
    const [row] = await sql`
      with account as (insert into framed.accounts (name) values ('Chain') returning id)
      insert into framed.workspaces (account_id, name, settings) select id, 'Chain', ${
      JSON.stringify(settings)
    }::text::jsonb from account returning id`;
    return row!.id;
  }

  async function append(workspaceId: string, count: number, db: postgres.ISql = sql): Promise<void> {
    for (let index = 0; index < count; index++) {
      await appendEvent(db, { workspaceId, event: { ...EVENT, request_id: `req_${index}` } });
    }
  }

  /** Ticks until nothing waits: transactions of tests beside this one hold settling up for a moment. */
  async function sealAll(): Promise<void> {
    while ((await sealLogs(sql, share())).waiting > 0);
  }

  async function eventIds(workspaceId: string): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      select e.id::text from framed.log_events e where e.workspace_id = ${workspaceId} order by e.id`;
    return rows.map(({ id }) => id);
  }

  function verify(workspaceId: string, expected: string | null = null): Promise<Verdict> {
    return sql.begin(
      "isolation level repeatable read read only",
      (tx) => verifyLog(tx, { workspaceId, expected }),
    ) as Promise<Verdict>;
  }

  return {
    sql,
    url,
    makeWorkspace,
    append,
    sealAll,
    eventIds,
    verify,
    /** A workspace with one sealed batch of each of these sizes. */
    async sealedWorkspace(batches: readonly number[]): Promise<{ id: string; ids: string[] }> {
      const id = await makeWorkspace();
      for (const count of batches) {
        await append(id, count);
        await sealAll();
      }
      return { id, ids: await eventIds(id) };
    },
    /** Each seal's number and how many rows it holds. */
    async sealsOf(workspaceId: string): Promise<[number, number][]> {
      const rows = await sql<{ number: number; row_count: number }[]>`
        select s.number::int, s.row_count from framed.log_seals s where s.workspace_id = ${workspaceId} order by s.number`;
      return rows.map(({ number, row_count }) => [number, row_count]);
    },
    async assertHolds(workspaceId: string, events: number, unsealed = 0): Promise<void> {
      const verdict = await verify(workspaceId);
      assert(verdict.holds, JSON.stringify(verdict));
      assertEquals([verdict.events, verdict.unsealed], [events, unsealed]);
    },
  };
}
