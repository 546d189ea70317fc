/** The built program between hosts on stdio and a real Connect, with a key. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  buildConnectMcp,
  INITIALIZE,
  INITIALIZED,
  openStdioHost,
  type Runtime,
  RUNTIMES,
  startConnectMcp,
  watchWay,
} from "../testing/connect-mcp.ts";
import { databaseTest } from "../testing/database.ts";
import { bookingFile, openFile } from "../testing/files.ts";
import { ERAS, openHost, serveOnLoopback } from "../testing/mcp-host.ts";
import { startUpstream } from "../testing/upstream.ts";
import { openTestWorkspace } from "../testing/workspace.ts";

let asked = Promise.withResolvers<void>();
/** Until when the other system holds its answer back. */
let answersAfter: Promise<void> = Promise.resolve();
const upstream = startUpstream(async ({ target }) => {
  await answersAfter;
  if (!target.endsWith("=XXX")) return Response.json({ rows: [{ currency: "EUR", rate: "1.09" }] });
  asked.resolve();
  return await new Promise<Response>(() => {});
});
const w = await openTestWorkspace({ upstreams: new Map([["rates.example", upstream.url]]) });
const served = serveOnLoopback(w.fetch);
const built = await buildConnectMcp();
globalThis.addEventListener(
  "unload",
  () => Promise.all([built.close(), served.close(), w.close(), upstream.close()]),
);
assertEquals((await w.define(openFile())).status, 200);
assertEquals((await w.define(bookingFile())).status, 200);
const key = w.keys.admin_key;
const FRAMED_API_BASE = `${served.url.origin}/api`;
const person = (env: Record<string, string> = {}) =>
  built.person({ FRAMED_API_BASE, FRAMED_API_KEY: key, ...env });

/** What no revision has in common: how an answer is marked and how long it may be kept. */
function bare(value: object): object {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta, ...rest } = value as Record<
    string,
    unknown
  >;
  return rest;
}

for (const runtime of Object.keys(RUNTIMES) as Runtime[]) {
  for (const era of [...ERAS, "auto"] as const) {
    databaseTest(`connect-mcp is Connect to a host, on ${runtime} in ${era}`, async () => {
      const direct = await openHost(served.url, {
        era: era === "auto" ? "2026-07-28" : era,
        headers: { "x-framed-api-key": key },
      });
      const { client } = await openStdioHost(built, { person: await person(), runtime, era });
      try {
        assertEquals(client.getProtocolEra(), era === "2025-11-25" ? "legacy" : "modern");
        assertEquals(client.getServerVersion(), direct.client.getServerVersion());
        assertEquals(client.getInstructions(), direct.client.getInstructions());
        assertEquals(client.getServerCapabilities(), { tools: {} });
        assertEquals(bare(await client.listTools()), bare(await direct.client.listTools()));

        const heard: string[] = [];
        // A host drops what it hears of a call whose answer comes in the same breath: so this one waits for it.
        const heardOne = Promise.withResolvers<void>();
        answersAfter = heardOne.promise;
        const read = await client.callTool({
          name: "framed_read",
          arguments: { tool: "rates", args: { currency: "EUR" } },
        }, {
          onprogress({ progress, total, message }) {
            heard.push(`${progress} of ${total}: ${message}`);
            heardOne.resolve();
          },
        });
        assertEquals((read.structuredContent as { result: unknown }).result, {
          rows: [{ currency: "EUR", rate: "1.09" }],
        });
        assertEquals(heard, ["0 of 30: The call was let in."]);

        const proposed = await client.callTool({
          name: "framed_tool",
          arguments: { tool: "ledger_book_invoice", args: { number: "2026-1" } },
        });
        assertEquals((proposed.structuredContent as { status: string }).status, "awaiting_approval");

        const refused = await client.callTool({ name: "framed_read", arguments: { tool: "nothing" } });
        const { reason } = refused.structuredContent as { reason: string };
        assertEquals([refused.isError, reason], [true, "not_found"]);
        const unknown = await client.callTool({ name: "none", arguments: {} }).catch((error) => error);
        const told = await direct.client.callTool({ name: "none", arguments: {} }).catch((error) => error);
        assertEquals([unknown.code, unknown.message], [told.code, told.message]);
      } finally {
        await client.close();
        await direct.close();
      }
    });

    databaseTest(
      `connect-mcp hangs up on a call that its host takes back, on ${runtime} in ${era}`,
      async () => {
        asked = Promise.withResolvers();
        const way = watchWay(Number(served.url.port));
        const { client } = await openStdioHost(built, {
          person: await person({ FRAMED_API_BASE: `http://127.0.0.1:${way.port}/api` }),
          runtime,
          era,
        });
        const back = new AbortController();
        const calling = assertRejects(() =>
          client.callTool({ name: "framed_read", arguments: { tool: "rates", args: { currency: "XXX" } } }, {
            signal: back.signal,
          })
        );
        await asked.promise;
        back.abort();
        await calling;
        await way.hangUp('"currency":"XXX"');
        const listed = await client.callTool({ name: "framed_list", arguments: { of: "tools" } });
        assertEquals((listed.structuredContent as { ok: boolean }).ok, true, "the others go on");
        await client.close();
        await way.close();
      },
    );
  }
}

databaseTest(
  "connect-mcp says nothing on standard output but the protocol, and nothing of the key",
  async () => {
    const running = startConnectMcp(built, { person: await person() });
    await running.send(INITIALIZE, INITIALIZED, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    const { result } = await running.hears(({ id }) => id === 1);
    assert(result.tools.length > 0);
    // The 2025 revisions know of no such marks.
    assertEquals(Object.keys(result).filter((name) => name !== "tools"), []);
    await running.leave();
    const { code, stdout, stderr } = await running.ended;
    assertEquals([code, stderr], [0, ""]);
    for (const line of stdout.trimEnd().split("\n")) assertEquals(JSON.parse(line).jsonrpc, "2.0");
    assertEquals(stdout.includes(key), false);
    assertEquals(await Deno.stat((await person()).config).catch(() => null), null, "a key leaves no file");
  },
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  databaseTest(`connect-mcp ends well by ${signal}, with a call under way`, async () => {
    asked = Promise.withResolvers();
    const running = startConnectMcp(built, { person: await person() });
    await running.send(INITIALIZE, INITIALIZED, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "framed_read", arguments: { tool: "rates", args: { currency: "XXX" } } },
    });
    await asked.promise;
    running.kill(signal);
    const { code, stderr } = await running.ended;
    assertEquals([code, stderr], [0, ""]);
  });
}

const FAILURES: readonly [what: string, env: Record<string, string>, words: string][] = [
  ["the key is refused", { FRAMED_API_KEY: w.keys.admin_key.slice(0, -1) + "_" }, "Connect refuses the key"],
  [
    "the server is away",
    { FRAMED_API_BASE: "http://127.0.0.1:1025/api" },
    "http://127.0.0.1:1025 cannot be reached",
  ],
  [
    "something else answers",
    { FRAMED_API_BASE: `${upstream.url.origin}/api` },
    "does not speak MCP as Connect does",
  ],
];
for (const [what, env, words] of FAILURES) {
  databaseTest(`connect-mcp tells its host and its person in words when ${what}`, async () => {
    const running = startConnectMcp(built, { person: await person(env) });
    await running.send(INITIALIZE);
    const { error } = await running.hears(({ id }) => id === 0);
    assertEquals(error.code, -32000);
    assertStringIncludes(error.message, words);
    const { code, stderr } = await running.ended;
    assertEquals(code, 1);
    assertStringIncludes(stderr, words);
    for (const { value } of [{ value: key }, { value: env.FRAMED_API_KEY ?? key }]) {
      assertEquals(stderr.includes(value) || error.message.includes(value), false);
    }
  });
}

databaseTest("connect-mcp follows no redirect with the key, and says where to look", async () => {
  const heard: string[] = [];
  const elsewhere = startUpstream(({ target, headers }) => {
    heard.push(`${target} ${headers.get("x-framed-api-key")}`);
    return new Response(null, { status: 307, headers: { location: `${upstream.url.origin}/stolen` } });
  });
  const running = startConnectMcp(built, {
    person: await person({ FRAMED_API_BASE: `http://127.0.0.1:${elsewhere.port}/api` }),
  });
  const { code, stderr } = await running.ended.finally(() => elsewhere.close());
  assertEquals(code, 1);
  assertStringIncludes(stderr, "answers with a redirect, which is not followed");
  assertEquals(upstream.requests.some(({ target }) => target === "/stolen"), false);
  assert(heard.length > 0);
});

databaseTest(
  "connect-mcp tells a call in words when Connect goes away, and works on when it is back",
  async () => {
    const { port } = served.url as unknown as { port: string };
    let isAway = false;
    const proxy = serveOnLoopback(async (request) => {
      if (isAway) {
        return new Response("<html>Bad gateway</html>", {
          status: 502,
          headers: { "content-type": "text/html" },
        });
      }
      const { pathname } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("host");
      return await fetch(`http://127.0.0.1:${port}${pathname}`, {
        method: request.method,
        headers,
        body: request.method === "GET" ? null : await request.text(),
      });
    });
    const { client } = await openStdioHost(built, {
      person: await person({ FRAMED_API_BASE: `${proxy.url.origin}/api` }),
      runtime: "node",
      era: "2025-11-25",
    });
    isAway = true;
    const error = await client.callTool({ name: "framed_list", arguments: { of: "tools" } }).catch((error) =>
      error
    );
    assertStringIncludes(error.message, "answered 502 with text/html, which is no answer of Connect");
    isAway = false;
    const listed = await client.callTool({ name: "framed_list", arguments: { of: "tools" } });
    assertEquals((listed.structuredContent as { ok: boolean }).ok, true);
    await client.close();
    await proxy.close();
  },
);
