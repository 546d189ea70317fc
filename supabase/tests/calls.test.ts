/** What the two sides of a call touch beside what they answer: used keys, withheld values, kept rows. */

import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";
import { NO_LIMITS } from "../../scripts/testing/limits.ts";
import {
  addKey,
  addTwoAccounts,
  presentedKey,
  TEST_FORESEEN,
  TEST_SLUG,
} from "../../scripts/testing/two-accounts.ts";
import { hashKey } from "../functions/_shared/auth/keys.ts";
import { closeCall, openCall } from "../functions/_shared/calls/store.ts";
import { leavingFrom } from "../functions/_shared/results/leaving.ts";
import type { LogEvent } from "../functions/_shared/log/event.ts";

const { sql, url } = await openTestDatabase();
const { here, sibling, stranger } = await addTwoAccounts(sql);

databaseTest("openCall() leaves out a sealed value that no administrator allowed to the tool", async () => {
  await sql`update framed.v2_connector_secret_uses set allowed_at = null where connector_id = ${sibling.connectorId}`;
  const opened = await openCall(sql, {
    presented: presentedKey(sibling.rawKey),
    workspaceId: sibling.id,
    slug: TEST_SLUG,
    foreseen: TEST_FORESEEN,
    limits: NO_LIMITS,
  });
  assertEquals(opened.tool?.uses.map(({ set, allowed }) => ({ set, allowed })), [{
    set: true,
    allowed: false,
  }]);
  assertEquals(opened.sealed, []);
});

databaseTest(
  "openCall() marks a key as used, once a minute, without waiting for who else marks it",
  async () => {
    const key = await addKey(sql, {
      kind: "raw",
      accountId: here.accountId,
      workspaceId: here.id,
      userId: here.admin.id,
    });
    const hash = hashKey(key);
    const open = async () => {
      await openCall(sql, {
        presented: { key_hash: hash },
        workspaceId: here.id,
        slug: TEST_SLUG,
        foreseen: TEST_FORESEEN,
        limits: NO_LIMITS,
      });
      const [row] =
        await sql`select last_used_at from framed.api_keys where key_hash = decode(${hash}, 'hex')`;
      return row!.last_used_at as Date | null;
    };
    const other = postgres(url, { max: 1, fetch_types: false });
    try {
      const untouched = await other.begin(async (tx) => {
        await tx`select from framed.api_keys where key_hash = decode(${hash}, 'hex') for update`;
        return await open();
      });
      assertEquals(untouched, null, "the row was held by another transaction");
    } finally {
      await other.end();
    }
    const first = await open();
    assertEquals(first === null, false);
    assertEquals(await open(), first);
  },
);

databaseTest("closeCall() keeps nothing for a tool that is not the workspace's", async () => {
  const event: LogEvent = {
    event: "tool.called",
    request_id: "req_crossing",
    principal: { kind: "raw_key", id: here.admin.id, name: null },
    tool: TEST_SLUG,
    connector_id: stranger.connectorId,
    version: 1,
    operation: null,
    args: {},
    outcome: "ok",
    total_ms: 1,
  };
  const remains = {
    readAt: new Date().toISOString(),
    resultId: crypto.randomUUID(),
    leaving: leavingFrom([{ id: 1 }]),
    keepFor: { args: { of: "crossing" } },
    next: undefined,
  };
  const before = await countKept();
  assertEquals(await closeCall(sql, { workspaceId: here.id, event, remains }), { kept: false });
  assertEquals(await countKept(), before);

  const own = { ...event, connector_id: here.connectorId };
  const kept = await closeCall(sql, { workspaceId: here.id, event: own, remains });
  assertEquals(kept.kept, true, "the same of its own tool is kept");
  assertEquals(
    await closeCall(sql, { workspaceId: here.id, event: { ...own, version: 2 }, remains }),
    { kept: false },
    "another definition took its place meanwhile",
  );
  const logged = await sql`
    select distinct workspace_id from framed.log_events where request_id = 'req_crossing'`;
  assertEquals(logged.map((row) => row.workspace_id), [here.id]);
});

for (const lost of ["the request", "the answer"] as const) {
  databaseTest(`closeCall() writes once where ${lost} of it is lost with the connection`, async () => {
    let asked = 0;
    const db = new Proxy(sql, {
      async apply(target, self, args) {
        const isFirst = asked++ === 0;
        const answer = isFirst && lost === "the request"
          ? null
          : await Reflect.apply(target as never, self, args);
        if (isFirst) throw Object.assign(new Error("lost"), { code: "CONNECTION_CLOSED" });
        return answer;
      },
    });
    const readAt = new Date().toISOString();
    const event: LogEvent = {
      event: "tool.called",
      request_id: `req_lost_${lost}`,
      principal: { kind: "raw_key", id: here.admin.id, name: null },
      tool: TEST_SLUG,
      connector_id: here.connectorId,
      version: 1,
      operation: null,
      args: {},
      outcome: "ok",
      total_ms: 1,
    };
    const remains = {
      readAt,
      resultId: crypto.randomUUID(),
      leaving: leavingFrom([{ id: 1 }]),
      keepFor: { args: { of: lost } },
      next: undefined,
    };
    const before = await countKept();
    const kept = await closeCall(db, { workspaceId: here.id, event, remains });
    assertEquals([asked, kept.kept && [kept.rows, new Date(kept.read_at).toISOString()]], [2, [1, readAt]]);
    assertEquals((await sql`select from framed.log_events where request_id = ${event.request_id}`).count, 1);
    assertEquals(await countKept(), before + 2);
  });
}

async function countKept(): Promise<number> {
  const [row] = await sql`
    select (select count(*) from framed.v2_kept_reads)::int + (select count(*) from framed.v2_results)::int as rows`;
  return row!.rows;
}
