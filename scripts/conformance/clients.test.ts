/** Programs of others against Connect with a key: both lines of the official SDK, on Deno and on Node, and the inspector. */

import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { databaseTest } from "../testing/database.ts";
import { bookingFile, ledgerFile } from "../testing/files.ts";
import { serveOnLoopback } from "../testing/mcp-host.ts";
import { runProgram } from "../testing/run-program.ts";
import { startUpstream } from "../testing/upstream.ts";
import { openTestWorkspace } from "../testing/workspace.ts";

const PROGRAMS = fileURLToPath(new URL("testdata/", import.meta.url));
const PACKAGES = {
  "@modelcontextprotocol/client": "2.4.0",
  "@modelcontextprotocol/inspector": "1.0.3",
  "@modelcontextprotocol/sdk": "1.32.2",
};
const HOST_TOOLS = ["framed_list", "framed_read", "framed_tool", "framed_result", "framed_approval"];
const SAW = {
  server: "framed-connect",
  tools: HOST_TOOLS,
  found: ["ledger_book_invoice", "ledger_open_invoices"],
  items: 300,
  status: "awaiting_approval",
};

const ROWS = Array.from({ length: 300 }, (_, index) => ({ id: index, note: "n".repeat(100) }));
const upstream = startUpstream(() => Response.json({ rows: ROWS }));
const w = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
const served = serveOnLoopback(w.fetch);
const folder = await Deno.makeTempDir({ prefix: "framed-clients-" });
globalThis.addEventListener("unload", async () => {
  Deno.removeSync(folder, { recursive: true });
  await Promise.all([served.close(), w.close(), upstream.close()]);
});
await w.define(ledgerFile());
await w.define(bookingFile());
await w.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: "a-token-of-the-ledger" });
for await (const { name } of Deno.readDir(PROGRAMS)) {
  await Deno.copyFile(join(PROGRAMS, name), join(folder, name));
}
await Deno.writeTextFile(
  join(folder, "package.json"),
  JSON.stringify({ type: "module", dependencies: PACKAGES }),
);
await succeed(Deno.execPath(), ["install", "--node-modules-dir=auto", "--quiet"]);
const hasNode = await runProgram("node", ["--version"]).then(({ code }) => code === 0, () => false);

async function succeed(program: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, { cwd: folder });
  assertEquals(code, 0, stderr);
  return stdout;
}

for (const line of ["sdk-1.mjs", "sdk-2.mjs"]) {
  const args = [line, served.url.href, w.keys.admin_key];
  databaseTest(`${line} on Deno lists, reads, pages and proposes through Connect`, async () => {
    assertEquals(JSON.parse(await succeed(Deno.execPath(), ["run", "-A", ...args])), SAW);
  });
  Deno.test({
    name: `${line} on Node lists, reads, pages and proposes through Connect`,
    ignore: !hasNode,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => assertEquals(JSON.parse(await succeed("node", args)), SAW),
  });
}

Deno.test({
  name: "the inspector lists Connect's tools and calls one",
  ignore: !hasNode,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const inspect = async (...args: string[]) =>
      JSON.parse(
        await succeed("node", [
          "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js",
          "--cli",
          served.url.href,
          "--transport",
          "http",
          "--header",
          `x-framed-api-key: ${w.keys.admin_key}`,
          ...args,
        ]),
      );
    const listed = await inspect("--method", "tools/list");
    assertEquals(listed.tools.map(({ name }: { name: string }) => name), HOST_TOOLS);
    const called = await inspect(
      "--method",
      "tools/call",
      "--tool-name",
      "framed_list",
      "--tool-arg",
      "of=tools",
    );
    assertEquals(
      called.structuredContent.tools.map(({ tool }: { tool: string }) => tool),
      ["ledger_book_invoice", "ledger_open_invoices"],
    );
  },
});
