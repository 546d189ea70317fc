/**
 * Whether the function's memory stays flat: `deno run -A scripts/bench/memory.ts [--calls 50000]`. Linux only.
 *
 * The same read through `tool-call` again and again, 32 callers at once; what the process holds is looked at ten times.
 * It is flat when the most of the second half is at most 32 MiB over the most of the first.
 */

import { parseArgs } from "node:util";
import { startBenchServer } from "./call-servers.ts";
import { call, openBench } from "./callers.ts";

const LOOKS = 10;
const MAY_GROW_MIB = 32;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { calls: { type: "string", default: "50000" } } });
  const each = Math.ceil(Number(values.calls) / LOOKS);
  const bench = await openBench();
  const served = await startBenchServer("tool-call", { ...bench.serverOptions, deno: Deno.execPath() });
  const held: number[] = [];
  try {
    for (let look = 1; look <= LOOKS; look++) {
      await call(served.url, { request: bench.request, callers: 32, goesOn: (begun) => begun < each });
      held.push(await residentMib(served.pid));
      console.log(`after ${look * each} calls: ${held.at(-1)!.toFixed(0)} MiB`);
    }
  } finally {
    await served.stop();
    await bench.close();
  }
  const grown = Math.max(...held.slice(LOOKS / 2)) - Math.max(...held.slice(0, LOOKS / 2));
  const isFlat = grown <= MAY_GROW_MIB;
  console.log(`second half over the first: ${grown.toFixed(0)} MiB: ${isFlat ? "flat" : "not flat"}`);
  return isFlat ? 0 : 1;
}

async function residentMib(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

if (import.meta.main) Deno.exit(await main());
