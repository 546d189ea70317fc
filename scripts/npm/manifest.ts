/** What the npm package says of itself. Pure. */

import { VERSION } from "../runner/version.ts";

/** The bundled programs by the command that starts each, as files of the package. */
export const PROGRAMS = { "framed-tool": "framed-tool.mjs", "connect-mcp": "connect-mcp.mjs" } as const;
/** The licences of what is bundled, as a file of the package. */
export const NOTICES = "THIRD-PARTY-LICENSES.txt";

/** The package's `package.json`: two programs, no dependency, nothing that runs at install. */
export const MANIFEST = {
  name: "@framed/connect-mcp",
  version: VERSION,
  description:
    "Framed's tools for hosts that start MCP servers as programs, and the check of a framed-tool.json.",
  license: "UNLICENSED",
  type: "module",
  bin: Object.fromEntries(Object.entries(PROGRAMS).map(([name, file]) => [name, `./${file}`])),
  files: [...Object.values(PROGRAMS), NOTICES],
  engines: { node: ">=20" },
} as const;
