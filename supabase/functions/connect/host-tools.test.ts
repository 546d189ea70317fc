/** The host tools as the official client of each era has them, against what the same caller gets over HTTP. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, fixtureFile, ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { type Era, ERAS, type Host, openHost, serveOnLoopback } from "../../../scripts/testing/mcp-host.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject, JsonValue } from "../_shared/definition/json.ts";

const CANARY = "canary-of-the-ledger-secret";
const ROWS = Array.from({ length: 400 }, (_, index) => ({ id: `inv-${index}`, note: "n".repeat(100) }));
const upstream = startUpstream(({ target }) =>
  target.includes("Broken")
    ? new Response("it broke", { status: 500 })
    : Response.json({ rows: target.includes("Many") ? ROWS : [{ id: 1 }, { id: 2 }] })
);
const w = await openTestWorkspace({
  upstreams: new Map([["ledger.example", upstream.url], ["rates.example", new URL("http://127.0.0.1:1")]]),
});
const served = serveOnLoopback(w.fetch);
globalThis.addEventListener("unload", () => Promise.all([served.close(), w.close(), upstream.close()]));
for (const file of [ledgerFile(), bookingFile(), fixtureFile(), openFile()]) await w.define(file);
await w.define(ledgerFile({ slug: "waiting_ledger", auth: { secret: "CONNECTOR_OTHER" } }));
await w.define(ledgerFile({ slug: "confirmed", confirm: true }));
await w.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: CANARY });

const bearer = { authorization: `Bearer ${w.tokens.member_token}` };
const key = { "x-framed-api-key": w.keys.admin_key };
const acme = { tool: "ledger_open_invoices", args: { supplier: "Acme" } };

/** Everything that host tools answered in this file, to be searched for what no host may have. */
const told: string[] = [];

async function withHost(
  options: { era: Era; headers: Record<string, string> },
  use: (call: Host["call"], host: Host) => Promise<void>,
): Promise<void> {
  const host = await openHost(served.url, options);
  try {
    await use(async (...asked) => {
      const answered = await host.call(...asked);
      told.push(answered.text, JSON.stringify(answered.body));
      return answered;
    }, host);
  } finally {
    await host.close();
  }
}

/** Without what differs from one request to the next. */
function bare({ request_id: _, ...body }: JsonObject): JsonValue {
  return JSON.parse(
    JSON.stringify(body, (name, value) => name === "read_at" || name === "last_read_at" ? "then" : value),
  );
}

databaseTest("a host is offered five tools, each with a title, annotations and what it takes", async () => {
  const offered = await Promise.all(ERAS.map(async (era) => {
    let tools: unknown[] = [];
    await withHost({ era, headers: key }, async (_, { client }) => {
      tools = (await client.listTools()).tools;
      assert(client.getInstructions()?.includes("framed_list"));
    });
    return tools as {
      name: string;
      title: string;
      description: string;
      annotations: JsonObject;
      inputSchema: JsonObject;
    }[];
  }));
  assertEquals(offered[0], offered[1], "the same in both eras");
  const hints = offered[0]!.map(({ name, title, annotations, inputSchema }) => {
    assert(title.length > 0 && title === annotations.title);
    assertEquals([inputSchema.type, inputSchema.additionalProperties], ["object", false]);
    return [
      name,
      annotations.readOnlyHint,
      annotations.destructiveHint,
      Object.keys(inputSchema.properties!).sort().join(),
    ];
  });
  const call = "args,capability,kept,operation,persist,tool,workspace_id";
  assertEquals(hints, [
    ["framed_list", true, false, "cursor,of,query,workspace_id"],
    ["framed_read", true, false, call],
    ["framed_tool", false, false, call],
    ["framed_result", true, false, "limit,offset,path,result_handle"],
    ["framed_approval", true, false, "approval_id"],
  ]);
});

databaseTest(
  "what a host gets is the body that its token gets over HTTP, and the audit line stands before it",
  async () => {
    const workspace_id = w.id;
    const overHttp = async (path: string, body?: JsonObject) =>
      (await w.ask(path, { as: "member_token", ...(body === undefined ? {} : { body }) })).body as JsonObject;
    const call = (slug: string, body: JsonObject) =>
      overHttp(`/tools/${slug}/call`, { workspace_id, ...body });
    const { args } = acme;
    const long = await call("ledger_open_invoices", { args: { supplier: "Many" } });
    const pairs: [string, JsonObject, JsonObject][] = [
      ["framed_list", { of: "tools" }, await overHttp(`/tools?workspace_id=${w.id}`)],
      [
        "framed_list",
        { of: "tools", query: "LEDGER" },
        await overHttp(`/tools?workspace_id=${w.id}&query=LEDGER`),
      ],
      ["framed_read", acme, await call("ledger_open_invoices", { args })],
      ["framed_tool", acme, await call("ledger_open_invoices", { args })],
      ["framed_read", { ...acme, kept: true }, await call("ledger_open_invoices", { args, kept: true })],
      ["framed_read", { tool: "rooms", args: { floor: 1 } }, await call("rooms", { args: { floor: 1 } })],
      [
        "framed_result",
        { result_handle: long.result_handle!, offset: 390, limit: 5 },
        await overHttp(`/results/${long.result_handle}?offset=390&limit=5`),
      ],
      // Refusals: the very same problem.
      ["framed_read", { tool: "nothing" }, await call("nothing", {})],
      ["framed_read", { tool: "rooms", args: { flor: 1 } }, await call("rooms", { args: { flor: 1 } })],
      ["framed_read", { tool: "waiting_ledger" }, await call("waiting_ledger", {})],
      ["framed_read", { tool: "rooms", kept: true }, await call("rooms", { kept: true })],
      [
        "framed_read",
        { tool: "ledger_open_invoices", args: { supplier: "Broken" } },
        await call("ledger_open_invoices", { args: { supplier: "Broken" } }),
      ],
      ["framed_tool", { tool: "rates", args: {} }, await call("rates", { args: {} })],
      ["framed_result", { result_handle: "A".repeat(43) }, await overHttp(`/results/${"A".repeat(43)}`)],
      ["framed_approval", { approval_id: w.id }, await overHttp(`/approvals/${w.id}`)],
    ];
    for (const era of ERAS) {
      await withHost({ era, headers: bearer }, async (call) => {
        for (const [name, args, body] of pairs) {
          const answered = await call(name, args);
          const about = `${era} ${name} ${JSON.stringify(args)}`;
          assertEquals(bare(answered.body), bare(body), about);
          assertEquals(answered.isError, body.ok !== true, about);
          if (typeof body.audit === "string") assert(answered.text.startsWith(`${body.audit}\n{`), about);
        }
      });
    }
  },
);

databaseTest(
  "framed_tool proposes what waits, once, and framed_approval tells what became of it",
  async () => {
    const booking = { tool: "ledger_book_invoice", args: { number: "2026-7" } };
    const sent = () => upstream.requests.filter(({ method }) => method === "POST").length;
    await withHost({ era: "2026-07-28", headers: bearer }, async (call) => {
      const proposed = await call("framed_tool", booking);
      const { approval_id, status, ran, review_url } = proposed.body;
      assertEquals([proposed.isError, status, ran, review_url], [
        false,
        "awaiting_approval",
        false,
        "https://console.example/tasks",
      ]);
      assert(
        proposed.text.startsWith(
          "Nothing was sent: this waits for a person. Do not call again; ask with framed_approval",
        ),
      );
      assert(proposed.text.includes(String(approval_id)));
      const again = await call("framed_tool", booking);
      assertEquals([again.body.approval_id, again.body.repeated], [approval_id!, true]);

      const overHttp = async (path: string) => (await w.ask(path, { as: "member_token" })).body as JsonObject;
      const shown = await call("framed_approval", { approval_id: approval_id! });
      assertEquals(bare(shown.body), bare(await overHttp(`/approvals/${approval_id}`)));
      assert(shown.text.startsWith("It waits for a person"));
      const listed = await call("framed_list", { of: "approvals" });
      assertEquals(bare(listed.body), bare(await overHttp(`/approvals?workspace_id=${w.id}`)));
      assertEquals(sent(), 0);

      const { digest } = (await w.ask(`/approvals/${approval_id}`, { as: "second_admin" })).body;
      const decided = await w.ask(`/approvals/${approval_id}/decision`, {
        as: "second_admin",
        body: { decision: "approve", digest },
      });
      assertEquals([decided.status, decided.body.status, sent()], [200, "applied", 1], decided.text);
      const applied = await call("framed_approval", { approval_id: approval_id! });
      assertEquals([applied.body.status, applied.text.split("\n")[0]], [
        "applied",
        "A person approved it, and the other system took it.",
      ]);
    });
    const ofKey = { headers: key, era: "2025-11-25" } as const;
    await withHost(ofKey, async (call) => {
      const { body } = await call("framed_tool", { tool: "waiting_ledger", args: {} });
      assertEquals(body.reason, "secret_missing");
      await w.define(bookingFile({ slug: "waiting_booking", auth: { secret: "CONNECTOR_OTHER" } }));
      const proposed = await call("framed_tool", { tool: "waiting_booking", args: { number: "1" } });
      assertEquals(
        [proposed.body.status, proposed.body.waits_for],
        ["awaiting_approval", 1],
        "a count, with a key as well",
      );
      const shown = await call("framed_approval", { approval_id: proposed.body.approval_id! });
      assertEquals(shown.body.waits_for, 1);
    });
  },
);

databaseTest("framed_read refuses what waits, proposes nothing, and says how to", async () => {
  const count = async () =>
    Number((await w.database.sql`select count(*) from framed.v2_approvals`)[0]!.count);
  const before = await count();
  const waiting = [{ tool: "confirmed" }, { tool: "ledger_book_invoice", args: { number: "9" } }];
  for (const era of ERAS) {
    await withHost({ era, headers: bearer }, async (call) => {
      for (const asked of waiting) {
        const { isError, body, text } = await call("framed_read", asked as JsonObject);
        assertEquals([isError, body.reason, body.status], [true, "approval_required", 403], asked.tool);
        assert(
          text.includes("call framed_tool once with the same arguments") &&
            String(body.hint).includes("framed_tool"),
        );
      }
    });
  }
  assertEquals(await count(), before);
  const refused = (await w.log()).filter(({ outcome }) => outcome === "approval_required");
  assertEquals(refused.map(({ event, tool }) => `${event} ${tool}`), [
    "tool.called confirmed",
    "tool.called ledger_book_invoice",
    "tool.called confirmed",
    "tool.called ledger_book_invoice",
  ]);
});

databaseTest("no answer of this file tells a host how a tool works, and none holds a credential", () => {
  assert(told.length > 60);
  for (
    const how of [
      "CONNECTOR_",
      "ledger.example",
      "rates.example",
      "{{secret}}",
      "fixtures",
      CANARY,
      w.tokens.member_token,
      w.keys.admin_key,
    ]
  ) {
    assertEquals(told.filter((text) => text.includes(how)), [], how);
  }
  // What was presented here goes no further: the other system got the tool's own secret and nothing else.
  for (const { headers } of upstream.requests) {
    assertEquals([headers.get("authorization"), headers.get("x-framed-api-key")], [`Bearer ${CANARY}`, null]);
  }
});
