/**
 * `deno task start`: the whole stack on this machine, with nothing needed but Deno. Prints where everything is when it
 * is ready, and runs until it is told to stop.
 */

import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { readEgressOptions } from "./stack/egress.ts";
import { readSettings } from "./stack/settings-from-env.ts";
import { readStartOptions, type StartOptions, USAGE } from "./stack/options.ts";
import { defaultDataFolder } from "./stack/places.ts";
import { readyLine, readyPage } from "./stack/ready.ts";
import { startStack } from "./stack/stack.ts";
import { StackProblem } from "./stack/stack-problem.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

async function main(args: readonly string[]): Promise<number> {
  const options = readStartOptions(args);
  if (options === "help") {
    console.log(USAGE);
    return 0;
  }
  if ("problem" in options) {
    console.error(`${options.problem}\n\n${USAGE}`);
    return 2;
  }
  const stopped = new AbortController();
  onStopSignal(() => stopped.abort());
  try {
    return await run(options, stopped.signal);
  } catch (error) {
    if (stopped.signal.aborted) return 0;
    if (!(error instanceof StackProblem)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function run(options: StartOptions, signal: AbortSignal): Promise<number> {
  const stack = await startStack({
    port: options.port,
    dataFolder: options.ephemeral ? null : resolve(options.data ?? defaultDataFolder(CHECKOUT)),
    migrationsFolder: `${CHECKOUT}supabase/migrations`,
    checkout: CHECKOUT,
    egress: await readEgressOptions((name) => Deno.env.get(name)),
    settings: readSettings((name) => Deno.env.get(name)),
    signal,
    report: (line) => console.error(line),
  });
  console.log(options.json ? readyLine(stack) : readyPage(stack, { deno: howDenoIsCalled() }));
  const asked = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null));
  });
  const broken = await Promise.race([asked, stack.broken]);
  await stack.stop();
  if (broken === null) return 0;
  console.error(broken);
  return 1;
}

/** The first signal stops cleanly; one more gives up at once, and PostgreSQL is ended by its watchdog. */
function onStopSignal(stop: () => void): void {
  let asked = false;
  const signals: Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (asked) Deno.exit(130);
      asked = true;
      stop();
    });
  }
}

/** How who started this calls Deno: some have it only by npx. */
function howDenoIsCalled(): string {
  return Deno.env.get("npm_command") === "exec" ? `npx -y deno@${Deno.version.deno}` : "deno";
}

if (import.meta.main) Deno.exit(await main(Deno.args));
