/** The second program of the npm package: Connect for hosts that start MCP servers as programs, on Node. */

import process from "node:process";
import { main } from "../connect-mcp/main.ts";

const code = await main(process.argv.slice(2));
// What a host has been told is out before the end; nothing that is kept open by a library holds it up.
process.stdout.write("", () => process.exit(code));
