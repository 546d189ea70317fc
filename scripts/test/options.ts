/** What the test command was asked for: which Denos, and what goes on to `deno test`. */

import { relative } from "node:path";

/** The Deno version of the functions' platform. */
export const PLATFORM_VERSION = "2.1.4";

const ONLY = `--only-${PLATFORM_VERSION}`;
const SKIP = `--skip-${PLATFORM_VERSION}`;
/** What is deployed, and so has to pass on the platform's Deno as well. */
const DEPLOYED = "supabase/functions";

export interface TestPlan {
  /** Arguments for this Deno's `deno test`, `null` when it is not to run. */
  readonly own: readonly string[] | null;
  /** The same for the platform's Deno. */
  readonly platform: readonly string[] | null;
}

/**
 * The plan for the command's arguments. A path, which is what exists on disk by that name, narrows both runs, and
 * the platform's Deno runs only those under `supabase/functions`; everything else goes on to both as it is.
 */
export function planTests(args: readonly string[], root: string): TestPlan {
  const passedOn = args.filter((arg) => arg !== ONLY && arg !== SKIP);
  const paths = passedOn.filter((arg) => !arg.startsWith("-") && exists(arg));
  const others = passedOn.filter((arg) => !paths.includes(arg));
  const deployed = paths.filter((path) => `${relative(root, path)}/`.startsWith(`${DEPLOYED}/`));
  const platformPaths = paths.length === 0 ? [DEPLOYED] : deployed;
  return {
    own: args.includes(ONLY) ? null : [...others, ...paths],
    platform: args.includes(SKIP) || platformPaths.length === 0 ? null : [...others, ...platformPaths],
  };
}

/**
 * How many test files run at once on so many cores: half as many more, since what a test waits for is mostly another
 * program. `DENO_JOBS` in the environment says otherwise.
 */
export function jobsOf(cores: number): number {
  return Number(Deno.env.get("DENO_JOBS")) || Math.ceil(cores * 1.5);
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
