/** What a check finds when whoever owns the database has been at a sealed log. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type postgres from "postgres";
import { databaseTest } from "../../../../../scripts/testing/database.ts";
import { openTestLogs } from "../../../../../scripts/testing/logs.ts";
import { type Verdict, verifyLog } from "./verify.ts";

const { sql, makeWorkspace, sealAll, sealedWorkspace, verify } = await openTestLogs();

databaseTest("a workspace whose log is empty has a chain that holds and no head", async () => {
  const id = await makeWorkspace();
  const verdict = await verify(id);
  assertEquals(verdict, {
    holds: true,
    events: 0,
    seals: 0,
    unsealed: 0,
    head: null,
    startsAfter: null,
    holdsExpected: null,
  });
});

/** Each way to tamper with a sealed log of 3 batches of 3, as its owner, and what names it. `n` counts rows from 0. */
const TAMPERINGS: readonly {
  name: string;
  work: (tx: postgres.TransactionSql, log: { id: string; ids: string[] }) => Promise<unknown>;
  /** The row that is named, or the seal where none is. */
  names: number | { seal: number };
  says: string;
}[] = [
  {
    name: "an argument is changed",
    work: (tx, { ids }) =>
      tx`update framed.log_events set args = '{"currency": "USD"}' where id = ${ids[4]!}`,
    names: 4,
    says: "not what was sealed",
  },
  ...["event", "request_id", "outcome", "tool", "operation"].map((column) => ({
    name: `${column} is changed`,
    work: (tx: postgres.TransactionSql, { ids }: { ids: string[] }) =>
      tx`update framed.log_events set ${tx(column)} = 'other' where id = ${ids[1]!}`,
    names: 1,
    says: "not what was sealed",
  })),
  {
    name: "the time is changed by a microsecond",
    work: (tx, { ids }) =>
      tx`update framed.log_events set at = at + interval '1 microsecond' where id = ${ids[0]!}`,
    names: 0,
    says: "not what was sealed",
  },
  {
    name: "a value is put where none was",
    work: (tx, { ids }) => tx`update framed.log_events set upstream_ms = 5 where id = ${ids[8]!}`,
    names: 8,
    says: "not what was sealed",
  },
  {
    name: "a row is removed",
    work: (tx, { ids }) => tx`delete from framed.log_events where id = ${ids[3]!}`,
    names: 3,
    says: "it was removed",
  },
  {
    name: "a row is removed with its link",
    work: async (tx, { ids }) => {
      await tx`delete from framed.log_events where id = ${ids[3]!}`;
      await tx`delete from framed.log_links where event_id = ${ids[3]!}`;
    },
    names: 4,
    says: "does not follow the one before",
  },
  {
    name: "the last row of a batch is removed with its link",
    work: async (tx, { ids }) => {
      await tx`delete from framed.log_events where id = ${ids[2]!}`;
      await tx`delete from framed.log_links where event_id = ${ids[2]!}`;
    },
    names: { seal: 1 },
    says: "other ones are there",
  },
  {
    name: "a row is inserted between",
    work: async (tx, { id, ids }) => {
      await tx`delete from framed.log_events where id = ${ids[8]!}`;
      await tx`
        insert into framed.log_events (id, workspace_id, event, request_id, principal, outcome, total_ms) overriding system value
        values (${ids[8]!}, ${id}, 'tool.called', 'req_x', '{}', 'ok', 1)`;
    },
    names: 8,
    says: "not what was sealed",
  },
  {
    name: "a row is inserted before all others",
    work: (tx, { id }) =>
      tx`
      insert into framed.log_events (id, workspace_id, event, request_id, principal, outcome, total_ms) overriding system value
      values (0, ${id}, 'tool.called', 'req_x', '{}', 'ok', 1)`,
    names: -1,
    says: "it was inserted",
  },
  {
    name: "two rows change places",
    work: async (tx, { ids: [, , , one, other] }) => {
      await tx`create temporary table moved on commit drop as select * from framed.log_events where id in (${one!}, ${other!})`;
      await tx`delete from framed.log_events where id in (${one!}, ${other!})`;
      await tx`update moved set id = case when id = ${one!} then ${other!}::bigint else ${one!}::bigint end`;
      await tx`insert into framed.log_events overriding system value select * from moved`;
    },
    names: 3,
    says: "not what was sealed",
  },
  {
    name: "the contents of two rows change places",
    work: async (tx, { ids }) => {
      await tx`
        update framed.log_events e set request_id = o.request_id, at = o.at from framed.log_events o
         where (e.id = ${ids[4]!} and o.id = ${ids[5]!}) or (e.id = ${ids[5]!} and o.id = ${ids[4]!})`;
    },
    names: 4,
    says: "not what was sealed",
  },
  {
    name: "a row is changed and its link made to fit",
    work: async (tx, { ids }) => {
      await tx`update framed.log_events set outcome = 'internal' where id = ${ids[4]!}`;
      await tx`update framed.log_links set hash = sha256('made up') where event_id = ${ids[4]!}`;
    },
    names: 4,
    says: "not what was sealed",
  },
  {
    name: "the last rows are removed",
    work: (tx, { id, ids }) =>
      tx`delete from framed.log_events where workspace_id = ${id} and id > ${ids[5]!}`,
    names: 6,
    says: "it was removed",
  },
  {
    name: "the last rows are removed with their links and their seal",
    work: async (tx, { id, ids }) => {
      await tx`delete from framed.log_events where workspace_id = ${id} and id > ${ids[5]!}`;
      await tx`delete from framed.log_links where workspace_id = ${id} and event_id > ${ids[5]!}`;
      await tx`delete from framed.log_seals where workspace_id = ${id} and number = 3`;
    },
    names: { seal: 3 },
    says: "the seal is gone",
  },
  {
    name: "a seal between is removed",
    work: (tx, { id }) => tx`delete from framed.log_seals where workspace_id = ${id} and number = 2`,
    names: { seal: 2 },
    says: "the seal is gone",
  },
  {
    name: "a seal is changed",
    work: (tx, { id }) =>
      tx`update framed.log_seals set hash = sha256('made up') where workspace_id = ${id} and number = 2`,
    names: { seal: 2 },
    says: "other ones are there",
  },
  {
    name: "the chain is cut back and its last seal left",
    work: (tx, { id, ids }) =>
      tx`update framed.log_chains set last_seal = 2, last_id = ${ids[5]!} where workspace_id = ${id}`,
    names: 6,
    says: "outside of the chain",
  },
  {
    name: "the chain's own row is removed",
    work: (tx, { id }) => tx`delete from framed.log_chains where workspace_id = ${id}`,
    names: 0,
    says: "outside of the chain",
  },
  {
    name: "the chain's end is changed",
    work: (tx, { id }) =>
      tx`update framed.log_chains set last_hash = sha256('made up') where workspace_id = ${id}`,
    names: { seal: 3 },
    says: "does not end as its last seal does",
  },
  {
    name: "the chain's start is moved, as if retention had been there",
    work: (tx, { id, ids }) =>
      tx`update framed.log_chains set start_seal = 1, start_id = ${ids[2]!} where workspace_id = ${id}`,
    names: 0,
    says: "inserted",
  },
];

class Undone extends Error {}

for (const { name, work, names, says } of TAMPERINGS) {
  databaseTest(`verifyLog() finds it when ${name}`, async () => {
    const log = await shared();
    let verdict: Verdict | undefined;
    await sql.begin(async (tx) => {
      await work(tx, log);
      verdict = await verifyLog(tx, { workspaceId: log.id });
      throw new Undone();
    }).catch((error) => {
      if (!(error instanceof Undone)) throw error;
    });
    assert(verdict?.holds === false, "it was not found");
    const { eventId, seal, says: words } = verdict.broken;
    assertStringIncludes(words, says);
    if (typeof names === "number") assertEquals(eventId, names < 0 ? "0" : log.ids[names]!);
    else assertEquals([eventId, seal], [null, names.seal]);
  });
}

let made: Promise<{ id: string; ids: string[] }> | undefined;
/** One sealed log of 3 batches of 3, for tamperings that are undone. */
function shared(): Promise<{ id: string; ids: string[] }> {
  return made ??= sealedWorkspace([3, 3, 3]);
}

databaseTest("verifyLog() tells a chain that was remade whole by a hash that was noted earlier", async () => {
  const { id, ids } = await sealedWorkspace([2, 2]);
  const before = await verify(id);
  assert(before.holds);
  const noted = before.head!.hash;
  assertEquals((await verify(id, noted) as { holdsExpected?: boolean }).holdsExpected, true);
  // Whoever owns the database can change a row and seal everything anew: the chain holds, and is another one.
  for (const table of ["log_links", "log_seals", "log_chains"]) {
    await sql`delete from ${sql(`framed.${table}`)} where workspace_id = ${id}`;
  }
  await sql`update framed.log_events set outcome = 'internal' where id = ${ids[0]!}`;
  await sealAll();
  const after = await verify(id, noted);
  assert(after.holds);
  assertEquals(after.holdsExpected, false);
});
