import { assert, assertEquals } from "@std/assert";
import { readFramedTool } from "../framed-tool.ts";
import { FILES } from "./testdata/files.ts";
import { hostOfTool, secretsOf } from "./tool-secrets.ts";

function tool(name: string) {
  const result = readFramedTool(FILES.valid.find((file) => file.name === name)!.bytes);
  assert(result.ok, name);
  return result.tool;
}

Deno.test("hostOfTool() is the one host of the file, with its port and its placeholder as written", () => {
  const hosts = {
    "quick-start-ledger": "ledger.example",
    "port-8443": "print.example:8443",
    "tenant-in-host": "{tenant}.shops.example",
    "idn-host": "xn--bckerei-5wa.example",
    "issue-tracker-mcp": "mcp.tracker.example",
    "shortest-slug": null,
  };
  for (const [name, host] of Object.entries(hosts)) assertEquals(hostOfTool(tool(name)), host, name);
});

Deno.test("secretsOf() names each secret with the key under which it is used", () => {
  assertEquals(secretsOf(tool("quick-start-ledger")), [{ name: "CONNECTOR_LEDGER", key: "secret" }]);
  assertEquals(secretsOf(tool("issue-tracker-mcp")), [{ name: "CONNECTOR_TRACKER_TOKEN", key: "secret" }]);
  assertEquals(secretsOf(tool("administration-in-path")), [
    { name: "CONNECTOR_BOOKS_TOKEN", key: "accessToken" },
    { name: "CONNECTOR_BOOKS_ADMINISTRATION", key: "administrationId" },
  ]);
  for (const name of ["shortest-slug", "port-8443", "mcp-without-secret"]) {
    assertEquals(secretsOf(tool(name)), []);
  }
});
