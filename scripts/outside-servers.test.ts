import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import type { JsonObject } from "../supabase/functions/_shared/definition/json.ts";
import { databaseTest } from "./testing/database.ts";
import { mcpFile } from "./testing/files.ts";
import { type OutsideServer, startBridge, startHttpServer } from "./testing/outside-servers.ts";
import { createTestAuthority } from "./testing/pki.ts";
import { type Answered, openTestWorkspace } from "./testing/workspace.ts";

const FILESYSTEM = "@modelcontextprotocol/server-filesystem@2026.8.31";
const MEMORY = "@modelcontextprotocol/server-memory@2026.8.31";
const EVERYTHING = "@modelcontextprotocol/server-everything@2026.8.31";

const authority = await createTestAuthority();
const folder = await Deno.realPath(await Deno.makeTempDir());
await Deno.writeTextFile(join(folder, "hello.txt"), "hello from a file");

const servers: Record<string, OutsideServer> = {
  "files.example": startBridge(
    { pack: FILESYSTEM, args: [folder] },
    await authority.certify("files.example"),
  ),
  "memory.example": startBridge(
    { pack: MEMORY, env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
    await authority.certify("memory.example"),
  ),
  "everything.example": await startHttpServer({ pack: EVERYTHING, args: ["streamableHttp"] }, {
    certificate: await authority.certify("everything.example"),
    isReady: /listening on port/,
  }),
};
const w = await openTestWorkspace({
  upstreams: new Map(Object.entries(servers).map(([host, { url }]) => [host, url])),
  extraCa: authority.ca,
});
globalThis.addEventListener("unload", () => {
  for (const server of Object.values(servers)) server.close();
  w.close();
  Deno.removeSync(folder, { recursive: true });
});

/** Defines the server's tool and tells what it lists, by name. */
async function listOf(host: string): Promise<{ slug: string; tools: Map<string, JsonObject> }> {
  const slug = host.split(".")[0]!;
  const file = mcpFile({ slug, mcp: { url: `https://${host}/mcp` } });
  assertEquals((await w.define(file)).status, 200);
  const { status, text, body } = await w.call(slug, { args: { action: "list" } });
  assertEquals(status, 200, text);
  // A long list is told as its total and its first rows; all of it is read under its handle.
  const whole = body.truncated ? await allOf(body.result_handle) : body.result.tools;
  return { slug, tools: new Map(whole.map((tool: JsonObject) => [tool.name, tool])) };
}

async function allOf(handle: string): Promise<JsonObject[]> {
  const { body } = await w.ask(`/results/${handle}?path=tools&limit=200`, { as: "member" });
  return body.items;
}

function assertWaits({ status, body, text }: Answered): void {
  assertEquals([status, body.ran], [202, false], text);
}

const callOf = (slug: string, tool: string, args: JsonObject) =>
  w.call(slug, { args: { action: "call", tool, arguments: args } });

databaseTest(
  "server-filesystem: reads run, writes wait, and nothing outside its folder is read",
  async () => {
    const { slug, tools } = await listOf("files.example");
    assertEquals(tools.get("read_text_file")?.runs, "on_call");
    assertEquals(tools.get("write_file")?.runs, "after_approval");
    const read = await callOf(slug, "read_text_file", { path: join(folder, "hello.txt") });
    assertEquals(read.status, 200, read.text);
    assert(read.text.includes("hello from a file"));
    const written = await callOf(slug, "write_file", { path: join(folder, "new.txt"), content: "x" });
    assertWaits(written);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).includes("new.txt"), false);
    const outside = await callOf(slug, "read_text_file", { path: "/etc/hostname" });
    assertEquals([outside.status, outside.body.reason], [502, "upstream_failed"]);
    const wrong = await callOf(slug, "read_text_file", { path: 7 });
    assertEquals([wrong.status, wrong.body.reason], [400, "bad_arguments"]);
  },
);

databaseTest("server-memory: what it has is read, and what changes it waits", async () => {
  const { slug, tools } = await listOf("memory.example");
  assertEquals(tools.get("read_graph")?.runs, "on_call");
  assertEquals(tools.get("create_entities")?.runs, "after_approval");
  const read = await callOf(slug, "read_graph", {});
  assertEquals([read.status, read.body.result], [200, { entities: [], relations: [] }], read.text);
  const entities = [{ name: "Ada", entityType: "person", observations: [] }];
  assertWaits(await callOf(slug, "create_entities", { entities }));
  assertEquals((await callOf(slug, "read_graph", {})).body.result.entities, []);
});

databaseTest(
  "server-everything: over its own HTTP, with a session and streams, whatever it answers is data",
  async () => {
    const { slug, tools } = await listOf("everything.example");
    assertEquals(servers["everything.example"]!.methods, [
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/list",
      "DELETE",
    ]);
    assertEquals(tools.get("toggle-simulated-logging")?.runs, "after_approval");
    const cases: readonly (readonly [tool: string, args: JsonObject, holds: string])[] = [
      ["echo", { message: "hello" }, "hello"],
      ["get-sum", { a: 2, b: 3 }, "5"],
      ["get-structured-content", { location: "Chicago" }, "temperature"],
      ["get-tiny-image", {}, "image/png"],
      ["get-resource-links", { count: 2 }, "resource_link"],
      ["trigger-long-running-operation", { duration: 0.1, steps: 2 }, "completed"],
    ];
    for (const [tool, args, holds] of cases) {
      const { status, text } = await callOf(slug, tool, args);
      assertEquals(status, 200, text);
      assert(text.includes(holds), text);
    }
  },
);
