/** Many callers, many workspaces, many tools: whose an answer is, what is found, what is heard of, what is cut off. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, ledgerFile } from "../../../scripts/testing/files.ts";
import { addManyTools } from "../../../scripts/testing/many-tools.ts";
import { ERAS, messageOf, openHost, serveOnLoopback } from "../../../scripts/testing/mcp-host.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { writeHandle } from "../_shared/results/handle.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

/** Resolves when the other system has got the request that it does not answer. */
let asked = Promise.withResolvers<void>();
const upstream = startUpstream(async ({ target }) => {
  const marker = new URL(target, "http://x").searchParams.get("supplier") ?? "";
  if (marker !== "Silent") return Response.json({ rows: [{ marker }] });
  asked.resolve();
  return await new Promise<Response>(() => {});
});
const w = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
const served = serveOnLoopback(w.fetch);
globalThis.addEventListener("unload", () => Promise.all([served.close(), w.close(), upstream.close()]));
const { auth: _, ...open } = ledgerFile({
  slug: "echo",
  request: { method: "GET", url: "https://ledger.example/api/invoices?supplier={supplier}" },
});
assertEquals((await w.define(open)).status, 200);
assertEquals((await w.define({ ...open, slug: "partners" }, "reseller_key")).status, 200);

const key = (of: keyof typeof w.keys) => ({ "x-framed-api-key": w.keys[of] });
const bearer = (of: keyof typeof w.tokens) => ({ authorization: `Bearer ${w.tokens[of]}` });

/** One call in one request, as no client has to be opened for. */
async function call(
  headers: Record<string, string>,
  name: string,
  args: JsonObject,
  era: typeof ERAS[number] = "2026-07-28",
) {
  const message = messageOf({ era, method: "tools/call", params: { name, arguments: args } });
  const answer = await fetch(served.url, {
    method: "POST",
    body: message.body,
    headers: { ...message.headers, ...headers },
  });
  const { result } = await answer.json();
  return result.structuredContent as JsonObject;
}

databaseTest(
  "50 callers at once, each asking for their own in turns, never get each other's answers",
  async () => {
    const ways = [key("admin_key"), key("reseller_key"), bearer("admin_token"), bearer("member_token")];
    await Promise.all(Array.from({ length: 50 }, async (_, caller) => {
      const headers = ways[caller % ways.length]!;
      const tool = caller % ways.length === 1 ? "partners" : "echo";
      for (let turn = 0; turn < 6; turn++) {
        const marker = `m-${caller}-${turn}`;
        const asked = { tool, args: { supplier: marker }, workspace_id: w.id };
        const body = await call(
          headers,
          turn % 2 ? "framed_read" : "framed_tool",
          asked,
          ERAS[(caller + turn) % 2],
        );
        assertEquals(body.result, { rows: [{ marker }] }, JSON.stringify(body));
      }
    }));
  },
);

databaseTest("the workspace may be left out where only one is within reach", async () => {
  for (const headers of [key("admin_key"), bearer("member_token")]) {
    const { workspaces } = await call(headers, "framed_list", { of: "workspaces" });
    assertEquals((workspaces as JsonObject[]).map(({ id }) => id), [w.id]);
    assertEquals((await call(headers, "framed_read", { tool: "echo", args: { supplier: "a" } })).ok, true);
  }
  const listed = await call(key("reseller_key"), "framed_list", { of: "workspaces" });
  assertEquals(
    (listed.workspaces as JsonObject[]).map(({ id, role }) => [id, role]).sort(),
    [[w.id, null], [w.siblingId, null]].sort(),
  );
  for (
    const [name, args] of [["framed_list", { of: "tools" }], ["framed_read", { tool: "partners" }]] as const
  ) {
    const body = await call(key("reseller_key"), name, args);
    assertEquals([body.reason, body.problems], ["bad_request", ["workspace_id: missing; a UUID is wanted"]]);
  }
  const named = await call(key("reseller_key"), "framed_list", { of: "tools", workspace_id: w.id });
  assertEquals((named.tools as JsonObject[]).map(({ tool }) => tool), ["partners"]);
});

databaseTest(
  "what is on another's workspace answers like what is not there, whoever asks and however",
  async () => {
    await w.paste("echo", { name: "CONNECTOR_LEDGER", value: "12345678" });
    await w.define(bookingFile());
    const proposed = await call(bearer("member_token"), "framed_tool", {
      tool: "ledger_book_invoice",
      args: { number: "1" },
    });
    const kept = await call(bearer("member_token"), "framed_read", {
      tool: "echo",
      args: { supplier: "kept" },
    });
    assertEquals(kept.ok, true);
    const [read] = await w.database.sql`select id from framed.v2_kept_reads limit 1`;
    const there = {
      workspace_id: w.id,
      result_handle: writeHandle({ workspaceId: w.id, id: read!.id }),
      approval_id: proposed.approval_id!,
    };
    const missing = {
      workspace_id: crypto.randomUUID(),
      result_handle: writeHandle({ workspaceId: w.id, id: crypto.randomUUID() }),
      approval_id: crypto.randomUUID(),
    };
    const askings: ((ids: typeof there) => [string, JsonObject])[] = [
      ({ workspace_id }) => ["framed_list", { of: "tools", workspace_id }],
      ({ workspace_id }) => ["framed_list", { of: "approvals", workspace_id }],
      ({ workspace_id }) => ["framed_read", { tool: "echo", args: { supplier: "a" }, workspace_id }],
      (
        { workspace_id },
      ) => ["framed_read", { tool: "echo", args: { supplier: "kept" }, kept: true, workspace_id }],
      (
        { workspace_id },
      ) => ["framed_tool", { tool: "ledger_book_invoice", args: { number: "1" }, workspace_id }],
      ({ result_handle }) => ["framed_result", { result_handle }],
      ({ approval_id }) => ["framed_approval", { approval_id }],
    ];
    for (const headers of [key("stranger_key"), key("stranger_reseller_key"), bearer("stranger_token")]) {
      for (const asking of askings) {
        const answers = await Promise.all([there, missing].map(async (ids) => {
          const { request_id: _, ...body } = await call(headers, ...asking(ids));
          return body;
        }));
        assertEquals(answers[0], answers[1], asking.toString());
        assertEquals(answers[0]!.reason, "not_found", asking.toString());
      }
    }
  },
);

databaseTest(
  "a workspace with a thousand tools is paged through whole, and one of them is found by a word",
  async () => {
    await addManyTools(w, 1_000);
    const host = await openHost(served.url, { era: "2025-11-25", headers: key("admin_key") });
    const slugs: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { body } = await host.call("framed_list", { of: "tools", ...(cursor ? { cursor } : {}) });
      slugs.push(...(body.tools as { tool: string }[]).map(({ tool }) => tool));
      cursor = body.next_cursor as string | null;
    } while (cursor !== null);
    assertEquals(new Set(slugs).size, slugs.length);
    assertEquals(slugs.filter((slug) => slug.startsWith("tool_")).length, 1_000);
    const { body } = await host.call("framed_list", { of: "tools", query: "NR 777." });
    assertEquals((body.tools as { tool: string }[]).map(({ tool }) => tool), ["tool_0777"]);
    const { body: bad } = await host.call("framed_list", { of: "tools", cursor: "%" });
    assertEquals(bad.problems, ["cursor: the next_cursor of the page before is wanted, unchanged"]);
    await host.close();
  },
);

databaseTest(
  "a host that asks for it hears of the progress of its call before the answer; others hear the answer alone",
  async () => {
    for (const era of ERAS) {
      const host = await openHost(served.url, { era, headers: bearer("member_token") });
      const heard: string[] = [];
      const { body } = await host.call("framed_read", { tool: "echo", args: { supplier: "heard" } }, {
        onprogress: ({ progress, total, message }) => heard.push(`${progress} of ${total}: ${message}`),
      });
      assertEquals([body.ok, heard], [true, ["0 of 30: The call was let in."]], era);
      await host.close();
      const refused = messageOf({
        era,
        method: "tools/call",
        params: { name: "framed_read", arguments: { tool: "nothing" }, _meta: { progressToken: "p" } },
      });
      const answer = await fetch(served.url, {
        method: "POST",
        body: refused.body,
        headers: { ...refused.headers, ...bearer("member_token") },
      });
      assert(!(await answer.text()).includes("notifications/progress"), "what is not let in has none");
    }
  },
);

databaseTest("a host that goes away has its read cut off, and the log says so", async () => {
  for (const era of ERAS) {
    asked = Promise.withResolvers<void>();
    const gone = new AbortController();
    const message = messageOf({
      era,
      method: "tools/call",
      params: { name: "framed_read", arguments: { tool: "echo", args: { supplier: "Silent" } } },
    });
    // Handed on as a server does: Deno 2.9 does not see that who sent more than a few hundred bytes is gone, 2.1.4 does.
    const waiting = w.fetch(
      new Request(served.url, {
        method: "POST",
        body: message.body,
        headers: { host: "localhost", ...message.headers, ...key("admin_key") },
        signal: gone.signal,
      }),
    );
    // An answer before the other system was asked is a refusal: without this the test would wait for ever.
    const early = await Promise.race([asked.promise, waiting.then((answer) => answer.text())]);
    assertEquals(early, undefined, era);
    gone.abort();
    await waiting;
    const { outcome, tool, args } = (await w.log()).at(-1);
    assertEquals([outcome, tool, args], ["call_cancelled", "echo", { supplier: "Silent" }], era);
  }
});

databaseTest("a host that is gone before its call begins has nothing done for it", async () => {
  const before = [upstream.requests.length, (await w.log()).length];
  for (const era of ERAS) {
    for (const _meta of [{}, { progressToken: 1 }] as JsonObject[]) {
      const message = messageOf({
        era,
        method: "tools/call",
        params: { name: "framed_read", arguments: { tool: "echo", args: { supplier: "gone" } }, _meta },
      });
      const { status } = await w.fetch(
        new Request(served.url, {
          method: "POST",
          body: message.body,
          headers: { host: "localhost", ...message.headers, ...key("admin_key") },
          signal: AbortSignal.abort(),
        }),
      );
      assertEquals(status, 499, era);
    }
  }
  assertEquals([upstream.requests.length, (await w.log()).length], before);
});

databaseTest("where the store is away a host hears so in words, and of nothing else", async () => {
  const away = await openTestWorkspace({ databaseUrl: () => "postgres://nobody@127.0.0.1:1/nothing" });
  const message = messageOf({
    era: "2026-07-28",
    method: "tools/call",
    params: { name: "framed_list", arguments: { of: "tools" } },
  });
  const ask = (body: string, method: string) =>
    away.ask("/connect/mcp", {
      as: "admin_key",
      method: "POST",
      body,
      headers: { host: "localhost", ...message.headers, "mcp-method": method },
    });
  const called = (await ask(message.body, "tools/call")).body.result;
  assertEquals([called.isError, called.structuredContent.reason], [true, "store_unavailable"]);
  assert(called.content[0].text.includes("Wait 2 s before the next call."));
  const listed = messageOf({ era: "2026-07-28", method: "tools/list" });
  const { status, headers, body } = await ask(listed.body, "tools/list");
  assertEquals([status, headers.get("retry-after"), body.reason], [503, "2", "store_unavailable"]);
  await away.close();
});
