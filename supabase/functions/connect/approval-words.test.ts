/** What a host is told of an approved call that came to no good: what became of it, and never where it went. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, mcpFile } from "../../../scripts/testing/files.ts";
import { messageOf, serveOnLoopback } from "../../../scripts/testing/mcp-host.ts";
import { innerTool, speakMcp } from "../../../scripts/testing/mcp-server.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const elsewhere = () =>
  new Response(null, { status: 307, headers: { location: "https://sign-in.example/" } });
const ledger = startUpstream(elsewhere);
const tracker = startUpstream(speakMcp({
  tools: () => [innerTool("close", { annotations: {} })],
  instead: ({ method }) => method === "tools/call" ? elsewhere() : null,
}));
const w = await openTestWorkspace({
  upstreams: new Map([["ledger.example", ledger.url], ["mcp.tracker.example", tracker.url]]),
});
const served = serveOnLoopback(w.fetch);
globalThis.addEventListener(
  "unload",
  () => Promise.all([served.close(), w.close(), ledger.close(), tracker.close()]),
);
await w.define(bookingFile());
await w.paste("ledger_book_invoice", { name: "CONNECTOR_LEDGER", value: "12345678" });
await w.define(mcpFile());
await w.paste("issue_tracker", { name: "CONNECTOR_TRACKER_TOKEN", value: "12345678" });

async function call(name: string, args: JsonObject) {
  const message = messageOf({ era: "2026-07-28", method: "tools/call", params: { name, arguments: args } });
  const answer = await fetch(served.url, {
    method: "POST",
    body: message.body,
    headers: { ...message.headers, authorization: `Bearer ${w.tokens.member_token}` },
  });
  return (await answer.json()).result;
}

const CALLS: readonly [tool: string, args: JsonObject, host: string][] = [
  ["ledger_book_invoice", { number: "2026-001" }, "ledger.example"],
  ["issue_tracker", { action: "call", tool: "close", arguments: { q: "7" } }, "mcp.tracker.example"],
];

for (const [tool, args, where] of CALLS) {
  databaseTest(`a host that asks what became of a call of ${tool} is not told where it went`, async () => {
    const proposed = (await call("framed_tool", { tool, args })).structuredContent;
    const id = proposed.approval_id;
    assert(id !== undefined, JSON.stringify(proposed));
    const { digest } = (await w.ask(`/approvals/${id}`, { as: "admin" })).body;
    const decision = { decision: "approve", digest };
    assertEquals((await w.ask(`/approvals/${id}/decision`, { as: "admin", body: decision })).status, 200);
    const person = await w.ask(`/approvals/${id}`, { as: "admin" });
    assert(person.body.outcome.includes(where), person.body.outcome);
    const told = [
      JSON.stringify(await call("framed_approval", { approval_id: id })),
      JSON.stringify(await call("framed_list", { of: "approvals" })),
      (await w.ask(`/approvals/${id}`, { as: "member_token" })).text,
      (await w.ask(`/approvals?workspace_id=${w.id}`, { as: "member_token" })).text,
    ];
    for (const text of told) {
      assert(/the other system answered 307/i.test(text), text);
      assertEquals([text.includes(where), text.includes("sign-in.example")], [false, false], text);
    }
  });
}
