import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { checkFramedTool, type FramedTool } from "../../supabase/functions/_shared/framed-tool.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { mcpFile, openFile } from "../testing/files.ts";
import { innerTool, speakMcp } from "../testing/mcp-server.ts";
import { startUpstream } from "../testing/upstream.ts";
import { listLive } from "./live.ts";
import { makePaint } from "./paint.ts";
import { printLive } from "./print-live.ts";
import { printReport } from "./print-report.ts";
import { isFine, reportsAsJson, reportSource } from "./report.ts";

const LAYOUT = { paint: makePaint(false), columns: null };

function read(file: JsonObject): FramedTool {
  const checked = checkFramedTool(file);
  assert(checked.ok);
  return checked.tool;
}

Deno.test("listLive() tells of each of a server's tools what a call of it does, and sends no secret", async () => {
  const upstream = startUpstream(speakMcp({
    tools: () => [innerTool("search"), innerTool("close", { annotations: {} })],
  }));
  const egress = createEgress({ upstreams: new Map([["mcp.tracker.example", upstream.url]]) });
  const placed = { "X-Api-Key": "{{secret}}", "X-Team": "core" };
  const auth = { secret: "CONNECTOR_TRACKER_TOKEN" };
  const tool = read(mcpFile({ mcp: { url: "https://mcp.tracker.example/mcp", auth, headers: placed } }));
  const live = await listLive(tool, { egress });
  assertEquals(live, {
    ok: true,
    tools: [
      { name: "search", description: "Does search.", runs: "on_call" },
      { name: "close", description: "Does close.", runs: "after_approval" },
    ],
  });
  for (const { headers } of upstream.requests) {
    assertEquals([headers.get("x-api-key"), headers.get("authorization"), headers.get("x-team")], [
      null,
      null,
      "core",
    ]);
  }
  assertEquals(
    printLive(live!, LAYOUT),
    "  The server has 2 tools\n    search  runs on the call\n    close   waits for a person's approval\n",
  );
  const report = { ...reportSource("a.json", new TextEncoder().encode(JSON.stringify(mcpFile()))), live };
  assert(isFine(report));
  assertStringIncludes(printReport(report, LAYOUT), "The server has 2 tools");
  assertStringIncludes(
    JSON.stringify(reportsAsJson([report])),
    '"live":{"ok":true,"tools":[{"name":"search"',
  );
  await egress.close();
  await upstream.close();
});

Deno.test("listLive() says why a server is not listed, and that it was asked without the secret", async () => {
  const upstream = startUpstream(() => new Response("who?", { status: 401 }));
  const egress = createEgress({ upstreams: new Map([["mcp.tracker.example", upstream.url]]) });
  const live = await listLive(read(mcpFile()), { egress });
  assert(live !== null && !live.ok);
  assertEquals(live.reason, "upstream_failed");
  assertStringIncludes(live.says, "answered 401");
  assertStringIncludes(live.says, "without the secret");
  const report = { ...reportSource("a.json", new TextEncoder().encode(JSON.stringify(mcpFile()))), live };
  assertEquals(isFine(report), false);
  assertStringIncludes(printReport(report, LAYOUT), "The server was not listed. The server answered 401.");
  await egress.close();
  await upstream.close();
});

Deno.test("listLive() asks nothing for a file of another kind", async () => {
  assertEquals(await listLive(read(openFile())), null);
});
