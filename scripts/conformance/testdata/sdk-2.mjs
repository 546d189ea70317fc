/** The 2.x line of the official SDK, which finds out by itself which revision the server speaks. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import process from "node:process";
import { useConnect } from "./session.mjs";

const [url, key] = process.argv.slice(2);
const client = new Client({ name: "sdk-2", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "x-framed-api-key": key } } }),
);
await useConnect(client);
