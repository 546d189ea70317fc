/**
 * The built console in the cache folder: one folder for each state of the sources, made when it is first wanted. Any
 * number of processes may want it at once; one builds, and none sees half of it.
 */

import { join } from "node:path";
import { buildConsole, BuildProblem } from "./build.ts";
import { readSite, type Site } from "./site.ts";
import { CONSOLE_FOLDER, type ConsoleSources, readConsoleSources } from "./sources.ts";

export interface KeptBuildOptions {
  readonly cache: string;
  readonly signal: AbortSignal;
  /** Takes a line about what is going on, for a person. */
  readonly report: (line: string) => void;
}

const PREFIX = "console-";
/** As many states of the sources as somebody may go back and forth between. */
const KEPT = 5;

/** The console that the checkout's sources give, built if it is not yet. Throws a BuildProblem where it cannot be had. */
export async function keptBuild(checkout: string, options: KeptBuildOptions): Promise<Site> {
  try {
    const sources = await readConsoleSources(checkout);
    const folder = join(options.cache, `${PREFIX}${sources.digest}`);
    return await readSite(folder) ?? await buildInTurn(sources, folder, options);
  } catch (error) {
    if (options.signal.aborted || error instanceof BuildProblem) throw error;
    if (error instanceof Deno.errors.NotFound) {
      throw new BuildProblem(`Not all of its sources are in ${join(checkout, CONSOLE_FOLDER)}`);
    }
    throw new BuildProblem(
      `It cannot be kept in ${options.cache}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

async function buildInTurn(
  sources: ConsoleSources,
  folder: string,
  { cache, signal, report }: KeptBuildOptions,
): Promise<Site> {
  await Deno.mkdir(cache, { recursive: true, mode: 0o755 });
  // Ends with the process that holds it, however that ends.
  const lock = await Deno.open(join(cache, `${PREFIX.slice(0, -1)}.lock`), { create: true, write: true });
  try {
    await orAborted(lock.lock(true), signal);
    const builtMeanwhile = await readSite(folder);
    if (builtMeanwhile !== null) return builtMeanwhile;
    report("Building the console, once ...");
    // What an interrupted removal left.
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await buildConsole(sources, { folder, signal });
    const site = await readSite(folder);
    if (site === null) throw new BuildProblem("Vite has built no index.html");
    await removeOld(cache);
    return site;
  } finally {
    lock.close();
  }
}

async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    promise.catch(() => {});
  }
}

/** All but the newest builds, and what builds that were killed left. Who serves one has it in memory. */
async function removeOld(cache: string): Promise<void> {
  const builds: { path: string; builtAt: number }[] = [];
  for await (const { name, isDirectory } of Deno.readDir(cache)) {
    const path = join(cache, name);
    // The lock is held, so nobody is at work on it.
    if (name.startsWith("building-console-")) await Deno.remove(path, { recursive: true }).catch(() => {});
    else if (isDirectory && name.startsWith(PREFIX)) {
      builds.push({ path, builtAt: (await Deno.stat(path)).mtime?.getTime() ?? 0 });
    }
  }
  builds.sort((a, b) => b.builtAt - a.builtAt);
  for (const { path } of builds.slice(KEPT)) await Deno.remove(path, { recursive: true }).catch(() => {});
}
