/** What another account needs to run a script of ours: this Deno, the checkout and its packages, out of folders that may be closed to it. */

import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readConsoleSources } from "../console/sources.ts";
import type { Account } from "../stack/run-as.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** Where what was copied stands. */
export interface Copied {
  readonly deno: string;
  readonly script: string;
  readonly denoDir: string;
}

/** Copies Deno, `script` with the code around it, and its packages into `folder`, all owned by `account` unless that is null. */
export async function copyForAccount(
  script: string,
  { folder, account }: { folder: string; account: Account | null },
): Promise<Copied> {
  const copied = {
    deno: join(folder, "bin", "deno"),
    script: join(folder, "checkout", relative(CHECKOUT, script)),
    denoDir: join(folder, "deno"),
  };
  await Deno.mkdir(join(folder, "bin"));
  await Deno.copyFile(Deno.execPath(), copied.deno);
  for (const part of ["scripts", "supabase"]) {
    await copyFolder(join(CHECKOUT, part), join(folder, "checkout", part));
  }
  await Deno.copyFile(join(CHECKOUT, "deno.json"), join(folder, "checkout", "deno.json"));
  for (const [path, bytes] of (await readConsoleSources(CHECKOUT)).files) {
    const copy = join(folder, "checkout", path);
    await Deno.mkdir(dirname(copy), { recursive: true });
    await Deno.writeFile(copy, bytes);
  }
  await copyDenoCache(script, copied.denoDir);
  for (const part of ["bin", "checkout", "deno"]) {
    if (account !== null) await giveTo(join(folder, part), account);
  }
  return copied;
}

interface Info {
  denoDir: string;
  npmCache: string;
  npmPackages: Record<string, { name: string; version: string; registryUrl: string }>;
}

/** Makes `to` a Deno cache with the packages of `script` and nothing else. */
async function copyDenoCache(script: string, to: string): Promise<void> {
  const [{ npmCache }, { npmPackages }] = await Promise.all([denoInfo([]), denoInfo([script])]);
  for (const { name, version, registryUrl } of Object.values(npmPackages)) {
    const folder = join(new URL(registryUrl).hostname, name);
    await copyFolder(join(npmCache, folder, version), join(to, "npm", folder, version));
    await Deno.copyFile(join(npmCache, folder, "registry.json"), join(to, "npm", folder, "registry.json"));
  }
}

async function denoInfo(args: string[]): Promise<Info> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", ...args],
    stderr: "null",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

async function giveTo(path: string, account: Account): Promise<void> {
  await Deno.chown(path, account.uid, account.gid);
  if (!(await Deno.stat(path)).isDirectory) return;
  for await (const { name } of Deno.readDir(path)) await giveTo(join(path, name), account);
}
