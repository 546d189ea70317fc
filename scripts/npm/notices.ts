/** Gathers the licences of the npm packages that a bundle carries. */

import { join } from "node:path";

/** As much of `deno info --json` as is read here. */
interface ModuleGraph {
  readonly modules: readonly { readonly kind: string; readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<Record<string, NpmPackage>>;
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly localPath: string;
}

/**
 * One text with name, version and licence of every package that one of `entries` reaches, in the order of their names.
 * Throws when one has no licence in its folder: it may not be passed on.
 */
export async function gatherNotices(entries: readonly string[]): Promise<string> {
  const reached = new Map<string, NpmPackage>();
  for (const entry of entries) {
    const graph = await readGraph(entry);
    const left = graph.modules.flatMap(({ npmPackage }) => npmPackage ?? []);
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (reached.has(id)) continue;
      const found = graph.npmPackages[id];
      if (found === undefined) throw new Error(`Deno does not say where ${id} is.`);
      reached.set(id, found);
      left.push(...found.dependencies);
    }
  }
  const notices: string[] = [];
  for (const [, found] of [...reached].sort(([one], [other]) => one < other ? -1 : 1)) {
    notices.push(`${found.name} ${found.version}\n\n${(await readLicence(found)).trim()}\n`);
  }
  return notices.join(`\n${"-".repeat(80)}\n\n`);
}

async function readGraph(entry: string): Promise<ModuleGraph> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Deno cannot read the modules of ${entry}.`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function readLicence({ name, version, localPath }: NpmPackage): Promise<string> {
  for await (const { name: file, isFile } of Deno.readDir(localPath)) {
    if (isFile && /^licen[cs]e/i.test(file)) return await Deno.readTextFile(join(localPath, file));
  }
  throw new Error(`${name} ${version} has no licence in its package.`);
}
