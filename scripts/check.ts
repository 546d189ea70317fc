/**
 * `deno task check [step…]`: format, lint, types, structure and docs, in this order and each also when an earlier
 * one failed; exits 1 when any did. With names only those steps; unknown names exit 2.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { judgeEnvironmentDocs } from "./check/environment-docs.ts";
import { judgeReasonDocs } from "./check/reason-docs.ts";
import { isConsole, judgeStructure } from "./check/structure.ts";
import { readTree } from "./check/tree.ts";
import { REASONS } from "../supabase/functions/_shared/outcome/reason.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Each step answers whether the tree passes it and has said why not. */
const STEPS: Readonly<Record<string, () => Promise<boolean>>> = {
  format: () => runDeno("fmt", "--check"),
  lint: () => runDeno("lint", "--quiet"),
  types: checkTypes,
  structure: checkStructure,
  docs: checkDocs,
};

/** The console has its own packages and what a browser has; the rest, its tests too, is checked as it runs in Deno. */
async function checkTypes(): Promise<boolean> {
  const { files } = await readTree(ROOT);
  const ofConsole = [...files.keys()].filter((path) => path.startsWith("console/") && /\.tsx?$/.test(path));
  const tests = ofConsole.filter((path) => !isConsole(path));
  const modules = ofConsole.filter(isConsole).map((path) => path.slice("console/".length));
  const rest = await runDeno("check", "--quiet", "scripts", "supabase", ...tests);
  const installed = await runDenoIn("console", "install", "--frozen", "--quiet");
  return installed && await runDenoIn("console", "check", "--quiet", "--frozen", ...modules) && rest;
}

async function checkStructure(): Promise<boolean> {
  return report(judgeStructure(await readTree(ROOT)));
}

async function checkDocs(): Promise<boolean> {
  const { files } = await readTree(ROOT);
  const pages: Record<string, (page: string) => string[]> = {
    "docs/reference.md": (page) => judgeReasonDocs(page, REASONS),
    "docs/operate.md": (page) => judgeEnvironmentDocs(page, files),
  };
  const lines: string[] = [];
  for (const [path, judge] of Object.entries(pages)) {
    const page = await Deno.readTextFile(join(ROOT, path)).catch(() => null);
    const says = page === null ? ["is missing or cannot be read"] : judge(page);
    lines.push(...says.map((line) => `${path}: ${line} [docs]`));
  }
  return report(lines);
}

function report(lines: readonly string[]): boolean {
  for (const line of lines) console.error(line);
  return lines.length === 0;
}

function runDeno(...args: string[]): Promise<boolean> {
  return runDenoIn(".", ...args);
}

async function runDenoIn(folder: string, ...args: string[]): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), { args, cwd: join(ROOT, folder), stdin: "null" }).spawn();
  return (await child.status).success;
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !Object.hasOwn(STEPS, name));
  if (unknown.length > 0) {
    console.error(
      `There is no step ${unknown.join(", ")}: use ${Object.keys(STEPS).join(", ")}, or none for all.`,
    );
    return 2;
  }
  const failed: string[] = [];
  for (const [name, step] of Object.entries(STEPS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const startedAt = performance.now();
    const passed = await step();
    const took = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    console.log(`${passed ? "ok    " : "FAILED"} ${name.padEnd(10)} ${took}`);
    if (!passed) failed.push(name);
  }
  if (failed.length > 0) console.error(`check failed: ${failed.join(", ")}`);
  return failed.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
