/** `deno task framed-tool …`: the runner, on Deno. */

import process from "node:process";
import { fileURLToPath } from "node:url";
import { main } from "./runner/main.ts";
import { sayAside } from "./runner/output.ts";
import { printable } from "./runner/paint.ts";

process.exitCode = standWhereCalled() ? await main(process.argv.slice(2)) : 2;

/** A task runs in the project's folder, wherever the person stands; the files are named from where they stand. */
function standWhereCalled(): boolean {
  const { INIT_CWD } = process.env;
  if (!INIT_CWD || `${process.cwd()}/` !== fileURLToPath(new URL("..", import.meta.url))) return true;
  try {
    process.chdir(INIT_CWD);
    return true;
  } catch {
    sayAside(
      `The folder this was called from, ${printable(INIT_CWD)}, cannot be entered: is it still there?\n`,
    );
    return false;
  }
}
