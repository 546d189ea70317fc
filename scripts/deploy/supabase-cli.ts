/** The Supabase CLI, from the packages that npm's `supabase` starts its program from, with nothing of this machine's own. */

import { join } from "node:path";
import { installNpmProgram } from "../programs/npm-program.ts";
import { type Ended, runProgram } from "../testing/run-program.ts";

const PACKAGES: Readonly<Record<string, string>> = {
  "linux-x86_64": "@supabase/cli-linux-x64",
  "linux-aarch64": "@supabase/cli-linux-arm64",
  "darwin-x86_64": "@supabase/cli-darwin-x64",
  "darwin-aarch64": "@supabase/cli-darwin-arm64",
  "windows-x86_64": "@supabase/cli-windows-x64",
  "windows-aarch64": "@supabase/cli-windows-arm64",
};

/** The version that docs/operate.md tells to use. */
export const SUPABASE_CLI_VERSION = "3.1.0";

/** Well formed and nobody's: the loopback API takes any. */
const ACCESS_TOKEN = `sbp_${"0".repeat(40)}`;

/** The CLI as it is started: before the command's own arguments, and in which environment. */
export interface SupabaseCli {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The CLI with `home` as the place of its own settings, and the Management API at `apiUrl`; without that there is none.
 * It asks nothing, tells nobody and looks for no newer version.
 */
export async function prepareSupabase(
  { home, apiUrl = "http://127.0.0.1:1" }: { home: string; apiUrl?: string },
): Promise<SupabaseCli> {
  const profile = join(home, "profile.yaml");
  await Deno.writeTextFile(
    profile,
    `name: loopback\napi_url: ${apiUrl}\ndashboard_url: ${apiUrl}\nproject_host: supabase.example\n`,
  );
  const program = await installNpmProgram({
    name: "supabase",
    version: SUPABASE_CLI_VERSION,
    packages: PACKAGES,
    path: join("bin", "supabase"),
  });
  return {
    program,
    args: ["--profile", profile, "--yes"],
    env: {
      SUPABASE_HOME: join(home, ".supabase"),
      SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
      SUPABASE_TELEMETRY_DISABLED: "1",
      SUPABASE_NO_UPDATE_NOTIFIER: "1",
      DO_NOT_TRACK: "1",
      NO_COLOR: "1",
    },
  };
}

/** Runs the CLI on the project in a folder, the one that holds `supabase/`, to its end. */
export async function runSupabase(
  args: readonly string[],
  { project, home, apiUrl }: { project: string; home: string; apiUrl?: string },
): Promise<Ended> {
  const cli = await prepareSupabase({ home, ...(apiUrl === undefined ? {} : { apiUrl }) });
  return await runProgram(cli.program, [...cli.args, "--workdir", project, ...args], {
    cwd: home,
    env: { HOME: home, ...cli.env },
  });
}
