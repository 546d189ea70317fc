/**
 * `deno task build:npm [FOLDER]`: makes the npm package in `dist/npm`, or in a folder of your choice, ready for
 * `npm pack` and `npm publish`.
 */

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MANIFEST, NOTICES, PROGRAMS } from "./npm/manifest.ts";
import { gatherNotices } from "./npm/notices.ts";

const entryOf = (name: string) => fileURLToPath(new URL(`./npm/${name}.ts`, import.meta.url));
const README = fileURLToPath(new URL("./npm/README.md", import.meta.url));
const PARTS: readonly string[] = [...Object.values(PROGRAMS), NOTICES, "package.json", "README.md"];
const DEFAULT_FOLDER = fileURLToPath(new URL("../dist/npm", import.meta.url));

/** Fills `folder` with the whole package. Throws when something else is in there: nothing of it is removed. */
export async function buildPackage(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for await (const { name } of Deno.readDir(folder)) {
    if (!PARTS.includes(name)) throw new Error(`${folder} holds ${name}, which is no part of the package.`);
  }
  for (const [name, file] of Object.entries(PROGRAMS)) {
    const program = join(folder, file);
    await bundle(entryOf(name), program);
    await Deno.writeTextFile(program, `#!/usr/bin/env node\n${await Deno.readTextFile(program)}`, {
      mode: 0o755,
    });
  }
  await Deno.writeTextFile(join(folder, NOTICES), await gatherNotices(Object.keys(PROGRAMS).map(entryOf)));
  await Deno.writeTextFile(join(folder, "package.json"), `${JSON.stringify(MANIFEST, null, 2)}\n`);
  await Deno.copyFile(README, join(folder, "README.md"));
}

/**
 * Deno's own bundler, because it resolves the import map as every other run does. Minified, which also leaves out the
 * paths of the machine that built it.
 */
async function bundle(entry: string, output: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--minify", "--platform", "deno", "--output", output, entry],
    stdin: "null",
  }).output();
  if (!success) throw new Error(`${entry} cannot be bundled: ${new TextDecoder().decode(stderr)}`);
}

if (import.meta.main) {
  const folder = resolve(Deno.args[0] ?? DEFAULT_FOLDER);
  await buildPackage(folder);
  console.log(`${MANIFEST.name} ${MANIFEST.version} is in ${folder}:`);
  for (const file of Object.values(PROGRAMS)) {
    const { size } = await Deno.stat(join(folder, file));
    console.log(`${file}, ${Math.ceil(size / 1024)} KiB`);
  }
}
