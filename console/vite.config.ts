/** How the console is built: a static site, with the pure modules of the functions bundled in as they stand. */

import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAIN = fileURLToPath(new URL("src/main.tsx", import.meta.url));
const NODE_CRYPTO = fileURLToPath(new URL("src/node-crypto.ts", import.meta.url));

/** Finds the packages of bundled files that stand outside this folder here: they are the same ones, at the same versions. */
function packagesOfShared(): Plugin {
  return {
    name: "packages-of-shared",
    enforce: "pre",
    resolveId(source, importer) {
      if (source === "node:crypto") return NODE_CRYPTO;
      const isBare = /^[a-z@]/.test(source) && !source.startsWith("node:");
      if (!isBare || !importer?.startsWith(`${ROOT}supabase/`)) return null;
      return this.resolve(source, MAIN, { skipSelf: true });
    },
  };
}

export default defineConfig({
  plugins: [packagesOfShared()],
  // What a worker is made of is found the same way.
  worker: { format: "es", plugins: () => [packagesOfShared()] },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    // No data: address is let in by the page's policy but for pictures.
    assetsInlineLimit: 0,
    rolldownOptions: {
      onLog(level, log, report) {
        // Packages say for whom React's server build should take them; there is none here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});
