/** Brings a program that npm has for this machine onto it, with nothing but this Deno. */

import { dirname, join } from "node:path";
import { cacheFolder } from "../stack/places.ts";

/** A program that npm has in one package per system and processor. */
export interface NpmProgram {
  /** What a person calls it; the start of its folder's name. */
  readonly name: string;
  /** One exact version, which `--version` answers too. */
  readonly version: string;
  /** The packages by Deno's names for system and processor. */
  readonly packages: Readonly<Record<string, string>>;
  /** Where the program stands in its package; on Windows with `.exe`. */
  readonly path: string;
}

/**
 * The path of a `program` of exactly its version that runs, fetched from npm on first use and kept in the cache folder.
 *
 * The package is checked against npm's own hash by the Deno that fetches it. Throws an error in words when there is
 * none for this machine, or when it cannot be fetched.
 */
export async function installNpmProgram(program: NpmProgram): Promise<string> {
  const { name, version } = program;
  const platform = `${Deno.build.os}-${Deno.build.arch}`;
  const pack = program.packages[platform];
  if (pack === undefined) throw new Error(`There is no ${name} ${version} on npm for ${platform}.`);
  const folder = join(cacheFolder(), `${name}-${version}`);
  const path = join(folder, "node_modules", pack, program.path + (Deno.build.os === "windows" ? ".exe" : ""));
  if (await isVersion(path, version)) return path;
  await fetchInto(folder, `npm:${pack}@${version}`);
  if (await isVersion(path, version)) return path;
  throw new Error(`The ${name} ${version} in ${folder} does not run on this machine.`);
}

/** Fetches a package of npm with all it needs. Fills a folder and moves it into place whole: two may do this at once. */
export async function fetchInto(folder: string, specifier: string): Promise<void> {
  await Deno.mkdir(dirname(folder), { recursive: true });
  const staging = await Deno.makeTempDir({ dir: dirname(folder), prefix: "staging-" });
  try {
    const config = { nodeModulesDir: "auto", imports: { program: specifier } };
    await Deno.writeTextFile(join(staging, "deno.json"), JSON.stringify(config));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["install", "--quiet"],
      cwd: staging,
      env: { NO_COLOR: "1", RUST_BACKTRACE: "0" },
      stdin: "null",
    }).output();
    if (!success) {
      throw new Error(`${specifier} cannot be fetched: ${new TextDecoder().decode(stderr).trim()}`);
    }
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.rename(staging, folder);
  } finally {
    await Deno.remove(staging, { recursive: true }).catch(() => {});
  }
}

async function isVersion(path: string, version: string): Promise<boolean> {
  try {
    const { stdout } = await new Deno.Command(path, { args: ["--version"], stderr: "null" }).output();
    return new TextDecoder().decode(stdout).split(/\s+/).includes(version);
  } catch {
    return false;
  }
}
