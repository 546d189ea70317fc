/**
 * What a call costs beside what it cannot do without: `deno run -A scripts/bench/call.ts [--seconds 1] [--rounds 5]
 * [--this-deno]`.
 *
 * A read through the function `tool-call` over HTTP, key, tool, secret, log row and kept rows included, against (a) a
 * bare Hono and undici proxy to the same upstream and (b) that proxy with two trivial transactions a call. Each server
 * is a process of its own on the platform's Deno, or on this one, with a database pool of the same size; they take
 * turns in one run, and the ratios are the medians of the rounds'.
 */

import { parseArgs } from "node:util";
import { PLATFORM_VERSION } from "../test/options.ts";
import { installDeno } from "../test/platform-deno.ts";
import { type Served, type ServerName, startBenchServer } from "./call-servers.ts";
import { callsPerSecond, openBench } from "./callers.ts";

const CALLERS = [1, 32];
/** What has to be reached of the proxy with two transactions. */
const WANTED = 0.7;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "1" },
      rounds: { type: "string", default: "5" },
      "this-deno": { type: "boolean", default: false },
    },
  });
  const deno = values["this-deno"] ? Deno.execPath() : await installDeno(PLATFORM_VERSION);
  const bench = await openBench();
  const servers: Served[] = [];
  try {
    const contestants: Contestant[] = [];
    for (const name of ["tool-call", "proxy", "proxy-begin", "proxy-select"] as const) {
      const served = await startBenchServer(name, { ...bench.serverOptions, deno });
      servers.push(served);
      contestants.push({ name, served, rates: new Map(CALLERS.map((callers) => [callers, []])) });
    }
    const ms = Number(values.seconds) * 1000;
    for (let round = 0; round <= Number(values.rounds); round++) {
      for (const callers of CALLERS) {
        for (const { served, rates } of contestants) {
          const rate = await callsPerSecond(served.url, { request: bench.request, callers, ms });
          // The first round warms everything up and does not count.
          if (round > 0) rates.get(callers)!.push(rate);
        }
      }
    }
    return report(contestants);
  } finally {
    await Promise.all(servers.map((served) => served.stop()));
    await bench.close();
  }
}

interface Contestant {
  readonly name: ServerName;
  readonly served: Served;
  /** Calls a second of each round, by the number of callers. */
  readonly rates: ReadonlyMap<number, number[]>;
}

function report(contestants: readonly Contestant[]): number {
  let failed = 0;
  for (const callers of CALLERS) {
    const ratesOf = (name: ServerName) => contestants.find((c) => c.name === name)!.rates.get(callers)!;
    const own = ratesOf("tool-call");
    const ratioTo = (name: ServerName) => median(ratesOf(name).map((rate, round) => own[round]! / rate));
    const against = (name: ServerName) =>
      `${ratioTo(name).toFixed(2)} (${median(ratesOf(name)).toFixed(0)} a second)`;
    const ratio = ratioTo("proxy-begin");
    if (ratio < WANTED) failed = 1;
    console.log(
      `${callers} caller${callers === 1 ? "" : "s"}: ${
        median(own).toFixed(0)
      } calls a second; of a bare proxy ${against("proxy")}, of one with two transactions ${
        against("proxy-begin")
      }, of one with two statements ${against("proxy-select")}${ratio < WANTED ? `: below ${WANTED}` : ""}`,
    );
  }
  return failed;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

if (import.meta.main) Deno.exit(await main());
