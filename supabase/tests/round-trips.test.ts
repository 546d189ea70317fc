/**
 * How often a call waits for the database, counted by a proxy in front of it: twice for a read and for a proposal, once for
 * a refusal, three times for a decision that sends. And
 * that none of it is bought with authority that is remembered.
 */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../scripts/testing/database.ts";
import { type DelayingProxy, startDelayingProxy } from "../../scripts/testing/delaying-proxy.ts";
import { bookingFile, fixtureFile, ledgerFile, openFile } from "../../scripts/testing/files.ts";
import { startUpstream } from "../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../scripts/testing/workspace.ts";
import { createKey, hashKey } from "../functions/_shared/auth/keys.ts";
import type { JsonObject } from "../functions/_shared/definition/json.ts";

const DELAY_MS = 5;

const upstream = startUpstream(() => Response.json({ rows: [{ id: 1 }] }));
let proxy: DelayingProxy;
const workspace = await openTestWorkspace({
  upstreams: new Map([["ledger.example", upstream.url], ["rates.example", upstream.url]]),
  databaseUrl(direct) {
    const url = new URL(direct);
    proxy = startDelayingProxy({ hostname: url.hostname, port: Number(url.port), delayMs: DELAY_MS });
    return Object.assign(url, { port: String(proxy.port) }).href;
  },
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  proxy.close();
  upstream.close();
});
const { sql } = workspace.database;
for (
  const file of [
    ledgerFile(),
    openFile(),
    fixtureFile(),
    bookingFile({ auth: { secret: "CONNECTOR_LEDGER" } }),
    ledgerFile({ slug: "waiting", auth: { secret: "CONNECTOR_WAITING" } }),
    openFile({
      slug: "ruled",
      rules: [{ path: "currency", op: "equals", value: "XXX", then: "deny", say: "No." }],
    }),
  ]
) {
  assertEquals((await workspace.define(file)).status, 200);
}
await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: "a-token-of-the-test" });

interface Case {
  readonly name: string;
  readonly slug: string;
  readonly body?: JsonObject | string;
  readonly as?: CallerName;
  readonly reason?: string;
  readonly trips: number;
  /** Nobody's call, and one that reaches no workspace, has no log to have a row in. */
  readonly rows?: number;
}

const CASES: readonly Case[] = [
  { name: "a read with a secret and kept rows", slug: "ledger_open_invoices", trips: 2 },
  { name: "a read of a kept read", slug: "ledger_open_invoices", body: { kept: true }, trips: 2 },
  { name: "a read by session", slug: "rates", as: "member", trips: 2 },
  { name: "a fixture's answer", slug: "rooms", trips: 2 },
  { name: "no key", slug: "rates", as: "nobody", reason: "unauthenticated", trips: 0, rows: 0 },
  { name: "a workspace out of reach", slug: "rates", as: "stranger", reason: "not_found", trips: 1, rows: 0 },
  { name: "no grant", slug: "rates", as: "bare_member", reason: "grant_missing", trips: 1 },
  { name: "a bad shape", slug: "rates", body: { extra: 1 }, reason: "bad_request", trips: 1 },
  { name: "no such tool", slug: "missing", reason: "not_found", trips: 1 },
  { name: "a tool that is hidden", slug: "rates", as: "reseller_key", reason: "not_found", trips: 1 },
  { name: "bad arguments", slug: "rates", body: { args: { nope: 1 } }, reason: "bad_arguments", trips: 1 },
  {
    name: "a capability",
    slug: "rates",
    body: { capability: "a.read" },
    reason: "capability_not_declared",
    trips: 1,
  },
  {
    name: "a rule that denies",
    slug: "ruled",
    body: { args: { currency: "XXX" } },
    reason: "rule_denied",
    trips: 1,
  },
  {
    name: "what waits for a person",
    slug: "ledger_book_invoice",
    body: { args: { number: "1" } },
    trips: 2,
  },
  { name: "a value that is not there", slug: "waiting", reason: "secret_missing", trips: 1 },
];

for (const { name, slug, body = {}, as = "admin_key", reason, trips, rows = 1 } of CASES) {
  databaseTest(`a call waits ${trips} times for the database: ${name}`, async () => {
    const ask = () => workspace.call(slug, body as JsonObject, as);
    for (let i = 0; i < 2; i++) await ask(); // prepares statements, and shows the process the definition
    const [tripsBefore, rowsBefore, startedAt] = [
      proxy.roundTrips(),
      await workspace.log(),
      performance.now(),
    ];
    const answered = await ask();
    const tookMs = performance.now() - startedAt;
    assertEquals([answered.body.reason, proxy.roundTrips() - tripsBefore], [reason, trips]);
    assert(tookMs >= trips * (DELAY_MS - 1), "the proxy held each answer back");
    const written = (await workspace.log()).slice(rowsBefore.length);
    assertEquals(written.map(({ outcome }) => outcome), Array(rows).fill(reason ?? "ok"));
  });
}

/** Counts what `work` waits for the database, once everything it takes was prepared by an earlier one. */
async function countTrips(work: () => Promise<unknown>): Promise<number> {
  const before = proxy.roundTrips();
  await work();
  return proxy.roundTrips() - before;
}

databaseTest("a proposal waits 2 times, a decision that sends 3 times, a rejection 2 times", async () => {
  const propose = async (number: string) =>
    (await workspace.call("ledger_book_invoice", { args: { number } }, "admin_key")).body
      .approval_id as string;
  const decide = async (id: string, decision: "approve" | "reject") => {
    const { body: { digest } } = await workspace.ask(`/approvals/${id}`, { as: "member" });
    let status = "";
    const trips = await countTrips(async () => {
      const decided = await workspace.ask(`/approvals/${id}/decision`, {
        as: "member",
        body: { decision, digest },
      });
      status = decided.body.status;
    });
    return [status, trips];
  };
  // Each of these is sent once first: a statement is prepared when it is first sent, which waits once more.
  await decide(await propose("first"), "approve");
  await decide(await propose("second"), "reject");
  assertEquals(await countTrips(() => propose("third")), 2);
  assertEquals(await decide(await propose("fourth"), "approve"), ["applied", 3]);
  assertEquals(await decide(await propose("fifth"), "reject"), ["rejected", 2]);
});

databaseTest(
  "a chain waits 2 times to be proposed, and once more to be sent for each further call",
  async () => {
    const calls = (number: string) =>
      [1, 2, 3].map((part) => ({
        tool: "ledger_book_invoice",
        args: { number: `${number}-${part}` },
      }));
    const propose = async (number: string) => {
      const body = { workspace_id: workspace.id, calls: calls(number) };
      return (await workspace.ask("/tools/calls", { as: "admin_key", body })).body.approval_id as string;
    };
    const approve = async (id: string) => {
      const { body: { digest } } = await workspace.ask(`/approvals/${id}`, { as: "member" });
      return await countTrips(() =>
        workspace.ask(`/approvals/${id}/decision`, { as: "member", body: { decision: "approve", digest } })
      );
    };
    await approve(await propose("one"));
    assertEquals(await countTrips(() => propose("two")), 2);
    assertEquals(await approve(await propose("three")), 5);
  },
);

databaseTest(
  "the calls of days take no more trips than a page of the log: one within the transaction",
  async () => {
    const read = (path: string) =>
      workspace.ask(`${path}?workspace_id=${workspace.id}&tool=rates`, { as: "member" });
    const trips = async (path: string) => {
      await read(path); // prepares its statement
      return await countTrips(() => read(path));
    };
    assertEquals(await trips("/log/days"), await trips("/log"));
  },
);

databaseTest("a key that nobody issued costs one round trip, and tells nothing", async () => {
  const headers = { "x-framed-api-key": createKey() };
  const body = { workspace_id: workspace.id, args: {} };
  const ask = () => workspace.ask("/tools/rates/call", { as: "nobody", headers, body });
  await ask();
  const before = proxy.roundTrips();
  assertEquals((await ask()).body.reason, "unauthenticated");
  assertEquals(proxy.roundTrips() - before, 1);
});

databaseTest(
  "a refusal that the process has not seen the definition for takes two round trips, and one row",
  async () => {
    await workspace.define(openFile({ slug: "fresh" }));
    const rowsBefore = await workspace.log();
    const before = proxy.roundTrips();
    assertEquals((await workspace.call("fresh", { args: { nope: 1 } })).body.reason, "bad_arguments");
    assertEquals(proxy.roundTrips() - before, 2);
    assertEquals((await workspace.log()).length - rowsBefore.length, 1);
  },
);

databaseTest(
  "the first refused call of a caller takes two round trips however well the tool is known, and the next one",
  async () => {
    await workspace.define(openFile({ slug: "shared" }));
    const refusedTrips = async (as: CallerName) => {
      const before = proxy.roundTrips();
      const { body } = await workspace.call("shared", { args: { nope: 1 } }, as);
      assertEquals(body.reason, "bad_arguments");
      return proxy.roundTrips() - before;
    };
    const trips: number[] = [];
    for (const as of ["second_admin", "second_admin", "admin_key", "admin_key"] as const) {
      trips.push(await refusedTrips(as));
    }
    assertEquals(trips, [2, 1, 2, 1]);
  },
);

databaseTest("another definition counts from the very next call, whatever the process has seen", async () => {
  const call = () => workspace.call("replaced", { args: { currency: "EUR" } });
  await workspace.define(openFile({ slug: "replaced" }));
  assertEquals([(await call()).status, (await call()).status], [200, 200]);
  await workspace.define(
    openFile({
      slug: "replaced",
      arguments: { type: "object", properties: {} },
      request: {
        method: "GET",
        url: "https://rates.example/v2/rates",
      },
    }),
  );
  assertEquals((await call()).body.reason, "bad_arguments");
  await workspace.define(openFile({ slug: "replaced" }));
  assertEquals((await call()).status, 200);
});

databaseTest("authority that is taken away is gone at the very next call", async () => {
  const call = (as: CallerName) => workspace.call("rates", { args: {} }, as).then(({ body }) => body.reason);
  const key = createKey();
  await sql`insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash) values
    ('raw', ${workspace.accountId}, ${workspace.id}, ${workspace.people.admin}, 'Short', decode(${
    hashKey(
      key,
    )
  }, 'hex'))`;
  const callWithKey = () =>
    workspace.ask("/tools/rates/call", {
      as: "nobody",
      headers: { "x-framed-api-key": key },
      body: { workspace_id: workspace.id, args: {} },
    }).then(({ body }) => body.reason);
  assertEquals([await call("member"), await callWithKey()], [undefined, undefined]);
  await sql`update framed.api_keys set revoked_at = now() where name = 'Short'`;
  assertEquals(await callWithKey(), "unauthenticated");
  await sql`update framed.members set grants = '{}' where user_id = ${workspace.people.member}`;
  assertEquals(await call("member"), "grant_missing");
  await sql`delete from framed.members where user_id = ${workspace.people.member}`;
  assertEquals(await call("member"), "not_found");
  await sql`delete from framed.v2_connectors where slug = 'rates'`;
  assertEquals(await call("admin_key"), "not_found");
});
