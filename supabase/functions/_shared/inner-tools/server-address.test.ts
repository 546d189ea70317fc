import { assertEquals } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import { hostOf } from "../definition/request/host.ts";
import { serverAddress } from "./server-address.ts";

/** One spelling of a server, and others that lead there too. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  "https://mcp.tracker.example/mcp": [
    "https://MCP.Tracker.example/mcp",
    "HTTPS://mcp.tracker.example/mcp",
    "https://mcp.tracker.example:443/mcp",
    "https://mcp.tracker.example./mcp",
    "https://mcp.tracker.example/mcp/",
    "https://mcp.tracker.example/mcp//",
    "https://mcp.tracker.example/mcp?",
    "https://mcp.tracker.example/mcp/?",
    "https://mcp.tracker.example/%6dcp",
    "https://mcp.tracker.example/%6Dc%70",
  ],
  "https://mcp.tracker.example/": ["https://mcp.tracker.example", "https://mcp.tracker.example?"],
  "https://mcp.tracker.example/?of=A": ["https://mcp.tracker.example?of=%41"],
  "https://mcp.tracker.example/a%2Fb": ["https://mcp.tracker.example/a%2fb"],
  "https://xn--bcher-kva.example/mcp": ["https://bücher.example/mcp", "https://BÜCHER.example/mcp"],
};
/** Each of them another server, for all that can be known. */
const APART = [
  ...Object.keys(SAME),
  "https://mcp.tracker.example/MCP",
  "https://mcp.tracker.example/mcp/v2",
  "https://mcp.tracker.example/mcp?of=a",
  "https://mcp.tracker.example/mcp?of=A",
  "https://mcp.tracker.example/a/b",
  "https://mcp.tracker.example/%256dcp",
  "https://mcp.tracker.example:8443/mcp",
  "https://other.tracker.example/mcp",
];

Deno.test("serverAddress() is the same for each spelling of a server, and another for another", () => {
  for (const [address, spellings] of Object.entries(SAME)) {
    for (const url of [address, ...spellings]) assertEquals(serverAddress(url), address, url);
  }
  assertEquals(new Set(APART.map(serverAddress)).size, APART.length);
});

databaseTest("framed.server_address() says what serverAddress() says", async () => {
  const database = await openTestDatabase();
  for (const url of [...Object.values(SAME).flat(), ...APART]) {
    const [row] = await database.sql<{ address: string }[]>`
      select framed.server_address(${hostOf(url)}, ${url}) as address`;
    assertEquals(row!.address, serverAddress(url), url);
  }
  await database.drop();
});
