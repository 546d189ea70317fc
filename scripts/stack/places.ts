/** Where the local stack keeps what it downloads and what it stores, on each operating system. Reads the environment. */

import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** True when this process runs as root, which PostgreSQL refuses to do. */
export function isRoot(): boolean {
  return Deno.build.os !== "windows" && Deno.uid() === 0;
}

/**
 * The folder for what can be fetched again; `FRAMED_CACHE_DIR` names another.
 *
 * Root gets a system folder: root's home is closed to the account that PostgreSQL runs as.
 */
export function cacheFolder(): string {
  const named = Deno.env.get("FRAMED_CACHE_DIR");
  if (named) return named;
  switch (Deno.build.os) {
    case "windows":
      return join(Deno.env.get("LOCALAPPDATA") ?? tmpdir(), "framed", "cache");
    case "darwin":
      return isRoot() ? "/Library/Caches/framed" : join(homeFolder(), "Library", "Caches", "framed");
    default:
      return isRoot()
        ? "/var/cache/framed"
        : join(Deno.env.get("XDG_CACHE_HOME") || join(homeFolder(), ".cache"), "framed");
  }
}

/**
 * The data folder of a stack that names none: one per checkout, outside of it, so that no tool that walks the
 * checkout meets a database, and reachable for the account that PostgreSQL runs as when root starts it.
 */
export function defaultDataFolder(checkout: string): string {
  const key = `${basename(checkout)}-${createHash("sha256").update(checkout).digest("hex").slice(0, 8)}`;
  switch (Deno.build.os) {
    case "windows":
      return join(Deno.env.get("LOCALAPPDATA") ?? tmpdir(), "framed", "data", key);
    case "darwin":
      return isRoot()
        ? join("/Library/Application Support/framed", key)
        : join(homeFolder(), "Library", "Application Support", "framed", key);
    default:
      return isRoot()
        ? join("/var/lib/framed", key)
        : join(Deno.env.get("XDG_DATA_HOME") || join(homeFolder(), ".local", "share"), "framed", key);
  }
}

/** An account without a home has the folder for temporary files. */
function homeFolder(): string {
  return Deno.env.get("HOME") || join(tmpdir(), `framed-${Deno.uid()}`);
}
