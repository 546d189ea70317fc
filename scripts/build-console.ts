/**
 * `deno task build:console`: the console as a folder for any static host, with nothing needed but Deno. Without
 * addresses the site alone, as `deno task start` serves it.
 */

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BuildProblem } from "./console/build.ts";
import { readBuildOptions, USAGE } from "./console/build-options.ts";
import { keptBuild } from "./console/kept-build.ts";
import { INDEX } from "./console/site.ts";
import { hostFiles } from "./console/static-host.ts";
import { cacheFolder } from "./stack/places.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const DEFAULT_FOLDER = join(CHECKOUT, "console", "dist");

async function main(args: readonly string[]): Promise<number> {
  const options = readBuildOptions(args);
  if (options === "help") {
    console.log(USAGE);
    return 0;
  }
  if ("problem" in options) {
    console.error(`${options.problem}\n\n${USAGE}`);
    return 2;
  }
  const folder = resolve(options.out ?? DEFAULT_FOLDER);
  try {
    const site = await keptBuild(CHECKOUT, {
      cache: cacheFolder(),
      signal: new AbortController().signal,
      report: (line) => console.error(line),
    });
    const files = new Map([...site].map(([path, { bytes }]) => [path, bytes]));
    if (options.addresses !== null) {
      const index = new TextDecoder().decode(site.get(INDEX)!.bytes);
      const more = hostFiles({ addresses: options.addresses, index, paths: [...site.keys()] });
      for (const [path, text] of more) files.set(path, new TextEncoder().encode(text));
    }
    await fillFolder(folder, files);
  } catch (error) {
    if (!(error instanceof BuildProblem)) throw error;
    console.error(`The console was not built. ${error.message}`);
    if (error.output !== "") console.error(`\n${error.output}`);
    return 1;
  }
  console.log(`The console is in ${folder}.`);
  return 0;
}

/** What an earlier build into the same folder may have left that this one does not write. */
const LEFT = [/^(?:config\.json|_headers|_redirects|404\.html)$/, /^assets\/[^/]+-[\w-]{8}\.\w+$/];

/**
 * Makes `folder` hold these files and no others; refuses one that holds something else. The page comes last and what is
 * gone goes after it, so that who is served from the folder meanwhile gets the old site or the new one.
 */
async function fillFolder(
  folder: string,
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    const left = (await namesIn(folder)).filter((path) => !files.has(path));
    const foreign = left.find((path) => !LEFT.some((pattern) => pattern.test(path)));
    if (foreign !== undefined) {
      throw new BuildProblem(
        `${folder} holds ${foreign}, which is no part of the console: remove it, or name another folder with --out`,
      );
    }
    const order = [...files.keys()].sort((a, b) => Number(a === INDEX) - Number(b === INDEX));
    for (const path of order) {
      await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
      await Deno.writeFile(join(folder, path), files.get(path)!);
    }
    for (const path of left) await Deno.remove(join(folder, path));
  } catch (error) {
    if (error instanceof BuildProblem) throw error;
    const words = error instanceof Error ? error.message : error;
    throw new BuildProblem(`${folder} cannot be written, name another with --out: ${words}`);
  }
}

/** Its files by path, those in its folder for assets too. */
async function namesIn(folder: string, prefix = ""): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(join(folder, prefix))) {
    names.push(...name === "assets" && prefix === "" ? await namesIn(folder, "assets/") : [prefix + name]);
  }
  return names;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
