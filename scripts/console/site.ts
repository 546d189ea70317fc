/** A built console in memory: its files by path, each with what a browser has to know of it. */

import { createHash } from "node:crypto";
import { extname, relative } from "node:path";

/** One file of a built console. */
export interface SiteFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Changes with the bytes, and with nothing else. */
  readonly tag: string;
}

/** The files by path from the site's root, `assets/index-1a2b.js`. There is always an `index.html`. */
export type Site = ReadonlyMap<string, SiteFile>;

/** The one page, which every path of the console is answered with. */
export const INDEX = "index.html";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** The file with these bytes under `path`. */
export function siteFile(path: string, bytes: Uint8Array<ArrayBuffer>): SiteFile {
  return {
    bytes,
    type: TYPES[extname(path)] ?? "application/octet-stream",
    tag: createHash("sha256").update(bytes).digest("base64url").slice(0, 22),
  };
}

/** Reads what was built into `folder`; null where there is nothing whole. */
export async function readSite(folder: string): Promise<Site | null> {
  const site = new Map<string, SiteFile>();
  try {
    for await (const path of walk(folder)) {
      const name = relative(folder, path).replaceAll("\\", "/");
      site.set(name, siteFile(name, await Deno.readFile(path)));
    }
  } catch (error) {
    // Not built yet, or being removed by a start that built another.
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  return site.has(INDEX) ? site : null;
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* walk(path);
    else yield path;
  }
}
