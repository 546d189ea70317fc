/**
 * How long the first answer of each function takes on the platform's Deno: `deno run -A scripts/bench/cold-start.ts
 * [--rounds 31] [define api …]`. Against a function that only says hello, and against one that imports the same
 * packages, from the start of the process on, taking turns in one run: each as one bundle, as it is deployed, and for
 * information from its loose files. The request is one of the function's own with a key that is none; it is refused
 * with 401, for which the store is not asked, since a hello asks none either.
 */

import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { generateKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { type LoadedPackages, loadedPackages, unversioned } from "../check/loaded-packages.ts";
import { bundle } from "../deploy/bundle.ts";
import { installDeno } from "../test/platform-deno.ts";
import { PLATFORM_VERSION } from "../test/options.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const FUNCTIONS = fileURLToPath(new URL("../../supabase/functions", import.meta.url));
/** What may be taken of what the same packages take, as deployed. */
const WANTED = 1.3;

/** A request of each function, under its name; what has no line is asked for a path that it does not have. */
const REQUESTS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  api: ["POST", "/tools/a_tool/call"],
  approval: ["GET", "/approvals"],
  connect: ["POST", "/mcp"],
  cron: ["POST", "/tick"],
  define: ["POST", "/tools/define"],
  "read-back": ["GET", "/tools/a_tool"],
  secrets: ["PUT", "/tools/a_tool/secrets/CONNECTOR_ONE"],
  "tool-call": ["POST", "/tools/a_tool/call"],
  workspace: ["GET", "/workspaces"],
};

/** What a function imports with that very request: what only imports the same packages imports it at once. */
const WITH_REQUEST: Readonly<Record<string, readonly string[]>> = {
  connect: ["@modelcontextprotocol/server", "re2js", "tldts"],
};

/** How a module is run. */
type As = "bundle" | "files";
const FLAGS: Readonly<Record<As, readonly string[]>> = {
  // Packages for Node find its globals, which their files have by themselves and a bundle of them has not.
  bundle: ["--no-config", "--unstable-node-globals"],
  files: ["--no-check", "--node-modules-dir=none", "--config", CONFIG],
};

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: "string", default: "31" } },
  });
  const deno = await installDeno(PLATFORM_VERSION);
  const folder = await Deno.makeTempDir();
  try {
    const starter = join(folder, "start.js");
    await Deno.writeTextFile(starter, STARTER);
    const hello = join(folder, "hello.js");
    await Deno.writeTextFile(hello, HELLO);
    let failed = 0;
    for (const name of positionals.length > 0 ? positionals : await functionNames()) {
      const packages = untilAnswer(name, await loadedPackages(join(FUNCTIONS, name, "index.ts")));
      for (const as of ["bundle", "files"] as const) {
        const [own, same] = await modulesOf(name, { packages, as, folder });
        const times = { own: [] as number[], hello: [] as number[], same: [] as number[] };
        const turns = [["hello", hello], ["own", own], ["same", same]] as const;
        // The first round fills caches and does not count.
        for (let round = 0; round <= Number(values.rounds); round++) {
          for (const [of, target] of round % 2 === 0 ? turns : turns.toReversed()) {
            const took = await firstAnswer(deno, { starter, target, as, name, isOwn: of === "own" });
            if (round > 0) times[of].push(took);
          }
        }
        const ofSame = quotient(times.own, times.same);
        const isTooMuch = as === "bundle" && ofSame > WANTED;
        if (isTooMuch) failed = 1;
        console.log(
          `${name}, ${as === "bundle" ? "as deployed" : "from files"}: ${median(times.own).toFixed(0)} ms, ` +
            `${ofSame.toFixed(2)} of the same packages (${median(times.same).toFixed(0)} ms), ` +
            `${quotient(times.own, times.hello).toFixed(2)} of a hello (${
              median(times.hello).toFixed(0)
            } ms)` +
            (isTooMuch ? `: above ${WANTED}` : ""),
        );
      }
      console.log(`  with ${packages.atStart.map(unversioned).join(", ")}`);
    }
    return failed;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * The paths of the function `name` and of what only imports its packages. Both bundles hold the packages whole: the
 * platform leaves nothing of a package out, so neither may the bundle of one of the two.
 */
async function modulesOf(
  name: string,
  { packages, as, folder }: { packages: LoadedPackages; as: As; folder: string },
): Promise<[own: string, same: string]> {
  const index = join(FUNCTIONS, name, "index.ts");
  const same = join(folder, `${name}-same.ts`);
  await Deno.writeTextFile(same, importing(packages) + HELLO);
  if (as === "files") return [index, same];
  const own = join(folder, `${name}-own.ts`);
  await Deno.writeTextFile(own, importing(packages) + `import "${pathToFileURL(index).href}";\n`);
  const bundled = async (path: string) => {
    const to = path.replace(/\.ts$/, ".js");
    await Deno.writeFile(to, await bundle(path));
    return to;
  };
  return [await bundled(own), await bundled(same)];
}

/** Serves what a module serves on a free port and says which: a function itself knows of no port. */
const STARTER = `
const serve = Deno.serve;
const options = { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) };
Deno.serve = (handler) => serve(options, handler);
await import(Deno.args[0]);
`;

/** The packages as they are loaded by the time the first answer is there. Throws where one is not imported later. */
function untilAnswer(name: string, { atStart, later, again }: LoadedPackages): LoadedPackages {
  const wanted = WITH_REQUEST[name] ?? [];
  const loaded = later.filter((specifier) => wanted.includes(unversioned(specifier)));
  if (loaded.length !== wanted.length) throw new Error(`${name} does not import ${wanted.join(", ")} later`);
  return {
    atStart: [...atStart, ...loaded],
    later: later.filter((specifier) => !loaded.includes(specifier)),
    again,
  };
}

const HELLO = `Deno.serve(() => new Response("hello"));\n`;

/** Imports the packages as the function does, whole: what it imports later is only found and not run. */
function importing({ atStart, later, again }: LoadedPackages): string {
  return [
    ...atStart.map((specifier, at) => `export * as package${at} from "${specifier}";\n`),
    ...[...later, ...again].map((specifier, at) =>
      `export const later${at} = () => import("${specifier}");\n`
    ),
  ].join("");
}

async function functionNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(FUNCTIONS)) {
    if (!isDirectory) continue;
    const info = await Deno.stat(join(FUNCTIONS, name, "index.ts")).catch(() => null);
    if (info !== null) names.push(name);
  }
  return names.sort();
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

/** The median of each round's quotient: its starts are close together, and what else the machine does slows both. */
function quotient(times: readonly number[], others: readonly number[]): number {
  return median(times.map((time, round) => time / others[round]!));
}

/** Milliseconds from the start of a process until its first answer is whole. Throws where it is not the one expected. */
async function firstAnswer(
  deno: string,
  { starter, target, as, name, isOwn }: {
    starter: string;
    target: string;
    as: As;
    name: string;
    isOwn: boolean;
  },
): Promise<number> {
  const [method, path] = REQUESTS[name] ?? ["GET", "/"];
  const status = !isOwn ? 200 : name in REQUESTS ? 401 : 404;
  const startedAt = performance.now();
  const child = new Deno.Command(deno, {
    args: [
      "run",
      "-A",
      "--no-lock",
      // A new machine of the platform has compiled nothing before.
      "--no-code-cache",
      ...FLAGS[as],
      starter,
      pathToFileURL(target).href,
    ],
    env: {
      SUPABASE_DB_URL: "postgresql://nobody@127.0.0.1:1/none",
      SUPABASE_URL: "http://127.0.0.1:1",
      SUPABASE_ANON_KEY: "unused",
      FRAMED_SECRET_KEYS: KEY_RING,
      FRAMED_CRON_SECRET: "a-secret-of-the-bench-and-of-nothing-else",
      DENO_NO_UPDATE_CHECK: "1",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const { value } = await reader.read();
    if (value === undefined) throw new Error(`${target} ended before it listened`);
    const answer = await fetch(`http://127.0.0.1:${value.trim()}/${name}${path}`, {
      method,
      headers: { "content-type": "application/json", "x-framed-api-key": "none" },
      ...(method === "GET" ? {} : { body: BODY }),
    });
    const text = await answer.text();
    const took = performance.now() - startedAt;
    if (answer.status !== status) throw new Error(`${name} answered ${answer.status}: ${text}`);
    return took;
  } finally {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await child.status;
    await reader.cancel();
  }
}

const BODY = JSON.stringify({ workspace_id: "00000000-0000-4000-8000-000000000000" });
const KEY_RING = generateKeyRing("bench");

if (import.meta.main) Deno.exit(await main());
