/**
 * Builds the console from its sources with nothing but this Deno: its packages from its lock, Vite from its packages.
 * Works on a copy, so that the checkout stays as it is, and what is built is what was read.
 */

import { dirname, join } from "node:path";
import { CONSOLE_FOLDER, type ConsoleSources } from "./sources.ts";

/** Why there is no build, with all that the step that failed said. */
export class BuildProblem extends Error {
  override name = "BuildProblem";
  constructor(message: string, readonly output = "") {
    super(message);
  }
}

const STEP_WITHIN_MS = 180_000;
const MAX_WORDS = 300;

/**
 * Fills `folder`, which must not be there, with the built site: all at once, when it is whole. What it needs on the
 * way stands beside it and goes again. Throws a BuildProblem where it cannot.
 */
export async function buildConsole(
  { files }: ConsoleSources,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<void> {
  const work = await Deno.makeTempDir({ dir: dirname(folder), prefix: "building-console-" });
  try {
    for (const [path, bytes] of files) await write(join(work, path), bytes);
    const cwd = join(work, CONSOLE_FOLDER);
    const run = (what: string, args: readonly string[]) => runDeno(what, { args, cwd, work, signal });
    await run("Its packages cannot be installed", ["install", "--frozen", "--quiet"]);
    const built = join(work, "built");
    await run("Vite does not build it", [
      ...["run", "--allow-all", "--frozen", "--cached-only", viteOf(files), "build"],
      // The other loaders write the configuration beside itself before they read it.
      ...["--configLoader", "native", "--outDir", built, "--logLevel", "warn"],
    ]);
    await openToAll(built);
    await Deno.rename(built, folder);
  } finally {
    await Deno.remove(work, { recursive: true }).catch(() => {});
  }
}

/** Vite as the console's dependency file has it, `npm:vite@8.3.4`. */
function viteOf(files: ConsoleSources["files"]): string {
  const { imports } = JSON.parse(new TextDecoder().decode(files.get(`${CONSOLE_FOLDER}/deno.json`)));
  return imports.vite;
}

interface Step {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly work: string;
  readonly signal: AbortSignal;
}

async function runDeno(failure: string, { args, cwd, work, signal }: Step): Promise<void> {
  const late = AbortSignal.timeout(STEP_WITHIN_MS);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", NODE_ENV: "production", DENO_NO_UPDATE_CHECK: "1", RUST_BACKTRACE: "0" },
    stdin: "null",
    signal: AbortSignal.any([signal, late]),
  }).output();
  signal.throwIfAborted();
  if (success) return;
  if (late.aborted) {
    throw new BuildProblem(`${failure}: it took more than ${STEP_WITHIN_MS / 1000} s`);
  }
  const said = [stderr, stdout].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  // The copy's place says nothing to who has the checkout before them, and a trace of Vite's own nothing to anybody.
  const output = stripAnsi(said).replaceAll(`${work}/`, "").replaceAll(
    /^ +(?:at |errors: \[Getter).*\n?|^}$/gm,
    "",
  ).trim();
  throw new BuildProblem(`${failure}: ${faultIn(output)}`, output);
}

/** The fault on one line, with where it is or what it comes from, as far as the output tells. */
function faultIn(output: string): string {
  const lines = output.split("\n").map((line) => line.trim()).filter((line) =>
    line !== "" && !/Build failed|^error during build/.test(line)
  );
  const [fault = "no reason given"] = lines;
  const [, place] = /\[ (\S+:\d+:\d+) \]/.exec(output) ?? [];
  const [, cause] = /\nCaused by:[^]*?\d+: ([^\n]*)/.exec(output) ?? [];
  const words = [fault.replace(/^error: /, ""), place ?? cause].filter((part) => part !== undefined).join(
    ", ",
  );
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)} …` : words;
}

function stripAnsi(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/\x1b\[[0-9;]*m/g, "");
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeFile(path, bytes);
}

/** Readable for every account, whatever the umask: root's stack and another's may share one cache folder. */
async function openToAll(folder: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  await Deno.chmod(folder, 0o755);
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) await openToAll(join(folder, name));
    else await Deno.chmod(join(folder, name), 0o644);
  }
}
