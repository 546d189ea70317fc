import { assert, assertEquals, assertMatch } from "@std/assert";
import { innerTool, rpcAnswer, type Speaking, speakMcp } from "../../../../scripts/testing/mcp-server.ts";
import {
  methodsOf,
  SEARCH_SCHEMA,
  SERVER_TOKEN,
  SERVER_TOOL,
  withServer,
} from "../../../../scripts/testing/server-means.ts";
import type { ReceivedRequest } from "../../../../scripts/testing/upstream.ts";
import type { JsonObject } from "../definition/json.ts";
import type { Era } from "../inner-tools/inner-tool.ts";
import { listServerTools } from "./mcp-list.ts";

Deno.test("listServerTools() negotiates both generations of the protocol, with or without sessions and streams", async () => {
  const legacy = ["server/discover", "initialize", "notifications/initialized", "tools/list"];
  const cases: readonly (readonly [speaking: Speaking, era: Era, methods: string[]])[] = [
    [{}, "modern", ["server/discover", "tools/list"]],
    [{ events: true }, "modern", ["server/discover", "tools/list"]],
    [{ era: "legacy" }, "legacy", legacy],
    [{ era: "legacy", events: true }, "legacy", legacy],
    [{ era: "legacy", session: true }, "legacy", [...legacy, "DELETE"]],
  ];
  for (const [speaking, era, methods] of cases) {
    await withServer(speaking, async (means, requests) => {
      const listed = await listServerTools(SERVER_TOOL, means);
      assert(listed.ok, JSON.stringify(listed));
      assertEquals(listed.value.era, era);
      assertEquals(listed.value.tools, [{
        name: "search",
        title: "The search",
        description: "Does search.",
        inputSchema: SEARCH_SCHEMA,
        outputSchema: null,
        annotations: { readOnlyHint: true },
      }]);
      assertEquals(methodsOf(requests), methods);
      for (const { headers } of requests) {
        assertEquals(headers.get("authorization"), `Bearer ${SERVER_TOKEN}`);
      }
    });
  }
});

Deno.test("listServerTools() leaves out a tool that no call can follow into headers, where its server wants that at all", async () => {
  const marked = (name: string, header: string) =>
    innerTool(name, {
      inputSchema: { type: "object", properties: { q: { type: "string", "x-mcp-header": header } } },
    });
  const tools = () => [marked("one", "Query"), marked("two", "Query: all")];
  for (const [era, names] of [["modern", ["one"]], ["legacy", ["one", "two"]]] as const) {
    await withServer({ era, tools }, async (means) => {
      const listed = await listServerTools(SERVER_TOOL, means);
      assert(listed.ok, JSON.stringify(listed));
      assertEquals(listed.value.tools.map(({ name }) => name), [...names]);
    });
  }
});

Deno.test("listServerTools() leaves out a tool that holds what is no character, wherever, and no other", async () => {
  const tools = () => [
    innerTool("nul", { description: "a\u0000b" }),
    innerTool("n\u0000l"),
    innerTool("half", { title: "\ud800" }),
    innerTool("back", { inputSchema: { type: "object", properties: { "\\\udfff": {} } } }),
    innerTool("written", { description: "\\u0000 \\\\ud800 \u{1f600}" }),
    innerTool("search"),
  ];
  for (const era of ["modern", "legacy"] as const) {
    await withServer({ era, tools }, async (means) => {
      const listed = await listServerTools(SERVER_TOOL, means);
      assert(listed.ok, JSON.stringify(listed));
      assertEquals(listed.value.tools.map(({ name }) => name), ["written", "search"]);
    });
  }
});

Deno.test("listServerTools() reads every page, and takes no hint that is not the very boolean", async () => {
  const pages: JsonObject[] = [
    {
      tools: [innerTool("one", { annotations: { readOnlyHint: "true", title: 7, extra: 1 } })],
      nextCursor: "2",
    },
    { tools: [innerTool("two", { annotations: null })] },
  ];
  await withServer({
    instead: (message) => {
      if (message.method !== "tools/list") return null;
      const page = (message.params as JsonObject).cursor === "2" ? pages[1]! : pages[0]!;
      return rpcAnswer(message, { result: { resultType: "complete", ...page } });
    },
  }, async (means) => {
    const listed = await listServerTools(SERVER_TOOL, means);
    assert(listed.ok, JSON.stringify(listed));
    assertEquals(listed.value.tools.map(({ name, annotations }) => [name, annotations]), [
      ["one", {}],
      ["two", {}],
    ]);
  });
});

Deno.test("listServerTools() sends the secret where the file's headers place it", async () => {
  await withServer({}, async (means, requests) => {
    const tool = {
      ...SERVER_TOOL,
      mcp: { ...SERVER_TOOL.mcp, headers: { "X-Api-Key": "{{secret}}", "X-Team": "core" } },
    };
    assert((await listServerTools(tool, means)).ok);
    const [{ headers }] = requests as [ReceivedRequest];
    assertEquals([headers.get("x-api-key"), headers.get("x-team"), headers.get("authorization")], [
      SERVER_TOKEN,
      "core",
      null,
    ]);
  });
});

/** A list answered so, everything else as it should. */
function onList(answer: (message: JsonObject) => JsonObject): Speaking {
  return {
    instead: (message) =>
      message.method === "tools/list"
        ? rpcAnswer(message, { result: { resultType: "complete", ...answer(message) } })
        : null,
  };
}

const many = (amount: number, from = 0) =>
  Array.from({ length: amount }, (_, n) => ({ name: `t${from + n}`, inputSchema: { type: "object" } }));

const HOSTILE_LISTS: readonly (readonly [
  what: string,
  server: Speaking | ((request: ReceivedRequest) => Response | Promise<Response>),
  reason: string,
  says: RegExp,
])[] = [
  [
    "has 10,000 tools",
    onList(() => ({ tools: many(10_000) })),
    "upstream_too_large",
    /more than 1,000 tools/,
  ],
  [
    "tells more than 1 MiB at once",
    onList(() => ({ tools: [innerTool("a", { description: "x".repeat(1_048_577) })] })),
    "upstream_too_large",
    /1048576 bytes/,
  ],
  [
    "tells more than 1 MiB over its pages",
    onList(({ params }) => ({
      tools: [innerTool(`t${(params as JsonObject).cursor ?? 0}`, { description: "x".repeat(400_000) })],
      nextCursor: String(Number((params as JsonObject).cursor ?? 0) + 1),
    })),
    "upstream_too_large",
    /more than 1 MiB/,
  ],
  [
    "leads from a page to itself",
    onList(() => ({ tools: [], nextCursor: "again" })),
    "upstream_bad_answer",
    /never ends/,
  ],
  [
    "tells of its tools in more values than can be read back, page by page",
    onList(({ params }) => {
      const page = Number((params as JsonObject).cursor ?? 0);
      const inputSchema = { type: "object", x: Array.from({ length: 30_000 }, () => []) };
      return { tools: [innerTool(`t${page}`, { inputSchema })], nextCursor: String(page + 1) };
    }),
    "upstream_too_large",
    /more than 50,000 values/,
  ],
  [
    "answers far more than it tells of tools, page by page",
    onList(({ params }) => ({
      tools: [],
      nextCursor: `${(params as JsonObject).cursor ?? ""}x`,
      _meta: { junk: "x".repeat(900_000) },
    })),
    "upstream_too_large",
    /more than 2 MiB/,
  ],
  [
    "lists numbers in place of tools",
    onList(() => ({ tools: Array.from({ length: 1_000 }, () => 1) })),
    "upstream_bad_answer",
    /shape/,
  ],
  [
    "has a page after every page",
    onList(({ params }) => ({ tools: [], nextCursor: `${(params as JsonObject).cursor ?? ""}x` })),
    "upstream_too_large",
    /more than 20 pages/,
  ],
  [
    "lists two tools of one name",
    onList(() => ({ tools: [innerTool("a"), innerTool("a")] })),
    "upstream_bad_answer",
    /same name/,
  ],
  [
    "hides what a name says",
    onList(() => ({ tools: [innerTool("pay\u202eme")] })),
    "upstream_bad_answer",
    /cannot be shown/,
  ],
  [
    "tells two tools apart by what does not show",
    onList(() => ({ tools: [innerTool("pay"), innerTool("pay\u3164")] })),
    "upstream_bad_answer",
    /cannot be shown/,
  ],
  [
    "ends a name with a blank",
    onList(() => ({ tools: [innerTool("pay"), innerTool("pay ")] })),
    "upstream_bad_answer",
    /cannot be shown/,
  ],
  ["lists what are no tools", onList(() => ({ tools: [{ name: "a" }] })), "upstream_bad_answer", /shape/],
  ["lists nothing at all", onList(() => ({})), "upstream_bad_answer", /shape/],
  [
    "nests a schema without end",
    () =>
      new Response(`{"jsonrpc":"2.0","id":0,"result":${"[".repeat(100_000)}`, {
        headers: { "content-type": "application/json" },
      }),
    "upstream_bad_answer",
    /200 levels/,
  ],
  [
    "is a web page",
    () => new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } }),
    "upstream_bad_answer",
    /web page/,
  ],
  [
    "is no MCP server",
    () => Response.json({ hello: "world" }),
    "upstream_bad_answer",
    /no message of JSON-RPC/,
  ],
  [
    "is not there",
    () => new Response("gone", { status: 404 }),
    "upstream_failed",
    /answered 404\. It said: gone/,
  ],
  ["lets nobody in", () => new Response("who?", { status: 401 }), "upstream_failed", /answered 401/],
  ["forbids", () => new Response("no", { status: 403 }), "upstream_failed", /answered 403/],
  [
    "asks to be left alone",
    () => new Response("later", { status: 429, headers: { "retry-after": "7" } }),
    "upstream_failed",
    /answered 429/,
  ],
  ["breaks", () => new Response("oops", { status: 502 }), "upstream_failed", /answered 502/],
  [
    "leads elsewhere",
    () => new Response(null, { status: 308, headers: { location: "https://evil.example/" } }),
    "upstream_refused_redirect",
    /another place/,
  ],
  [
    "speaks revisions that are not spoken here",
    speakMcp({
      instead: (message) =>
        rpcAnswer(message, {
          error: {
            code: -32022,
            message: "no",
            data: { supported: ["2031-01-01"], requested: "2026-07-28" },
          },
        }, { status: 400 }),
    }),
    "upstream_bad_answer",
    /revision of the protocol/,
  ],
];

for (const [what, server, reason, says] of HOSTILE_LISTS) {
  Deno.test(`listServerTools() refuses in words a server that ${what}`, async () => {
    await withServer(server, async (means) => {
      const listed = await listServerTools(SERVER_TOOL, means);
      assert(!listed.ok, JSON.stringify(listed));
      assertEquals(listed.refusal.reason, reason, listed.refusal.detail);
      assertMatch(listed.refusal.detail ?? "", says);
    });
  });
}

Deno.test("listServerTools() takes schemas as they are: cyclic ones, and hints of years", async () => {
  const cyclic = { type: "object", properties: { a: { $ref: "#" } }, $defs: { b: { $ref: "#/$defs/b" } } };
  await withServer(
    onList(() => ({ tools: [innerTool("a", { inputSchema: cyclic })], ttlMs: 1e15, cacheScope: "public" })),
    async (means, requests) => {
      for (let time = 0; time < 2; time++) {
        const listed = await listServerTools(SERVER_TOOL, means);
        assert(listed.ok, JSON.stringify(listed));
        assertEquals<unknown>(listed.value.tools[0]!.inputSchema, cyclic);
      }
      assertEquals(methodsOf(requests).filter((method) => method === "tools/list").length, 2);
    },
  );
});
