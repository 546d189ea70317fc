/** What the console is built from, read once: its own files, and those modules of the functions that they import. */

import { createHash } from "node:crypto";
import { join, posix } from "node:path";

/** The sources of one build. */
export interface ConsoleSources {
  /** By path from the checkout's root. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Names what is built from exactly these. */
  readonly digest: string;
}

/** Where the console's dependency file stands. */
export const CONSOLE_FOLDER = "console";

const ITS_FILES = ["index.html", "vite.config.ts", "deno.json", "deno.lock"];
const ITS_FOLDERS = ["src", "public"];
const SHARED_FOLDER = "supabase/functions/_shared/";
/** Goes into the digest: a way of building that gives another site from the same sources has to have another. */
const BUILT_AS = "1";

/**
 * Reads them from the checkout at `root`. Throws NotFound where the console has no sources there.
 *
 * Imports are found in the text, not parsed: what is taken for one and is none makes a needless build. One that is not
 * found makes a build that fails, since what is built has these files and no others.
 */
export async function readConsoleSources(root: string): Promise<ConsoleSources> {
  const files = new Map<string, Uint8Array>();
  const itsOwn = [
    ...ITS_FILES.map((name) => `${CONSOLE_FOLDER}/${name}`),
    ...(await Promise.all(ITS_FOLDERS.map((name) => listFiles(root, `${CONSOLE_FOLDER}/${name}`)))).flat(),
  ];
  await Promise.all(itsOwn.map(async (path) => files.set(path, await Deno.readFile(join(root, path)))));
  let imported = sharedImports(files);
  while (imported.size > 0) {
    const found = new Map<string, Uint8Array>();
    await Promise.all([...imported].map(async (path) => {
      // What is imported and not there is for Vite to name, with the line that wants it.
      const bytes = await Deno.readFile(join(root, path)).catch(() => null);
      if (bytes !== null) found.set(path, bytes);
    }));
    for (const [path, bytes] of found) files.set(path, bytes);
    imported = sharedImports(found).difference(files);
  }
  const hash = createHash("sha256").update(BUILT_AS);
  for (const path of [...files.keys()].sort()) {
    const bytes = files.get(path)!;
    hash.update(`\n${path} ${bytes.length}\n`).update(bytes);
  }
  return { files, digest: hash.digest("hex").slice(0, 16) };
}

const TYPES_ONLY = /\b(?:import|export)\s+type\b[^"';]*\bfrom\s*["'][^"']*["']/g;
const RELATIVE = /\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"'?]+)/g;

/** The modules of the functions that these files import, types apart: they are gone when a file is bundled. */
function sharedImports(files: ReadonlyMap<string, Uint8Array>): Set<string> {
  const imported = new Set<string>();
  for (const [path, bytes] of files) {
    if (!/\.tsx?$/.test(path)) continue;
    const source = new TextDecoder().decode(bytes).replaceAll(TYPES_ONLY, "");
    for (const [, specifier = ""] of source.matchAll(RELATIVE)) {
      const target = posix.join(posix.dirname(path), specifier);
      if (target.startsWith(SHARED_FOLDER)) imported.add(target);
    }
  }
  return imported;
}

/** The files below `folder`, without tests; none where there is no such folder. */
async function listFiles(root: string, folder: string): Promise<string[]> {
  const paths: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(join(root, folder))) {
      const path = `${folder}/${name}`;
      if (/^\.|\.test\.tsx?$/.test(name)) continue;
      if (isDirectory) paths.push(...await listFiles(root, path));
      else paths.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return paths;
}
