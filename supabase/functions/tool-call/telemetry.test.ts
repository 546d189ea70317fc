/** What is measured of a call, as a real receiver gets it: who is whose child, what is counted, and what is in none of it. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { startOtlpReceiver } from "../../../scripts/testing/otlp-receiver.ts";
import { createTestAuthority } from "../../../scripts/testing/pki.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { ASKS_FOR_TRACEPARENT } from "../_shared/telemetry/trace-context.ts";

const CANARY = "canary-7b1e-55d0-49aa-do-not-tell";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

const authority = await createTestAuthority();
let answer = () => Response.json({ rows: [{ id: 1, told: `answer-${CANARY}` }] });
const upstream = startUpstream(() => answer(), { certificate: await authority.certify("ledger.example") });
const receiver = startOtlpReceiver({ "x-receiver-key": "key-of-the-receiver" });
const workspace = await openTestWorkspace({
  upstreams: new Map([["ledger.example", upstream.url], ["tenant-a.ledgers.example", upstream.url]]),
  extraCa: authority.ca,
  telemetry: receiver.settings,
  limits: { principal: { callsPerMinute: 1, burst: 50 }, workspace: { callsPerMinute: 1, burst: 500 } },
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
  receiver.close();
});
const { sql } = workspace.database;
for (
  const file of [
    ledgerFile(),
    ledgerFile({
      slug: "asks_for_trace",
      request: {
        method: "GET",
        url: "https://ledger.example/api/invoices?supplier={supplier}",
        headers: { Authorization: "Bearer {{secret}}", Traceparent: ASKS_FOR_TRACEPARENT },
      },
    }),
    openFile({
      slug: "by_tenant",
      arguments: { type: "object", properties: { tenant: { type: "string" } }, required: ["tenant"] },
      request: { method: "GET", url: "https://{tenant}.ledgers.example/" },
    }),
  ]
) assertEquals((await workspace.define(file)).status, 200);
await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: CANARY });

/** What was measured of what `work` asked for. */
async function measured(work: () => Promise<unknown>) {
  await workspace.telemetry!.flush();
  await sql`truncate framed.call_rates`;
  receiver.forget();
  await work();
  await workspace.telemetry!.flush();
  return { spans: receiver.spans(), points: receiver.points() };
}

const call = (
  slug: string,
  { args = { supplier: "Acme" }, traceparent }: { args?: object; traceparent?: string } = {},
) =>
  workspace.ask(`/tools/${slug}/call`, {
    as: "member",
    body: { workspace_id: workspace.id, args },
    ...(traceparent === undefined ? {} : { headers: { traceparent } }),
  });

databaseTest(
  "a call is a span with its two round trips to the store and its request to the other system in it",
  async () => {
    let body: { request_id?: string } = {};
    const { spans } = await measured(async () => ({ body } = await call("ledger_open_invoices")));
    const request = spans.find(({ parentSpanId }) => parentSpanId === undefined)!;
    assertEquals(
      spans.filter((span) => span !== request).map(({ name, kind, parentSpanId, traceId }) => [
        name,
        kind,
        parentSpanId === request.spanId && traceId === request.traceId,
      ]).sort(),
      [
        ["select framed.close_call", 3, true],
        ["select framed.open_call", 3, true],
        ["upstream GET", 3, true],
      ],
    );
    assertEquals([request.name, request.kind, request.status, request.attributes], [
      "POST /tools/:slug/call",
      2,
      { code: 0 },
      {
        "http.request.method": "POST",
        "http.route": "/tools/:slug/call",
        "http.response.status_code": 200,
        "framed.outcome": "ok",
        "framed.request_id": body.request_id,
      },
    ]);
    const sent = spans.find(({ name }) => name.startsWith("upstream"))!;
    assertEquals(sent.attributes, {
      "http.request.method": "GET",
      "server.address": "ledger.example",
      "http.response.status_code": 200,
    });
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
      assert(BigInt(startTimeUnixNano) >= BigInt(request.startTimeUnixNano));
      assert(BigInt(endTimeUnixNano) <= BigInt(request.endTimeUnixNano));
      assert(Math.abs(Number(BigInt(startTimeUnixNano) / 1_000_000n) - Date.now()) < 60_000);
    }
  },
);

databaseTest("what else is asked is a span, its transaction in it and the statements in that", async () => {
  const { spans } = await measured(() =>
    workspace.ask(`/tools/rates?workspace_id=${workspace.id}`, { as: "member" })
  );
  const byName = (name: string) => spans.filter((span) => span.name === name);
  const [request] = byName("GET /tools/:slug");
  const [transaction] = byName("transaction");
  assertEquals(transaction!.parentSpanId, request!.spanId);
  assertEquals(byName("select framed.admit_request")[0]!.parentSpanId, request!.spanId);
  assertEquals(byName("select framed.tool_json")[0]!.parentSpanId, transaction!.spanId);
  assertEquals(request!.attributes["framed.outcome"], "not_found");
});

databaseTest("calls at once are each in their own trace", async () => {
  const { spans } = await measured(() =>
    Promise.all(Array.from({ length: 20 }, () => call("ledger_open_invoices")))
  );
  const traces = Map.groupBy(spans, ({ traceId }) => traceId);
  assertEquals(traces.size, 20);
  for (const [, own] of traces) assertEquals(own.length, 4);
});

databaseTest(
  "nothing of arguments, credentials, paths, answers or the file is in what is exported",
  async () => {
    answer = () => new Response(`refused ${CANARY}`, { status: 500 });
    const path = `/tools/name-${CANARY}/call?query=${CANARY}`;
    await measured(async () => {
      await call("ledger_open_invoices", { args: { supplier: `argument-${CANARY}` } });
      await call("ledger_open_invoices", { args: { supplier: "Acme", [`name-${CANARY}`]: 1 } });
      await call("by_tenant", { args: { tenant: CANARY } });
      await workspace.ask(path, { as: "member", body: { workspace_id: workspace.id, args: {} } });
      await workspace.ask(`/no/such/${CANARY}`, { as: "member", method: CANARY.toUpperCase() });
      await workspace.ask("/tools/define", {
        as: "member",
        body: { workspace_id: workspace.id, tool: CANARY },
      });
    });
    answer = () => Response.json({ rows: [] });
    const exported = receiver.upstream.requests.map(({ body }) => body);
    assert(exported.length > 4);
    for (
      const secret of [
        CANARY,
        CANARY.toUpperCase(),
        "Acme",
        "supplier",
        "/api/",
        "CONNECTOR_",
        "frk_",
        "session.",
      ]
    ) {
      assert(!exported.some((body) => body.includes(secret)), secret);
    }
    assertEquals(
      new Set(receiver.upstream.requests.map(({ headers }) => headers.get("x-receiver-key"))),
      new Set(["key-of-the-receiver"]),
    );
  },
);

databaseTest("a host is told by its domain, without what an argument put before it", async () => {
  answer = () => Response.json({ rows: [] });
  const { spans } = await measured(() => call("by_tenant", { args: { tenant: "tenant-a" } }));
  assertEquals(
    spans.find(({ name }) => name === "upstream GET")!.attributes["server.address"],
    "ledgers.example",
  );
});

databaseTest("a request is the child of what its traceparent names", async () => {
  const { spans } = await measured(() =>
    call("ledger_open_invoices", { traceparent: `00-${TRACE}-${PARENT}-01` })
  );
  assertEquals(new Set(spans.map(({ traceId }) => traceId)), new Set([TRACE]));
  assertEquals(spans.filter(({ parentSpanId }) => parentSpanId === PARENT).map(({ kind }) => kind), [2]);
  const broken = await measured(() => call("ledger_open_invoices", { traceparent: "00-nonsense" }));
  assertEquals(broken.spans.filter(({ parentSpanId }) => parentSpanId === undefined).length, 1);
});

databaseTest(
  "a trace that is not recorded elsewhere is not recorded here, and counts all the same",
  async () => {
    const { spans, points } = await measured(() =>
      call("ledger_open_invoices", { traceparent: `00-${TRACE}-${PARENT}-00` })
    );
    assertEquals(spans, []);
    assert(points.some(({ metric }) => metric === "framed.calls"));
  },
);

databaseTest("the other system is told of the trace only where the file asks for it", async () => {
  const { spans } = await measured(async () => {
    await call("ledger_open_invoices", { traceparent: `00-${TRACE}-${PARENT}-01` });
    assertEquals(upstream.requests.at(-1)!.headers.get("traceparent"), null);
    await call("asks_for_trace", { traceparent: `00-${TRACE}-${PARENT}-01` });
  });
  const sent = spans.filter(({ name }) => name === "upstream GET").at(-1)!;
  assertEquals(upstream.requests.at(-1)!.headers.get("traceparent"), `00-${TRACE}-${sent.spanId}-01`);
});

databaseTest("calls are counted by how they ended, and everything is timed", async () => {
  const { points } = await measured(async () => {
    answer = () => Response.json({ rows: [] });
    await call("ledger_open_invoices");
    await call("ledger_open_invoices");
    answer = () => new Response(null, { status: 302, headers: { location: "https://ledger.example/" } });
    await call("ledger_open_invoices");
    answer = () => Response.json({ rows: [] });
    await call("missing");
    await sql`update framed.call_rates set drained_at = now() + interval '1 day'`;
    await call("ledger_open_invoices");
    await workspace.ask(`/tools?workspace_id=${workspace.id}`, { as: "member" });
  });
  const counted = (metric: string, key: string) =>
    Object.fromEntries(
      points.filter((point) => point.metric === metric).map((
        { attributes, count },
      ) => [attributes[key], count]),
    );
  const byOutcome = { ok: 2, upstream_refused_redirect: 1, not_found: 1, rate_limited: 1 };
  assertEquals(counted("framed.calls", "framed.outcome"), byOutcome);
  assertEquals(counted("framed.call.duration", "framed.outcome"), byOutcome);
  assertEquals(counted("framed.rate_limited", "http.route"), { "/tools/:slug/call": 1, "/tools": 1 });
  assertEquals(counted("http.client.request.duration", "error.type"), {
    undefined: 2,
    upstream_refused_redirect: 1,
  });
  const requests = points.filter(({ metric }) => metric === "http.server.request.duration");
  assertEquals(requests.reduce((sum, { count }) => sum + count, 0), 6);
  assert(requests.every(({ sum }) => sum! > 0 && sum! < 60));
});

databaseTest("HEAD is a span with the route of GET", async () => {
  const { spans } = await measured(() =>
    workspace.fetch(
      new Request(`http://localhost/api/tools/rooms?workspace_id=${workspace.id}`, {
        method: "HEAD",
        headers: { "x-framed-api-key": workspace.keys.admin_key },
      }),
    )
  );
  const request = spans.find(({ parentSpanId }) => parentSpanId === undefined)!;
  assertEquals([request.attributes["http.request.method"], request.attributes["http.route"]], [
    "HEAD",
    "/tools/:slug",
  ]);
});

databaseTest(
  "a stack that measures nothing answers the same, and sends the file's header as it stands",
  async () => {
    const plain = await openTestWorkspace({
      upstreams: new Map([["ledger.example", upstream.url]]),
      extraCa: authority.ca,
    });
    try {
      assertEquals(plain.telemetry, null);
      await plain.define(ledgerFile({
        request: {
          method: "GET",
          url: "https://ledger.example/api",
          headers: { Authorization: "Bearer {{secret}}", traceparent: ASKS_FOR_TRACEPARENT },
        },
        arguments: { type: "object", properties: {} },
        fixtures: [{ response: { rows: [] } }],
      }));
      await plain.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: CANARY });
      assertEquals((await plain.call("ledger_open_invoices")).status, 200);
      assertEquals(upstream.requests.at(-1)!.headers.get("traceparent"), ASKS_FOR_TRACEPARENT);
    } finally {
      await plain.close();
    }
  },
);
