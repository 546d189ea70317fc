/** The Deno version that the functions' platform runs, on this machine. */

import { installNpmProgram } from "../programs/npm-program.ts";

const PACKAGES: Readonly<Record<string, string>> = {
  "linux-x86_64": "@deno/linux-x64-glibc",
  "linux-aarch64": "@deno/linux-arm64-glibc",
  "darwin-x86_64": "@deno/darwin-x64",
  "darwin-aarch64": "@deno/darwin-arm64",
  "windows-x86_64": "@deno/win32-x64",
  "windows-aarch64": "@deno/win32-arm64",
};

/** The path of a `deno` of exactly this version that runs. Throws an error in words when there is none to be had. */
export function installDeno(version: string): Promise<string> {
  return installNpmProgram({ name: "deno", version, packages: PACKAGES, path: "deno" });
}
