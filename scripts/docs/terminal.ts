/** A shell in a folder of its own, as a reader of the docs has one: the runner and the tasks are on its path. */

import { join } from "node:path";
import { type Ended, runProgram } from "../testing/run-program.ts";

export interface Terminal {
  /** Where its commands run. */
  readonly folder: string;
  /** Runs `commands` and waits for their end. The first that fails ends them. */
  run(commands: string): Promise<Ended>;
  close(): Promise<void>;
}

const ROOT = join(import.meta.dirname!, "..", "..");

/**
 * Opens one with `env` set. In it `framed-tool` is the runner, and `deno task secret` is the task of that name.
 * `programs` are more of them by name, each the shell words that run it before its own arguments.
 */
export async function openTerminal(
  env: Readonly<Record<string, string>>,
  { programs: more = {} }: { programs?: Readonly<Record<string, string>> } = {},
): Promise<Terminal> {
  const folder = await Deno.makeTempDir();
  const programs = join(folder, ".programs");
  await Deno.mkdir(programs);
  const run = `exec '${Deno.execPath()}' run --quiet --no-lock --no-check --allow-all --config '${
    join(ROOT, "deno.json")
  }'`;
  await addProgram(join(programs, "framed-tool"), `${run} '${join(ROOT, "scripts", "framed-tool.ts")}' "$@"`);
  await addProgram(
    join(programs, "deno"),
    `[ "$1" = task ] || exit 127\ntask=$2\nshift 2\n${run} '${join(ROOT, "scripts")}'/"$task".ts "$@"`,
  );
  for (const [name, words] of Object.entries(more)) {
    await addProgram(join(programs, name), `exec ${words} "$@"`);
  }
  const path = `${programs}:${Deno.env.get("PATH") ?? ""}`;
  return {
    folder,
    run: (commands) =>
      runProgram("bash", ["-euo", "pipefail", "-c", commands], {
        cwd: folder,
        env: { ...env, PATH: path, NO_COLOR: "1" },
      }),
    close: () => Deno.remove(folder, { recursive: true }),
  };
}

async function addProgram(path: string, body: string): Promise<void> {
  await Deno.writeTextFile(path, `#!/bin/sh\n${body}\n`);
  await Deno.chmod(path, 0o755);
}
