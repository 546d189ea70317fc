/** The 1.x line of the official SDK. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import process from "node:process";
import { useConnect } from "./session.mjs";

const [url, key] = process.argv.slice(2);
const client = new Client({ name: "sdk-1", version: "1.0.0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "x-framed-api-key": key } } }),
);
await useConnect(client);
