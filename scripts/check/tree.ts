/** Reads a project folder into the sources the rules judge. */

import { relative } from "node:path";
import { readImportMap, type Tree } from "./structure.ts";

/** Folders that hold no source of ours: what is installed, built or made to be wrong. */
const SKIPPED = /^(?:\..*|node_modules|dist|testdata)$/;
/** Data has no rules, but for the import map and what is deployed. */
const READ = /\.(?:ts|mts|tsx|js|mjs|sql|css|html)$|\/deno\.json$|\/supabase\/config\.toml$/;

/** The sources under `root` by path from there, and the import map of its `deno.json`. */
export async function readTree(root: string): Promise<Tree> {
  const files = new Map<string, string>();
  await walk(root, async (path) => {
    if (READ.test(path)) files.set(relative(root, path).replaceAll("\\", "/"), await Deno.readTextFile(path));
  });
  return { files, importMap: readImportMap(files.get("deno.json") ?? "{}") };
}

async function walk(folder: string, visit: (path: string) => Promise<void>): Promise<void> {
  for await (const entry of Deno.readDir(folder)) {
    if (SKIPPED.test(entry.name)) continue;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) await walk(path, visit);
    else if (entry.isFile) await visit(path);
  }
}
