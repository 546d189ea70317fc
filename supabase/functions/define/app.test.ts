import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, fixtureFile, ledgerFile, mcpFile, openFile } from "../../../scripts/testing/files.ts";
import { NO_LIMITS } from "../../../scripts/testing/limits.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject, JsonValue } from "../_shared/definition/json.ts";
import { readFramedTool } from "../_shared/framed-tool.ts";
import { placeConnect } from "../_shared/oauth/place.ts";
import { createApp } from "./app.ts";

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => workspace.close());
const { sql } = workspace.database;

async function readBack(slug: string) {
  return (await workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, { as: "admin" })).body;
}

async function emptyWorkspace() {
  await sql`delete from framed.v2_connectors where workspace_id = ${workspace.id}`;
  await sql`delete from framed.v2_connector_secrets where workspace_id = ${workspace.id}`;
}

databaseTest("define answers what a file became, and read-back gives the very file", async () => {
  await emptyWorkspace();
  for (const file of [ledgerFile(), openFile(), fixtureFile(), bookingFile(), mcpFile()]) {
    const { status, body } = await workspace.define(file);
    assertEquals(status, 200, JSON.stringify(body));
    assertEquals(
      [body.tool, body.name, body.kind, body.version, body.replaced],
      [file.slug, file.name, file.kind, 1, false],
    );
    assertMatch(body.request_id, /^req_[0-9a-f]{32}$/);
    const stored = await readBack(file.slug as string);
    assertEquals(stored.tool, file);
    assertEquals(JSON.stringify(stored.tool), JSON.stringify(file));
  }
});

databaseTest("define says whether a tool is live, what it waits for and where to paste it", async () => {
  await emptyWorkspace();
  const live = (await workspace.define(ledgerFile())).body;
  assertEquals([live.live, live.runs, live.status, live.waits_for], [true, "on_call", "waits_for_secret", [
    "CONNECTOR_LEDGER",
  ]]);
  assertEquals(
    live.manage_url,
    `https://console.example/connections/ledger_open_invoices?workspace_id=${workspace.id}`,
  );
  assertEquals(live.host_sees[0].answers_with, "live system");
  const waits = (await workspace.define(bookingFile())).body;
  assertEquals([waits.runs, waits.access, waits.host_sees[0].status], [
    "after_approval",
    "write",
    "awaiting_approval",
  ]);
  const fixture = (await workspace.define(fixtureFile())).body;
  assertEquals([fixture.live, fixture.runs, fixture.status, fixture.waits_for], [
    false,
    "on_call",
    "ready",
    [],
  ]);
  assertEquals(fixture.host_sees[0].answers_with, "configured example");
});

databaseTest(
  "define says nothing of the request, the secret's value or the file to the host view",
  async () => {
    const { text } = await workspace.define(ledgerFile());
    const views = JSON.stringify(JSON.parse(text).host_sees);
    for (const hidden of ["ledger.example", "CONNECTOR_LEDGER", "Bearer"]) {
      assert(
        !views.includes(hidden),
        hidden,
      );
    }
  },
);

databaseTest(
  "define takes a file as deep as the runner takes one, and no deeper one",
  async () => {
    await emptyWorkspace();
    const nested = (levels: number) => {
      let response: JsonValue = [];
      for (let level = 1; level < levels; level++) response = [response];
      return fixtureFile({ fixtures: [{ response }] });
    };
    let levels = 190;
    while (readFramedTool(JSON.stringify(nested(levels + 1))).ok) levels++;
    assertEquals(levels, 197);
    const { status, text } = await workspace.define(nested(levels));
    assertEquals(status, 200, text);
    assertEquals((await workspace.define(nested(levels + 1))).status, 400);
  },
);

databaseTest("define of an equal file changes nothing but says replaced", async () => {
  await emptyWorkspace();
  await workspace.define(ledgerFile());
  const before = await readBack("ledger_open_invoices");
  const { slug, format, ...rest } = ledgerFile();
  const again = await workspace.define({ ...rest, slug, format } as JsonObject);
  assertEquals([again.status, again.body.replaced, again.body.unchanged, again.body.version], [
    200,
    true,
    true,
    1,
  ]);
  assertEquals({ ...await readBack("ledger_open_invoices"), request_id: "" }, { ...before, request_id: "" });
  assertEquals(
    (await sql`select count(*)::int as n from framed.v2_connector_versions v
    join framed.v2_connectors c on c.id = v.connector_id where c.slug = 'ledger_open_invoices'`)[0]!.n,
    1,
  );
});

databaseTest(
  "define of another file bumps the version, keeps every earlier one and the pasted value",
  async () => {
    await emptyWorkspace();
    await workspace.define(ledgerFile());
    assertEquals(
      (await workspace.paste("ledger_open_invoices", {
        name: "CONNECTOR_LEDGER",
        value: "a value of some length",
      })).status,
      204,
    );
    for (const [index, name] of ["Second", "Third"].entries()) {
      const { body } = await workspace.define(ledgerFile({ name }));
      assertEquals([body.version, body.replaced, body.status], [index + 2, true, "ready"]);
    }
    const versions = await sql`select v.version, v.file ->> 'name' as name, v.defined_by ->> 'kind' as kind
    from framed.v2_connector_versions v join framed.v2_connectors c on c.id = v.connector_id
    where c.slug = 'ledger_open_invoices' order by 1`;
    assertEquals(versions.map((row) => [row.version, row.name, row.kind]), [
      [1, "Open invoices", "session"],
      [2, "Second", "session"],
      [3, "Third", "session"],
    ]);
  },
);

databaseTest(
  "define refuses a bad file with every problem in the lines the runner prints, and stores nothing",
  async () => {
    await emptyWorkspace();
    const { status, body } = await workspace.define(ledgerFile({ access: "raed", surprise: 1 }));
    assertEquals([status, body.reason, body.ok], [400, "bad_definition", false]);
    assert(body.problems.some((line: string) => line.startsWith("access: ")), body.problems);
    assert(body.problems.some((line: string) => line.startsWith("surprise: ")), body.problems);
    assertEquals(
      (await sql`select count(*)::int as n from framed.v2_connectors where workspace_id = ${workspace.id}`)[
        0
      ]!.n,
      0,
    );
    assertEquals(
      (await sql`select count(*)::int as n from framed.v2_connector_secrets where workspace_id = ${workspace.id}`)[
        0
      ]!.n,
      0,
    );
  },
);

databaseTest(
  "define tells what is wrong in the raw bytes and what is wrong with the file in one pass, as the runner does",
  async () => {
    const file = JSON.stringify(ledgerFile({ acess: "read" })).replace('"slug":', '"slug":"first","slug":');
    const { status, body } = await workspace.ask("/tools/define", {
      as: "admin",
      body: `{"workspace_id":"${workspace.id}","tool":${file}}`,
    });
    assertEquals([status, body.reason], [400, "bad_definition"]);
    const runner = readFramedTool(file);
    assert(!runner.ok && runner.problems.length === 2);
    const withoutPlace = (line: string) => line.replace(/\(again at [^)]*\)/, "");
    assertEquals(body.problems.map(withoutPlace), runner.problems.map(withoutPlace));
  },
);

databaseTest(
  "define lets a follow-up and a preview name only a tool of the workspace that runs on the call",
  async () => {
    await emptyWorkspace();
    const followUp = {
      what: "Invoice {{args.number}}",
      until: "Someone books it",
      check: { tool: "ledger_open_invoices", args: { supplier: "{{args.number}}" } },
      done_when: { all: [{ path: "rows.id", op: "exists" }] },
    };
    const file = bookingFile({ follow_up: followUp, preview: { tool: "ledger_pay", args: { number: "1" } } });
    const missing = await workspace.define(file);
    assertEquals(missing.body.reason, "bad_definition");
    assertStringIncludes(missing.body.problems.join("\n"), "follow_up.check.tool: ");
    await workspace.define(ledgerFile());
    await workspace.define(bookingFile());
    const writes = await workspace.define(file);
    assertEquals(writes.body.problems.length, 1, writes.body.problems);
    assertStringIncludes(writes.body.problems[0], "preview.tool: ");
    const check = (args: JsonObject) =>
      bookingFile({ follow_up: { ...followUp, check: { tool: "ledger_open_invoices", args } } });
    const unknown = await workspace.define(check({ suplier: "x" }));
    assertEquals(unknown.body.problems, [
      "follow_up.check.args.suplier: ledger_open_invoices declares no argument of this name",
    ]);
    const good = await workspace.define(bookingFile({ follow_up: followUp }));
    assertEquals(good.status, 200, JSON.stringify(good.body));
  },
);

databaseTest("define decides authority before shape, shape before existence", async () => {
  const missing = crypto.randomUUID();
  const bad = { not: "a file" };
  const table: [string, Parameters<typeof workspace.ask>[1], number, string][] = [
    ["nobody, bad body", { as: "nobody", body: "{" }, 401, "unauthenticated"],
    [
      "nobody, good body",
      { as: "nobody", body: { workspace_id: workspace.id, tool: ledgerFile() } },
      401,
      "unauthenticated",
    ],
    [
      "no grant, bad file",
      { as: "bare_member", body: { workspace_id: workspace.id, tool: bad } },
      403,
      "grant_missing",
    ],
    ["no JSON", { as: "admin", body: "{" }, 400, "bad_json"],
    ["empty body", { as: "admin", method: "POST", body: "" }, 400, "bad_json"],
    ["a list", { as: "admin", body: "[]" }, 400, "bad_json"],
    ["no workspace", { as: "admin", body: { tool: ledgerFile() } }, 400, "bad_request"],
    ["no file", { as: "admin", body: { workspace_id: workspace.id } }, 400, "bad_request"],
    [
      "unknown key",
      { as: "admin", body: { workspace_id: workspace.id, tool: ledgerFile(), force: true } },
      400,
      "bad_request",
    ],
    [
      "bad file, workspace out of reach",
      { as: "admin", body: { workspace_id: workspace.strangersId, tool: bad } },
      400,
      "bad_definition",
    ],
    [
      "workspace out of reach",
      { as: "admin", body: { workspace_id: workspace.strangersId, tool: ledgerFile() } },
      404,
      "not_found",
    ],
    [
      "workspace that is none",
      { as: "admin", body: { workspace_id: missing, tool: ledgerFile() } },
      404,
      "not_found",
    ],
  ];
  for (const [name, options, status, reason] of table) {
    const answered = await workspace.ask("/tools/define", options);
    assertEquals([name, answered.status, answered.body.reason], [name, status, reason]);
    assertEquals(answered.headers.get("content-type"), "application/problem+json");
  }
});

databaseTest(
  "define answers a workspace out of reach with the bytes of one that does not exist",
  async () => {
    const ask = (id: string, as: "admin" | "admin_key" | "reseller_key") =>
      workspace.ask("/tools/define", { as, body: { workspace_id: id, tool: ledgerFile() } });
    for (const as of ["admin", "admin_key", "reseller_key"] as const) {
      const hidden = await ask(workspace.strangersId, as);
      const missing = await ask(crypto.randomUUID(), as);
      assertEquals(
        hidden.text.replace(hidden.body.request_id, ""),
        missing.text.replace(missing.body.request_id, ""),
      );
    }
  },
);

databaseTest("define over 1 MiB answers body_too_large, whatever Content-Length says", async () => {
  const { status, body } = await workspace.ask("/tools/define", {
    as: "admin",
    body: `{"pad":"${"x".repeat(1024 * 1024)}"}`,
  });
  assertEquals([status, body.reason], [413, "body_too_large"]);
});

databaseTest("define acts as the person behind a key, and as the partner behind a reseller key", async () => {
  await emptyWorkspace();
  await workspace.define(openFile(), "admin_key");
  assertEquals((await readBack("rates")).owner, { kind: "person", name: "Ada Admin" });
  assertEquals((await readBack("rates")).is_own, true);
  const again = await workspace.define(openFile({ name: "By session" }), "admin");
  assertEquals([again.status, again.body.version], [200, 2]);
  const partner = await workspace.define(fixtureFile(), "reseller_key");
  assertEquals([partner.body.partner_provided, (await readBack("rooms")).owner.kind], [true, "reseller"]);
  assertEquals((await readBack("rooms")).is_own, false);
  const other = await workspace.define(openFile({ name: "Taken" }), "reseller_key");
  assertEquals([other.status, other.body.reason], [409, "other_owner"]);
  assert(other.body.hint.length > 0);
});

databaseTest("define tells a reseller key of a lookup's tool only where it sees it", async () => {
  await emptyWorkspace();
  await workspace.define(ledgerFile());
  await workspace.define(bookingFile({ slug: "writes", auth: { secret: "CONNECTOR_LEDGER" } }));
  const asking = (tool: string) =>
    fixtureFile({ access: "write", slug: "asks", preview: { tool, args: { supplier: "x", surprise: 1 } } });
  for (const tool of ["ledger_open_invoices", "writes", "missing"]) {
    const { body } = await workspace.define(asking(tool), "reseller_key");
    assertEquals(body.problems, [
      `preview.tool: no tool ${tool} is on the workspace; define the one that reads first`,
    ]);
  }
});

databaseTest("define of one slug by many at once stores one tool and loses no definition", async () => {
  await emptyWorkspace();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => workspace.define(openFile({ name: `Name ${index}` }))),
  );
  assertEquals(answers.map(({ status }) => status), Array(8).fill(200));
  assertEquals(answers.map(({ body }) => body.version).sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
  assertEquals(answers.filter(({ body }) => !body.replaced).length, 1);
});

databaseTest("define writes one log row for each change, and none for a refusal", async () => {
  await emptyWorkspace();
  await sql`truncate framed.log_events`;
  await workspace.define(openFile());
  await workspace.define(openFile({ name: "Other" }));
  await workspace.define(openFile({ name: "Other" }));
  await workspace.define(openFile({ kind: "nothing" }));
  const log = await workspace.log();
  assertEquals(log.map((row) => [row.event, row.tool, row.version, row.outcome]), [
    ["tool.defined", "rates", 1, "ok"],
    ["tool.replaced", "rates", 2, "ok"],
  ]);
  assertEquals(log[0].principal, { kind: "session", id: workspace.people.admin, name: "Ada Admin" });
});

databaseTest("define answers at its bare name and under its own roof", async () => {
  const app = createApp({
    db: sql,
    verifySession: () => Promise.resolve(null),
    keyRing: null,
    limits: NO_LIMITS,
    telemetry: null,
    consoleUrl: "https://console.example",
    consoleOrigins: ["https://console.example"],
    connect: placeConnect({ url: undefined, functionsUrl: "https://ref.supabase.co/functions/v1" }),
    now: () => new Date(),
  });
  for (const path of ["/define", "/define/tools/define"]) {
    const response = await app.request(path, {
      method: "POST",
      headers: { "x-framed-api-key": "frk_live_bad" },
      body: "{}",
    });
    assertEquals([path, response.status], [path, 401]);
    await response.body?.cancel();
  }
  const wrongMethod = await app.request("/define/tools/define");
  assertEquals([wrongMethod.status, wrongMethod.headers.get("allow")], [405, "POST"]);
  assertEquals((await wrongMethod.json()).reason, "method_not_allowed");
  const noPath = await app.request("/define/elsewhere");
  assertEquals([noPath.status, (await noPath.json()).reason], [404, "not_found"]);
  const page = { origin: "https://console.example", "access-control-request-method": "POST" };
  const preflight = await app.request("/define", { method: "OPTIONS", headers: page });
  assertEquals(preflight.headers.get("access-control-allow-origin"), "https://console.example");
  const foreign = await app.request("/define", {
    method: "OPTIONS",
    headers: { ...page, origin: "https://evil.example" },
  });
  assertEquals(foreign.headers.get("access-control-allow-origin"), null);
});
