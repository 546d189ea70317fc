import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, fixtureFile, ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { createTestAuthority } from "../../../scripts/testing/pki.ts";
import { type ReceivedRequest, startUpstream } from "../../../scripts/testing/upstream.ts";
import { CALLERS, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const CANARY = "canary/7b1e+55d0=49aa, do not tell";

const authority = await createTestAuthority();
let answer: (request: ReceivedRequest) => Response | Promise<Response> = () => Response.json({ rows: [] });
const upstream = startUpstream((request) => answer(request));
const secure = startUpstream((request) => answer(request), {
  certificate: await authority.certify("ledger.example"),
});
const workspace = await openTestWorkspace({
  upstreams: new Map([["ledger.example", secure.url], ["rates.example", upstream.url]]),
  extraCa: authority.ca,
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
  secure.close();
});
const { sql } = workspace.database;
for (const file of [ledgerFile(), openFile(), fixtureFile(), bookingFile()]) {
  await workspace.define(file);
}
await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: CANARY });

const requests = () => upstream.requests.length + secure.requests.length;

databaseTest(
  "a read reaches the live system with its secret, over TLS for the file's own host name",
  async () => {
    answer = () => Response.json({ rows: [{ id: 1 }, { id: 2 }] });
    const { status, body } = await workspace.call("ledger_open_invoices", {
      args: { supplier: "Acme & Sons" },
    });
    assertEquals(status, 200, JSON.stringify(body));
    const { request_id: _, kept, ...rest } = body;
    assertEquals(rest, {
      ok: true,
      tool: "ledger_open_invoices",
      tool_name: "Open invoices",
      ran: true,
      answers_with: "live system",
      result: { rows: [{ id: 1 }, { id: 2 }] },
      truncated: false,
      audit: "connector=ledger_open_invoices capability=- operation=- mode=live ok=true truncated=false",
    });
    assertEquals([kept.kept, kept.rows], [true, 2]);
    const sent = secure.requests.at(-1)!;
    assertEquals([sent.method, sent.target], ["GET", "/api/invoices?supplier=Acme%20%26%20Sons"]);
    assertEquals([sent.headers.get("authorization"), sent.headers.get("host")], [
      `Bearer ${CANARY}`,
      "ledger.example",
    ]);
  },
);

databaseTest("a fixture tool answers its example, says so, and keeps nothing", async () => {
  const { body } = await workspace.call("rooms", { args: { floor: 1 } });
  assertEquals(body.answers_with, "configured example");
  assertEquals(body.result, { rooms: [{ name: "Oak" }, { name: "Elm" }] });
  assertEquals(body.kept, { kept: false });
  assertStringIncludes(body.note, "inventing");
  assertEquals(
    (await sql`select count(*)::int as n from framed.v2_kept_reads k
    join framed.v2_connectors c on c.id = k.connector_id where c.slug = 'rooms'`)[0]!.n,
    0,
  );
});

databaseTest("what waits for a person is proposed, and nothing is sent", async () => {
  const before = requests();
  const { status, body } = await workspace.call("ledger_book_invoice", { args: { number: "1" } });
  assertEquals([status, body.ran, body.status], [202, false, "awaiting_approval"]);
  assertEquals(requests(), before);
});

databaseTest(
  "wrong arguments are refused with every problem, before a secret is opened or anything is sent",
  async () => {
    const before = requests();
    // A value that does not open would answer `internal`: that it does not shows that none was opened.
    await sql`update framed.v2_connector_secrets set sealed = '\\x01' where name = 'CONNECTOR_LEDGER'`;
    const { status, body } = await workspace.call("ledger_open_invoices", {
      args: { supplier: 7, suplier: "x" },
    });
    assertEquals([status, body.reason], [400, "bad_arguments"]);
    assertEquals(body.problems.length, 2, JSON.stringify(body.problems));
    assertEquals((await workspace.call("ledger_open_invoices")).status, 500);
    await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: CANARY });
    assertEquals(requests(), before);
  },
);

databaseTest("who may call: the grant, and a partner its own tools", async () => {
  answer = () => Response.json({ rows: [] });
  await workspace.define(openFile({ slug: "partners_rates" }), "reseller_key");
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
    const reasons = [];
    for (const slug of ["rates", "partners_rates"]) {
      reasons.push((await workspace.call(slug, { args: {} }, as)).body.reason);
    }
    assertEquals([as, ...reasons], [as, ...expected[as]]);
  }
});

databaseTest("a tool that is hidden answers with the bytes of one that is missing", async () => {
  const [hidden, missing] = [
    await workspace.call("rates", { args: {} }, "reseller_key"),
    await workspace.call("missing", { args: {} }, "reseller_key"),
  ];
  assertEquals(
    hidden.text.replace(hidden.body.request_id, ""),
    missing.text.replace(missing.body.request_id, ""),
  );
});

databaseTest("a call is decided in order: authority, shape, existence, state", async () => {
  const ask = (as: Parameters<typeof workspace.ask>[1]["as"], slug: string, body: unknown) =>
    workspace.ask(`/tools/${slug}/call`, { as, body });
  const id = workspace.id;
  const table: [Parameters<typeof workspace.ask>[1]["as"], string, unknown, string][] = [
    ["nobody", "rates", "{", "unauthenticated"],
    ["bare_member", "rates", { workspace_id: id, args: 7 }, "grant_missing"],
    ["member", "rates", "{", "bad_json"],
    ["member", "rates", { args: {} }, "bad_request"],
    ["member", "missing", { workspace_id: id, args: [] }, "bad_request"],
    ["member", "missing", { workspace_id: id, extra: 1 }, "bad_request"],
    ["member", "missing", { workspace_id: id }, "not_found"],
    ["member", "Missing%0A", { workspace_id: id }, "not_found"],
    ["member", "missing%00", { workspace_id: id }, "bad_request"],
    ["member", "rates", { workspace_id: workspace.strangersId }, "not_found"],
    ["member", "rates", { workspace_id: id, capability: "contact.read" }, "capability_not_declared"],
  ];
  for (const [as, slug, body, reason] of table) {
    assertEquals([slug, (await ask(as, slug, body)).body.reason], [slug, reason]);
  }
});

databaseTest(
  "a tool with capabilities is called by one it declares, and a write is denied before anything is sent",
  async () => {
    answer = () => Response.json([{ id: "1", name: "Acme", iban: "NL00" }]);
    const example = (operation: string, more: JsonObject = {}) => ({
      capability: "contact.read",
      operation,
      ...more,
    });
    const defined = await workspace.define(openFile({
      slug: "contacts",
      arguments: { type: "object", properties: { id: { type: "string" } } },
      request: { method: "GET", url: "https://rates.example/contacts" },
      capabilities: [{
        id: "contact.read",
        operations: ["list", "get"],
        requests: { get: { method: "GET", url: "https://rates.example/contacts/{id}" } },
        result: { fields: ["id", "name"] },
      }],
      fixtures: [
        { example: example("list"), response: [] },
        { example: example("get", { id: "1" }), response: { id: "1", name: "Acme" } },
      ],
    }));
    assertEquals(defined.status, 200, JSON.stringify(defined.body));
    const listed = await workspace.call("contacts", {
      args: {},
      capability: "contact.read",
      operation: "list",
    });
    assertEquals(listed.body.result, [{ id: "1", name: "Acme" }]);
    assertEquals(
      listed.body.audit,
      "connector=contacts capability=contact.read operation=list mode=live ok=true truncated=false",
    );
    await workspace.call("contacts", { args: { id: "7" }, capability: "contact.read", operation: "get" });
    assertEquals(upstream.requests.at(-1)!.target, "/contacts/7");
    const before = requests();
    const table: [JsonObject, string][] = [
      [{ args: {} }, "capability_missing"],
      [{ args: {}, capability: "invoice.read", operation: "list" }, "capability_not_declared"],
      [{ args: {}, capability: "contact.read" }, "operation_missing"],
      [{ args: {}, capability: "contact.read", operation: "delete" }, "operation_denied"],
      [{ args: {}, capability: "contact.read", operation: "search" }, "operation_not_declared"],
      [{ args: {}, capability: "contact.read", operation: "get" }, "bad_arguments"],
    ];
    for (const [body, reason] of table) {
      const denied = await workspace.call("contacts", body);
      assertEquals(denied.body.reason, reason);
      assert(!("result" in denied.body));
    }
    assertEquals(requests(), before);
  },
);

databaseTest("what the other system does wrong has a reason each", async () => {
  const html = (status: number) =>
    new Response("<html>busy</html>", { status, headers: { "content-type": "text/html" } });
  const table: [string, () => Response, number, string][] = [
    [
      "redirect",
      () => new Response(null, { status: 302, headers: { location: "https://rates.example/other" } }),
      502,
      "upstream_refused_redirect",
    ],
    ["401", () => Response.json({ error: "no" }, { status: 401 }), 502, "upstream_failed"],
    ["429 in HTML", () => html(429), 502, "upstream_failed"],
    ["500", () => html(500), 502, "upstream_failed"],
    [
      "half a JSON",
      () => new Response('{"rows":[', { headers: { "content-type": "application/json" } }),
      502,
      "upstream_bad_answer",
    ],
    [
      "a picture",
      () => new Response(new Uint8Array([137, 80]), { headers: { "content-type": "image/png" } }),
      502,
      "upstream_bad_answer",
    ],
    [
      "6 MiB",
      () => new Response("x".repeat(6 * 1024 * 1024), { headers: { "content-type": "text/plain" } }),
      502,
      "upstream_too_large",
    ],
  ];
  for (const [name, give, status, reason] of table) {
    answer = give;
    const { status: got, body } = await workspace.call("rates");
    assertEquals([name, got, body.reason], [name, status, reason]);
  }
  answer = () => Response.json({ error: "no such supplier" }, { status: 422 });
  assertStringIncludes((await workspace.call("rates")).body.detail, "no such supplier");
  assertStringIncludes((await workspace.call("rates")).body.detail, "422");
});

databaseTest(
  "answers that are no rows come back as they are: a text, nothing, null, an id with all its digits",
  async () => {
    const table: [Response, unknown][] = [
      [
        new Response("plain words", { headers: { "content-type": "text/plain; charset=utf-8" } }),
        "plain words",
      ],
      [new Response(null, { status: 204 }), null],
      [Response.json(null), null],
      [
        new Response('{"id":123456789012345678,"small":1}', {
          headers: { "content-type": "application/json" },
        }),
        { id: "123456789012345678", small: 1 },
      ],
      [new Response('{"note":"a\\u0000b"}', { headers: { "content-type": "application/json" } }), {
        note: "a\0b",
      }],
    ];
    for (const [response, result] of table) {
      answer = () => response;
      const { status, body } = await workspace.call("rates");
      assertEquals([status, body.result, body.kept], [200, result, { kept: false }]);
    }
    answer = () =>
      new Response('{"rows":[{"note":"a\\u0000b"}]}', { headers: { "content-type": "application/json" } });
    assertEquals(
      (await workspace.call("rates")).body.kept.kept,
      true,
      "rows with escapes no text can hold are kept too",
    );
  },
);

databaseTest("rows are kept per call and replaced by the next read of the same call", async () => {
  const read = async (currency: string, rows: JsonObject[]) => {
    answer = () => Response.json({ rows });
    return (await workspace.call("rates", { args: { currency } })).body.kept;
  };
  await sql`delete from framed.v2_kept_reads`;
  await read("EUR", [{ n: 1 }]);
  await read("USD", [{ n: 2 }]);
  await read("EUR", [{ n: 3 }, { n: 4 }]);
  const kept =
    await sql`select args ->> 'currency' as currency, result, row_count from framed.v2_kept_reads order by 1`;
  assertEquals(kept.map(({ currency, result, row_count }) => [currency, result, row_count]), [
    ["EUR", { rows: [{ n: 3 }, { n: 4 }] }, 2],
    ["USD", { rows: [{ n: 2 }] }, 1],
  ]);
});

databaseTest(
  "a long answer goes out as a digest, and its pages come back whole under its handle",
  async () => {
    const rows = Array.from({ length: 500 }, (_, id) => ({ id, note: "n".repeat(100) }));
    answer = () => Response.json({ data: { rows } });
    await workspace.define(openFile({ slug: "long", result: { rows: "data.rows" } }));
    const { body, text } = await workspace.call("long");
    assertEquals([body.truncated, body.result.total, body.kept.rows], [true, 500, 500]);
    assert(text.length < 20 * 1024, `${text.length}`);
    const page = (query: string, as: Parameters<typeof workspace.ask>[1]["as"] = "member") =>
      workspace.ask(`/results/${body.result_handle}?${query}`, { as });
    const seen: unknown[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const { body: { items, total, next_offset } } = await page(`path=data.rows&offset=${offset}&limit=200`);
      assertEquals(total, 500);
      seen.push(...items);
      offset = next_offset;
    }
    assertEquals(seen, rows);
    assertEquals((await page("path=data.rows.7.id")).body.items, [7]);
    assertEquals((await page("path=data.nothing")).body.reason, "not_found");
    assertEquals((await page("offset=-1")).body.reason, "bad_request");
    assertEquals((await page("", "bare_member")).body.reason, "grant_missing");
    const hidden = await page("", "stranger");
    const missing = await workspace.ask(`/results/${"A".repeat(43)}?`, { as: "stranger" });
    assertEquals(
      hidden.text.replace(hidden.body.request_id, ""),
      missing.text.replace(missing.body.request_id, ""),
    );
    assertEquals((await page("", "reseller_key")).body.reason, "not_found");
    await workspace.define(openFile({ slug: "long", result: { rows: "data.rows", fields: ["id"] } }));
    assertEquals(
      (await page("")).body.reason,
      "not_found",
      "another definition may withhold what this one let out",
    );
  },
);

databaseTest("every call has exactly one log row: who, what, how it ended, how long", async () => {
  await sql`truncate framed.log_events`;
  answer = () => Response.json({ rows: [{ id: 1 }] });
  await workspace.call("rates", { args: { currency: "EUR" } });
  await workspace.call("rates", { args: { nope: 1 } });
  await workspace.call("missing");
  await workspace.call("rates", { args: {} }, "bare_member");
  await workspace.call("ledger_book_invoice", { args: { number: "1" } });
  answer = () => new Response(null, { status: 500 });
  await workspace.call("rates", { args: {} }, "admin_key");
  await workspace.call("rates", { args: {} }, "nobody");
  const log = await workspace.log();
  assertEquals(log.map((row) => [row.event, row.tool, row.outcome, row.principal.kind, row.principal.name]), [
    ["tool.called", "rates", "ok", "session", "Mo Member"],
    ["tool.called", "rates", "bad_arguments", "session", "Mo Member"],
    ["tool.called", "missing", "not_found", "session", "Mo Member"],
    ["tool.called", "rates", "grant_missing", "session", "Bo Bare"],
    ["approval.proposed", "ledger_book_invoice", "ok", "session", "Mo Member"],
    ["tool.called", "rates", "upstream_failed", "raw_key", "Ada Admin"],
  ]);
  assertEquals(log[0].args, { currency: "EUR" });
  assert(log.every((row) => Number.isInteger(row.total_ms) && row.total_ms >= 0));
  assert(Number.isInteger(log[0].upstream_ms));
});

databaseTest("256 callers at once on a pool of 2 each get their own answer", async () => {
  answer = (request) => Response.json({ rows: [{ marker: request.target }] });
  const markers = Array.from({ length: 256 }, (_, index) => String(index).padStart(3, "0"));
  const answers = await Promise.all(
    markers.map((currency) => workspace.call("rates", { args: { currency } })),
  );
  assertEquals(
    answers.map(({ body }) => body.result?.rows[0].marker),
    markers.map((marker) => `/v1/rates?currency=${marker}`),
  );
});

databaseTest(
  "a credential that the other system repeats reaches no answer, log row or kept row",
  async () => {
    const forms = [
      CANARY,
      encodeURIComponent(CANARY),
      btoa(CANARY),
      JSON.stringify(CANARY),
      CANARY.slice(3, 27),
    ];
    const told: string[] = [];
    for (const form of forms) {
      for (
        const give of [
          () => Response.json({ rows: [{ echo: form, [form]: 1 }] }),
          () => new Response(`you sent ${form}`, { status: 500, headers: { "content-type": "text/plain" } }),
          () => new Response(form, { headers: { "content-type": "text/plain" } }),
        ]
      ) {
        answer = give;
        told.push((await workspace.call("ledger_open_invoices", { args: {} })).text);
      }
    }
    const tables = await sql`select table_name from information_schema.tables where table_schema = 'framed'`;
    for (const { table_name } of tables) {
      for (const { row } of await sql`select to_json(t)::text as row from framed.${sql(table_name)} t`) {
        told
          .push(row);
      }
    }
    for (const text of told) {
      for (const form of forms) {
        assert(!text.includes(form), `found ${form.slice(0, 6)}… in ${text.slice(0, 200)}`);
      }
    }
  },
);
