/**
 * How fast the check is and how fast the runner starts: `deno run -A scripts/bench/check.ts`.
 *
 * Checks per second of a typical file and of one of the largest size; the runner's start on Deno and, as the npm
 * package, on Node, as a ratio to an empty program on the same, taken turn by turn in one run.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MAX_FILE_BYTES, readFramedTool } from "../../supabase/functions/_shared/framed-tool.ts";
import { buildPackage } from "../build-npm.ts";
import { PROGRAMS } from "../npm/manifest.ts";

const RUNNER = fileURLToPath(new URL("../framed-tool.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const LEDGER = fileURLToPath(new URL("../runner/testdata/ledger.json", import.meta.url));

const CHECK_FOR_MS = 2_000;
const STARTS = 15;

async function main(): Promise<void> {
  const typical = await Deno.readTextFile(LEDGER);
  for (const [name, source] of [["typical", typical], ["largest", fillUp(typical)]] as const) {
    const bytes = new TextEncoder().encode(source);
    const perSecond = measureChecks(bytes);
    const kib = (bytes.byteLength / 1024).toFixed(1);
    console.log(
      `check, ${name} file (${kib} KiB): ${perSecond.toFixed(0)} a second, ${ms(1000 / perSecond)} each`,
    );
  }
  const folder = await Deno.makeTempDir();
  try {
    await measureStarts(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The file with rows added to its first fixture until no more go in. */
function fillUp(source: string): string {
  const file = JSON.parse(source);
  const rows: unknown[] = file.fixtures[0].response.rows;
  const row = {
    id: 1,
    supplier: "Acme",
    number: "2026-0042",
    due: "2026-10-31",
    amount: "1250.00",
    open: true,
  };
  const room = MAX_FILE_BYTES - JSON.stringify(file).length;
  const count = Math.floor(room / (JSON.stringify(row).length + 1));
  for (let at = 0; at < count; at++) rows.push(row);
  return JSON.stringify(file);
}

function measureChecks(bytes: Uint8Array): number {
  if (!readFramedTool(bytes).ok) throw new Error("the file of the bench does not pass the check");
  const warmUntil = performance.now() + CHECK_FOR_MS / 4;
  while (performance.now() < warmUntil) readFramedTool(bytes);
  const startedAt = performance.now();
  let count = 0;
  while (performance.now() - startedAt < CHECK_FOR_MS) {
    readFramedTool(bytes);
    count += 1;
  }
  return count / (performance.now() - startedAt) * 1000;
}

/** One way to run a program that does nothing, and the runner on the same. */
interface Start {
  readonly name: string;
  readonly empty: readonly string[];
  readonly runner: readonly string[];
}

async function measureStarts(folder: string): Promise<void> {
  const empty = join(folder, "empty.mjs");
  await Deno.writeTextFile(empty, "");
  const built = join(folder, "package");
  await buildPackage(built);
  const deno = [Deno.execPath(), "run", "-A", "--no-lock", "--config", CONFIG];
  const starts: Start[] = [
    { name: "deno", empty: [...deno, empty], runner: [...deno, RUNNER, "test", LEDGER] },
    {
      name: "node",
      empty: ["node", empty],
      runner: ["node", join(built, PROGRAMS["framed-tool"]), "test", LEDGER],
    },
  ];
  for (const start of starts) {
    const [empties, runners]: [number[], number[]] = [[], []];
    // The first of each fills caches and does not count.
    for (let at = 0; at <= STARTS; at++) {
      const [emptyMs, runnerMs] = [await time(start.empty), await time(start.runner)];
      if (at === 0) continue;
      empties.push(emptyMs);
      runners.push(runnerMs);
    }
    const [emptyMs, runnerMs] = [median(empties), median(runners)];
    const ratio = (runnerMs / emptyMs).toFixed(1);
    console.log(
      `start, ${start.name}: empty ${ms(emptyMs)}, runner ${ms(runnerMs)}, ${ratio} times the empty one`,
    );
  }
}

async function time([program = "", ...args]: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const { success } = await new Deno.Command(program, { args, stdout: "null", stderr: "inherit" }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")} failed`);
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

if (import.meta.main) await main();
