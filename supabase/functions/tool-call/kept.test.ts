/** What a read leaves behind and how it is read again: by the same call, in the list, and under its handle. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, fixtureFile, ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { type ReceivedRequest, startUpstream } from "../../../scripts/testing/upstream.ts";
import { CALLERS, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

let answer: (request: ReceivedRequest) => Response | Promise<Response> = () => Response.json({ rows: [] });
const upstream = startUpstream((request) => answer(request));
const workspace = await openTestWorkspace({
  upstreams: new Map([["rates.example", upstream.url], ["ledger.example", upstream.url]]),
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;
for (const file of [openFile(), fixtureFile(), bookingFile(), ledgerFile()]) await workspace.define(file);

const call = (slug: string, body: JsonObject, as?: Parameters<typeof workspace.call>[2]) =>
  workspace.call(slug, { args: {}, ...body }, as);
/** Without what differs from request to request. */
const shown = ({ request_id: _, ...body }: JsonObject) => body;

databaseTest(
  "a kept read answers with the live one's shape, digest, handle and next, and asks nobody",
  async () => {
    await workspace.define(openFile({
      slug: "pages",
      arguments: { type: "object", properties: { page: { type: "integer" } } },
      request: { method: "GET", url: "https://rates.example/pages?page={page}" },
    }));
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, note: "n".repeat(100) }));
    answer = () =>
      Response.json({ rows, total: 900 }, {
        headers: { link: '<https://rates.example/pages?page=2>; rel="next"' },
      });
    const live = await call("pages", { args: { page: 1 } });
    const before = upstream.requests.length;
    const kept = await call("pages", { args: { page: 1 }, kept: true }, "admin_key");
    assertEquals(upstream.requests.length, before);
    const { result_handle: liveHandle, ...rest } = shown(live.body);
    const { result_handle: keptHandle, ...again } = shown(kept.body);
    assertEquals(again, {
      ...rest,
      answers_with: "kept read",
      read_at: live.body.kept.read_at,
    });
    assertEquals([again.truncated, again.next], [true, { page: 2 }]);
    assert(keptHandle !== liveHandle);
    const page = await workspace.ask(`/results/${keptHandle}?path=rows&offset=399`, { as: "member" });
    assertEquals([page.body.items, page.body.total], [[rows[399]], 400]);
    const whole = await workspace.ask(`/results/${keptHandle}?path=total`, { as: "member" });
    assertEquals(whole.body.items, [900], "all of the answer is kept, not its rows alone");
  },
);

databaseTest("a next page that no argument reaches is kept as that", async () => {
  answer = () =>
    Response.json({ rows: [{ n: 1 }] }, {
      headers: { link: '<https://rates.example/?cursor=x>; rel="next"' },
    });
  assertEquals((await call("rates", { args: { currency: "NXT" } })).body.next, null);
  assertEquals((await call("rates", { args: { currency: "NXT" }, kept: true })).body.next, null);
  answer = () => Response.json({ rows: [] });
  await call("rates", { args: { currency: "NXT" } });
  assertEquals("next" in (await call("rates", { args: { currency: "NXT" }, kept: true })).body, false);
});

databaseTest("what was kept is found by equal arguments, whatever the order of their keys", async () => {
  await workspace.define(openFile({
    slug: "pairs",
    arguments: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } },
    request: { method: "GET", url: "https://rates.example/pairs?a={a}&b={b}" },
  }));
  answer = () => Response.json({ rows: [{ n: 1 }] });
  await call("pairs", { args: { a: 1, b: 2 } });
  assertEquals((await call("pairs", { args: { b: 2, a: 1 }, kept: true })).status, 200);
  const other = await call("pairs", { args: { a: 2, b: 1 }, kept: true });
  assertEquals([other.status, other.body.reason], [404, "not_found"]);
  assertStringIncludes(other.body.detail, "Nothing is kept of this call");
});

databaseTest("a single answer is kept only where the caller asks, and then like rows", async () => {
  answer = () => Response.json({ rate: "1.08" });
  const args = { currency: "USD" };
  assertEquals((await call("rates", { args })).body.kept, { kept: false });
  assertEquals((await call("rates", { args, kept: true })).body.reason, "not_found");
  const persisted = await call("rates", { args, persist: true });
  assertEquals(Object.keys(persisted.body.kept), ["kept", "read_at"]);
  const kept = await call("rates", { args, kept: true });
  assertEquals([kept.body.result, kept.body.kept], [{ rate: "1.08" }, persisted.body.kept]);
  for (const [body, want] of [[null, null], ["plain", "plain"]] as const) {
    answer = () => body === null ? new Response(null, { status: 204 }) : new Response(body);
    await call("rates", { args, persist: true });
    assertEquals((await call("rates", { args, kept: true })).body.result, want);
  }
});

databaseTest("nothing is kept of a fixture, or of a call that failed", async () => {
  const fixture = await call("rooms", { args: { floor: 1 }, persist: true });
  assertEquals(fixture.body.kept, { kept: false });
  assertEquals((await call("rooms", { args: { floor: 1 }, kept: true })).body.reason, "not_found");
  answer = () => Response.json({ rows: [] }, { status: 500 });
  await call("rates", { args: { currency: "ERR" }, persist: true });
  assertEquals((await call("rates", { args: { currency: "ERR" }, kept: true })).body.reason, "not_found");
});

databaseTest("a kept read passes the same gates as a call, and opens no secret", async () => {
  answer = () => Response.json({ rows: [{ id: 1 }] });
  await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: "ledger-secret-value" });
  await call("ledger_open_invoices", { args: { supplier: "Acme" } });
  const removed = await workspace.ask(
    `/tools/ledger_open_invoices/secrets/CONNECTOR_LEDGER?workspace_id=${workspace.id}`,
    { as: "admin", method: "DELETE" },
  );
  assertEquals(removed.status, 204);
  const reasons: [string, JsonObject, string | undefined, Parameters<typeof call>[2]?][] = [
    ["ledger_open_invoices", { args: { supplier: "Acme" } }, "secret_missing"],
    ["ledger_open_invoices", { args: { supplier: "Acme" }, kept: true }, undefined],
    ["ledger_open_invoices", { args: { supplier: 7 }, kept: true }, "bad_arguments"],
    ["ledger_open_invoices", { args: { supplier: "Acme" }, kept: true }, "grant_missing", "bare_member"],
    ["ledger_open_invoices", { args: { supplier: "Acme" }, kept: true }, "not_found", "reseller_key"],
    ["ledger_open_invoices", { args: { supplier: "Acme" }, kept: true }, "unauthenticated", "nobody"],
    ["ledger_open_invoices", { capability: "invoice.read", kept: true }, "capability_not_declared"],
    ["ledger_book_invoice", { args: { number: "1" }, kept: true }, "approval_required"],
    ["missing", { kept: true }, "not_found"],
    ["rates", { kept: true, persist: true }, "bad_request"],
    ["rates", { kept: "yes" }, "bad_request"],
    ["rates", { persist: 1 }, "bad_request"],
  ];
  for (const [slug, body, reason, as] of reasons) {
    const { body: told } = await call(slug, body, as);
    assertEquals([slug, JSON.stringify(body), told.reason], [slug, JSON.stringify(body), reason]);
  }
});

databaseTest("a kept read is logged as one, with no time of the other system", async () => {
  answer = () => Response.json({ rows: [{ id: 1 }] });
  await call("rates", { args: { currency: "LOG" } });
  await call("rates", { args: { currency: "LOG" }, kept: true });
  const [live, kept] = (await workspace.log()).slice(-2);
  assertEquals([live.detail.answers_with, kept.detail.answers_with], ["live system", "kept read"]);
  assertEquals([kept.outcome, kept.upstream_ms, kept.detail.rows], ["ok", null, 1]);
});

databaseTest(
  "another definition sees nothing of what was kept under the one before, whenever that read ends",
  async () => {
    answer = () => Response.json({ rows: [{ id: 1, iban: "hidden" }] });
    const file = (fields: string[]) => openFile({ slug: "swap", result: { fields } });
    await workspace.define(file(["id", "iban"]));
    const kept = await call("swap", {});
    assertEquals(kept.body.kept.kept, true);
    const listed = await reads("swap");
    const handle = listed.body.reads[0].result_handle;

    // A read is under way while the definition changes.
    const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: answerNow } = Promise.withResolvers<void>();
    answer = async () => {
      wasAsked();
      await goOn;
      return Response.json({ rows: [{ id: 2, iban: "hidden" }] });
    };
    const slow = call("swap", {});
    await asked;
    await workspace.define(file(["id"]));
    answerNow();
    assertEquals((await slow).body.kept, { kept: false });
    assertEquals((await call("swap", { kept: true })).body.reason, "not_found");
    assertEquals((await reads("swap")).body.reads, []);
    assertEquals((await workspace.ask(`/results/${handle}`, { as: "member" })).body.reason, "not_found");
    const readBack = await workspace.ask(`/tools/swap?workspace_id=${workspace.id}`, { as: "member" });
    assertEquals(readBack.body.last_read, null);
  },
);

databaseTest(
  "a read that is kept while its definition is swapped is never shown under the other one",
  async () => {
    await workspace.define(openFile({ slug: "race", result: { fields: ["id", "iban"] } }));
    answer = () => Response.json({ rows: [{ id: 1, iban: "hidden" }] });
    await call("race", {});
    // As if the row had gone in between the look at the tool and the swap: it still carries the version before.
    await workspace.define(openFile({ slug: "race", result: { fields: ["id"] } }));
    await sql`
    insert into framed.v2_kept_reads (workspace_id, connector_id, call_digest, args, version, result, row_count, read_at)
    select workspace_id, id, sha256('race'), '{}', version - 1, '[{"iban":"hidden"}]', 1, now()
      from framed.v2_connectors where slug = 'race'`;
    const told = [
      (await reads("race")).text,
      (await workspace.ask(`/tools/race?workspace_id=${workspace.id}`, { as: "member" })).text,
    ];
    assert(told.every((text) => !text.includes("hidden")));
    assertEquals(JSON.parse(told[0]!).reads, []);
  },
);

databaseTest(
  "two reads of one call at once: each gets its own answer, and the later one is kept",
  async () => {
    const waiting: ((response: Response) => void)[] = [];
    const { promise: bothAsked, resolve: bothHaveAsked } = Promise.withResolvers<void>();
    answer = () =>
      new Promise((resolve) => {
        if (waiting.push(resolve) === 2) bothHaveAsked();
      });
    const args = { currency: "TWO" };
    const [first, second] = [call("rates", { args }), call("rates", { args })];
    await bothAsked;
    waiting[0]!(Response.json({ rows: [{ n: "a" }] }));
    const early = await Promise.race([first, second]);
    waiting[1]!(Response.json({ rows: [{ n: "b" }] }));
    const answers = await Promise.all([first, second]);
    assertEquals(answers.map(({ body }) => body.result.rows[0].n).sort(), ["a", "b"]);
    assertEquals(early.body.result.rows, [{ n: "a" }]);
    const kept = await call("rates", { args, kept: true });
    assertEquals(kept.body.result.rows, [{ n: "b" }]);
    assertEquals(
      (await reads("rates", "limit=200")).body.reads.filter(
        (read: JsonObject) => (read.args as JsonObject).currency === "TWO",
      ).length,
      1,
    );
  },
);

databaseTest(
  "a read that is replaced while another answers from it comes out whole, one or the other",
  async () => {
    let round = 0;
    answer = () => {
      round++;
      return Response.json({ rows: Array.from({ length: 50 }, () => ({ round })) });
    };
    const args = { currency: "MIX" };
    await call("rates", { args });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => call("rates", at % 2 === 0 ? { args } : { args, kept: true })),
    );
    for (const { status, body } of answers) {
      assertEquals(status, 200);
      assertEquals(new Set(body.result.rows.map((row: JsonObject) => row.round)).size, 1);
    }
  },
);

function reads(slug: string, query = "", as: Parameters<typeof workspace.ask>[1]["as"] = "member") {
  return workspace.ask(`/tools/${slug}/reads?workspace_id=${workspace.id}&${query}`, { as });
}

databaseTest("the list of kept reads: newest first, in pages, each with a handle that reads it", async () => {
  await workspace.define(openFile({ slug: "many" }));
  for (let at = 0; at < 7; at++) {
    answer = () => Response.json({ rows: Array.from({ length: at }, (_, n) => ({ n })) });
    await call("many", { args: { currency: `C${at}` } });
  }
  const seen: JsonObject[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { status, body }: Awaited<ReturnType<typeof reads>> = await reads(
      "many",
      `limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    assertEquals(status, 200, JSON.stringify(body));
    seen.push(...body.reads);
    cursor = body.next_cursor;
  }
  assertEquals(
    seen.map(({ args, rows }) => [(args as JsonObject).currency, rows]),
    [6, 5, 4, 3, 2, 1, 0].map((at) => [
      `C${at}`,
      at,
    ]),
  );
  assertEquals(Object.keys(seen[0]!), ["args", "rows", "read_at", "result_handle"]);
  const { body } = await workspace.ask(`/results/${seen[1]!.result_handle}?path=rows`, { as: "member" });
  assertEquals([body.total, body.read_at], [5, seen[1]!.read_at]);
  assertEquals((await reads("many", "limit=0")).body.reason, "bad_request");
  const madeUp = btoa("9999999999999 ffffffff-ffff-ffff-ffff-ffffffffffff").replaceAll("=", "");
  assertEquals((await reads("many", `cursor=${madeUp}`)).body.reads.length, 7);
  assertEquals((await reads("many", `cursor=${btoa("nonsense").replaceAll("=", "")}`)).status, 200);
});

databaseTest(
  "a kept read of a capability names it, and is another than that of another operation",
  async () => {
    await workspace.define(openFile({
      slug: "crm",
      arguments: { type: "object", properties: { id: { type: "string" } } },
      request: { method: "GET", url: "https://rates.example/contacts" },
      capabilities: [{ id: "contact.read", operations: ["list"] }, { id: "deal.read", operations: ["list"] }],
      fixtures: [
        { example: { capability: "contact.read", operation: "list" }, response: [] },
        { example: { capability: "deal.read", operation: "list" }, response: [] },
      ],
    }));
    answer = () => Response.json([{ id: "1" }]);
    const named = { capability: "contact.read", operation: "list" };
    await call("crm", named);
    const { body } = await reads("crm");
    assertEquals(body.reads.map(({ read_at: _, result_handle: __, ...read }: JsonObject) => read), [
      { args: {}, ...named, rows: 1 },
    ]);
    assertEquals((await call("crm", { ...named, kept: true })).status, 200);
    assertEquals(
      (await call("crm", { ...named, capability: "deal.read", kept: true })).body.reason,
      "not_found",
    );
  },
);

databaseTest("who may list kept reads and open them: the grant, and a partner its own tools", async () => {
  await workspace.define(openFile({ slug: "partners" }), "reseller_key");
  answer = () => Response.json({ rows: [{ n: 1 }] });
  await call("partners", {}, "reseller_key");
  await call("rates", { args: { currency: "WHO" } });
  const handles = [
    (await reads("rates")).body.reads[0].result_handle,
    (await reads("partners")).body.reads[0].result_handle,
  ];
  const expected: Record<(typeof CALLERS)[number], [string | undefined, string | undefined]> = {
    admin: [undefined, undefined],
    second_admin: [undefined, undefined],
    member: [undefined, undefined],
    admin_key: [undefined, undefined],
    bare_member: ["grant_missing", "grant_missing"],
    reseller_key: ["not_found", undefined],
    stranger: ["not_found", "not_found"],
    stranger_key: ["not_found", "not_found"],
    stranger_reseller_key: ["not_found", "not_found"],
    nobody: ["unauthenticated", "unauthenticated"],
  };
  for (const as of CALLERS) {
    const lists = [await reads("rates", "", as), await reads("partners", "", as)];
    assertEquals([as, ...lists.map(({ body }) => body.reason)], [as, ...expected[as]]);
    const opened = await Promise.all(handles.map((handle) => workspace.ask(`/results/${handle}`, { as })));
    assertEquals([as, ...opened.map(({ body }) => body.reason)], [as, ...expected[as]]);
  }
  const [hidden, missing] = [
    await reads("rates", "", "reseller_key"),
    await reads("missing", "", "reseller_key"),
  ];
  assertEquals(
    hidden.text.replace(hidden.body.request_id, ""),
    missing.text.replace(missing.body.request_id, ""),
  );
});

databaseTest("read-back tells of the newest read, rows or a single answer", async () => {
  await workspace.define(openFile({ slug: "last" }));
  const last = async () =>
    (await workspace.ask(`/tools/last?workspace_id=${workspace.id}`, { as: "member" })).body.last_read;
  assertEquals(await last(), null);
  answer = () => Response.json({ rows: [{ n: 1 }, { n: 2 }] });
  const { body } = await call("last", { args: { currency: "EUR" } });
  assertEquals(await last(), {
    args: { currency: "EUR" },
    rows: 2,
    first: { n: 1 },
    read_at: body.kept.read_at,
  });
  answer = () => Response.json({ rate: 1 });
  const { body: single } = await call("last", { args: { currency: "USD" }, persist: true });
  assertEquals(await last(), {
    args: { currency: "USD" },
    rows: null,
    first: null,
    read_at: single.kept.read_at,
  });
});
