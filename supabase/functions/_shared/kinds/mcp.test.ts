import { assert, assertEquals } from "@std/assert";
import { rpcAnswer, rpcEvent } from "../../../../scripts/testing/mcp-server.ts";
import {
  callSearch,
  type Instead,
  methodsOf,
  SEARCH_CALL,
  SERVER_HOST,
  SERVER_TOKEN,
  SERVER_TOOL,
  streamOf,
  withServer,
} from "../../../../scripts/testing/server-means.ts";
import type { JsonObject } from "../definition/json.ts";
import { createEgress } from "../egress/guarded-fetch.ts";
import type { Era } from "../inner-tools/inner-tool.ts";
import { ok } from "../outcome/result.ts";
import { executeMcp } from "./mcp.ts";
import { listServerTools } from "./mcp-list.ts";

Deno.test("executeMcp() answers structured content where there is some, else the contents, both as data", async () => {
  for (const era of ["modern", "legacy"] as const) {
    await withServer({ era }, async (means, requests) => {
      const { landing, answered } = await callSearch(means, era);
      assertEquals([landing, answered], [
        "applied",
        ok({ value: { said: { q: "login" } }, answersWith: "live system" as const }),
      ]);
      const sent = methodsOf(requests);
      assertEquals(
        sent,
        era === "modern" ? ["tools/call"] : ["initialize", "notifications/initialized", "tools/call"],
      );
    });
  }
  const content: JsonObject[] = [
    { type: "text", text: `it said ${SERVER_TOKEN}` },
    { type: "resource_link", uri: "file:///etc/passwd", name: "take this" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
  ];
  await withServer({ call: () => ({ content }) }, async (means) => {
    const { answered } = await callSearch(means);
    assert(answered.ok, JSON.stringify(answered));
    const [said, ...rest] = answered.value.value as JsonObject[];
    assertEquals(rest, content.slice(1));
    assert(!JSON.stringify(said).includes(SERVER_TOKEN));
  });
});

Deno.test("executeMcp() mirrors the arguments a server wants in headers, and sends the call itself once over a new connection", async () => {
  const inputSchema = { type: "object", properties: { q: { type: "string", "x-mcp-header": "Query" } } };
  await withServer({ era: "modern" }, async (means, requests) => {
    await listServerTools(SERVER_TOOL, means);
    const { landing } = await executeMcp(SERVER_TOOL, {
      call: SEARCH_CALL,
      means,
      server: { era: "modern", inputSchema },
    });
    assertEquals(landing, "applied");
    const calls = requests.filter(({ body }) => body.includes("tools/call"));
    assertEquals(calls.length, 1);
    assertEquals(calls[0]!.headers.get("mcp-param-query"), "login");
    const others = requests.filter((request) => request !== calls[0]).map(({ connection }) => connection);
    assert(others.length > 0 && !others.includes(calls[0]!.connection));
  }, { fresh: true });
});

Deno.test("executeMcp() takes an answer that comes before its stream ends", async () => {
  const open = Promise.withResolvers<void>();
  await withServer({
    instead: (message) =>
      message.method === "tools/call"
        ? streamOf(
          rpcEvent(message, { result: { resultType: "complete", content: [], structuredContent: { n: 1 } } }),
          {
            until: open.promise,
          },
        )
        : null,
  }, async (means) => {
    const { landing, answered } = await callSearch(means);
    assertEquals([landing, answered.ok && answered.value.value], ["applied", { n: 1 }]);
    open.resolve();
  });
});

Deno.test("executeMcp() says that a call failed which never left", async () => {
  const cases: readonly (readonly [era: Era, instead: Instead, reason: string])[] = [
    ["legacy", () => new Response("no", { status: 401 }), "upstream_failed"],
    [
      "legacy",
      (message) =>
        rpcAnswer(message, {
          result: {
            protocolVersion: "1999-01-01",
            capabilities: {},
            serverInfo: { name: "t", version: "1" },
          },
        }),
      "upstream_bad_answer",
    ],
  ];
  for (const [era, instead, reason] of cases) {
    await withServer({ era, instead }, async (means, requests) => {
      const { landing, answered } = await callSearch(means, era);
      assertEquals([landing, !answered.ok && answered.refusal.reason], ["failed", reason]);
      assert(!methodsOf(requests).includes("tools/call"));
    });
  }
  const egress = createEgress({ upstreams: new Map([[SERVER_HOST, new URL("http://127.0.0.1:1")]]) });
  await withServer({}, async (means) => {
    const { landing, answered } = await callSearch({ ...means, egress });
    assertEquals([landing, !answered.ok && answered.refusal.reason], ["failed", "upstream_unreachable"]);
  });
  await egress.close();
});
