/**
 * `deno task test [--only-2.1.4 | --skip-2.1.4] [path…] [option of deno test…]`: every test on this Deno, then those
 * of what is deployed on the platform's Deno too, against one database cluster. Closes with `N passed, N failed` over
 * both and exits 1 when anything failed. Types are not checked here: `deno task check` does.
 */

import { stdout } from "node:process";
import { fileURLToPath } from "node:url";
import { BuildProblem } from "./console/build.ts";
import { keptBuild } from "./console/kept-build.ts";
import { cacheFolder } from "./stack/places.ts";
import { jobsOf, planTests, PLATFORM_VERSION } from "./test/options.ts";
import { installDeno } from "./test/platform-deno.ts";
import { readTally, type Tally } from "./test/summary.ts";
import { clusterOfRun, startTestCluster } from "./testing/database.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** One `deno test` of the plan. */
interface Run {
  readonly version: string;
  /** Finds the program to run. */
  readonly program: () => Promise<string>;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
}

async function main(args: readonly string[]): Promise<number> {
  const { own, platform } = planTests(args, ROOT);
  const runs: Run[] = [];
  if (own !== null) {
    runs.push({ version: Deno.version.deno, program: () => Promise.resolve(Deno.execPath()), args: own });
  }
  if (platform !== null) {
    // That Deno cannot read the lock file's format, and trusts a registry's own authority only when it is told to.
    const args = ["--no-lock", ...platform];
    const env = { DENO_TLS_CA_STORE: Deno.env.get("DENO_TLS_CA_STORE") ?? "mozilla,system" };
    runs.push({ version: PLATFORM_VERSION, program: () => installDeno(PLATFORM_VERSION), args, env });
  }
  const stop = new AbortController();
  // Windows has no other signal to listen for.
  for (const signal of Deno.build.os === "windows" ? ["SIGINT"] as const : ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  if (own !== null) await buildConsole(stop.signal);
  const shared = clusterOfRun();
  const cluster = Object.keys(shared).length > 0 ? null : await startTestCluster();
  const env = { DENO_JOBS: String(jobsOf(navigator.hardwareConcurrency)), ...(cluster?.env ?? shared) };
  const tallies: (Tally & { version: string })[] = [];
  try {
    for (const run of runs) {
      console.log(`\nTests on Deno ${run.version}`);
      tallies.push({
        version: run.version,
        ...await runTests(run, { env, signal: stop.signal }),
      });
    }
  } finally {
    await cluster?.stop();
  }
  return report(tallies);
}

/** Once and before all: a test whose stack had to build it would wait, and every other that starts one with it. */
async function buildConsole(signal: AbortSignal): Promise<void> {
  try {
    await keptBuild(ROOT, { cache: cacheFolder(), signal, report: (line) => console.error(line) });
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof BuildProblem)) throw error;
    console.error(`The console was not built, so its tests fail. ${error.message}`);
  }
}

/** Runs `deno test`, passes its output on as it comes and counts. A stopped run counts as failed. */
async function runTests(
  { version, program, args, env: ownEnv }: Run,
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
): Promise<Tally> {
  let output = "";
  try {
    signal.throwIfAborted();
    const child = new Deno.Command(await program(), {
      args: ["test", "--allow-all", "--no-check", "--parallel", ...args],
      cwd: ROOT,
      env: { ...env, ...ownEnv, ...(Deno.stdout.isTerminal() ? { FORCE_COLOR: "1" } : {}) },
      stdin: "null",
      stdout: "piped",
      signal,
    }).spawn();
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += chunk;
      stdout.write(chunk);
    }
    return readTally(output, await child.status);
  } catch (error) {
    console.error(
      `The tests on Deno ${version} did not run: ${error instanceof Error ? error.message : error}`,
    );
    return readTally(output, { success: false });
  }
}

function report(tallies: readonly (Tally & { version: string })[]): number {
  let [passed, failed] = [0, 0];
  console.log();
  for (const tally of tallies) {
    const ignored = tally.ignored > 0 ? `, ${tally.ignored} ignored` : "";
    console.log(`Deno ${tally.version}: ${tally.passed} passed, ${tally.failed} failed${ignored}`);
    passed += tally.passed;
    failed += tally.failed;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
