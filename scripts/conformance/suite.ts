/** Runs the official conformance suite against a server on loopback or with a client, and reads what it found. */

import { join } from "node:path";
import { fetchInto } from "../programs/npm-program.ts";
import { cacheFolder } from "../stack/places.ts";

/** The suite, with its requirements as they were frozen at each revision's release. */
const PACKAGE = "@modelcontextprotocol/conformance";
const VERSION = "0.2.0-alpha.12";
/** The clients of all scenarios run at once. */
const CLIENT_MS = 120_000;

/** The revisions whose requirements are held, each on its own wire. */
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof REVISIONS)[number];

/** What a check came to. */
export interface Check {
  /** `scenario:check`, as a baseline names it. */
  readonly name: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly said: string;
}

export interface Outcome {
  readonly revision: Revision;
  /** Of every scenario that ran. */
  readonly checks: readonly Check[];
  /** Scenarios that ran and are not required: extensions, and what the suite's own server cannot pass yet. */
  readonly unscored: ReadonlySet<string>;
}

/** What the suite is run against: the address of a server, or the command that starts a client, which is given one. */
export type Tested = { readonly server: string } | { readonly client: string };

/** Runs what `revision` requires. Throws with the suite's words where it did not run to its end. */
export async function runSuite(tested: Tested, revision: Revision): Promise<Outcome> {
  const folder = await Deno.makeTempDir({ prefix: "framed-conformance-" });
  try {
    const args = "server" in tested
      ? ["server", "--url", tested.server]
      : ["client", "--command", tested.client, "--timeout", String(CLIENT_MS)];
    const output = await runToEnd([...args, "--requirements", revision, "--output-dir", folder], {
      // Away from the project: the suite is no part of it.
      cwd: folder,
    });
    if (!output.includes("SUMMARY ===")) throw new Error(`The suite did not run to its end. ${output}`);
    const unscored = output.matchAll(/^ +[✓✗] (\S+) \((?:extension|pending|added-after-release)\)/gm);
    return {
      revision,
      checks: await readChecks(folder, { output, prefix: "server" in tested ? "server-" : "" }),
      unscored: new Set([...unscored].map(([, name]) => name!)),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * The suite's program, fetched where this machine does not have it.
 *
 * In a folder with its packages rather than as `npm:…`: that start of Deno 2.9.6 hangs for good as long as no file of
 * the packages has been analysed on this machine.
 */
async function installSuite(): Promise<string> {
  const folder = join(cacheFolder(), `conformance-${VERSION}`);
  const program = join(folder, "node_modules", PACKAGE, "dist", "index.js");
  if (!await isThere(program)) await fetchInto(folder, `npm:${PACKAGE}@${VERSION}`);
  return program;
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** What the suite says until it ends. */
async function runToEnd(args: readonly string[], { cwd }: { cwd: string }): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-lock",
      "--no-config",
      "--node-modules-dir=manual",
      await installSuite(),
      ...args,
    ],
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

/** Of every scenario that `output` says ran. Throws where one left nothing behind. */
async function readChecks(
  folder: string,
  { output, prefix }: { output: string; prefix: string },
): Promise<Check[]> {
  const checks: Check[] = [];
  const left = await foldersOf(folder);
  for (const [, scenario = ""] of output.matchAll(/^[✓✗] (\S+):/gm)) {
    const found = left.get(prefix + scenario);
    if (found === undefined) throw new Error(`The suite did not run ${scenario}. ${output}`);
    const told = JSON.parse(await Deno.readTextFile(join(found, "checks.json"))) as {
      id: string;
      status: Check["status"];
      errorMessage?: string;
    }[];
    for (const { id, status, errorMessage } of told) {
      checks.push({ name: `${scenario}:${id}`, status, said: errorMessage ?? "" });
    }
  }
  return checks.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** By scenario, where its checks are. One of a group is in a folder of that. */
async function foldersOf(folder: string, group = ""): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory) continue;
    const path = join(folder, name);
    const scenario = /^(.+)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1];
    if (scenario !== undefined) found.set(group + scenario, path);
    else for (const [inner, of] of await foldersOf(path, `${name}/`)) found.set(inner, of);
  }
  return found;
}

/** The required scenarios, each with the checks of it that did not pass. A warning counts: it is a SHOULD that is not met. */
export function failingChecks({ checks, unscored }: Outcome): Map<string, string[]> {
  const failing = new Map<string, string[]>();
  for (const { name, status } of checks) {
    const [scenario = "", check = ""] = name.split(":");
    if (unscored.has(scenario)) continue;
    const failed = failing.get(scenario) ?? [];
    failing.set(scenario, status === "FAILURE" || status === "WARNING" ? [...failed, check] : failed);
  }
  return failing;
}

/** In one line: the scenarios the revision requires, and the checks of all that ran. */
export function tallyOf(outcome: Outcome): string {
  const failing = [...failingChecks(outcome).values()];
  const passed = failing.filter((checks) => checks.length === 0).length;
  const count = (status: Check["status"]) => outcome.checks.filter((check) => check.status === status).length;
  return `${outcome.revision}: ${passed} of ${failing.length} required scenarios; of the checks of all that ran ${
    count("SUCCESS")
  } passed, ${count("FAILURE")} failed, ${count("WARNING")} warned, ${count("SKIPPED")} skipped`;
}
