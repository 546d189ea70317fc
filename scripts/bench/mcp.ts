/**
 * What a read costs by way of MCP: `deno run -A scripts/bench/mcp.ts [--seconds 1] [--rounds 5] [--this-deno]`.
 *
 * `framed_read` through Connect against the same read through `tool-call` over HTTP, and against a bare server of the same
 * SDK whose tool does nothing, for programs of the 2026-07-28 revision and of 2025; then `framed_list` on a workspace of
 * 1,000 tools, whole and searched. Servers and turns are those of `call.ts`.
 */

import { parseArgs } from "node:util";
import { PLATFORM_VERSION } from "../test/options.ts";
import { installDeno } from "../test/platform-deno.ts";
import { addManyTools } from "../testing/many-tools.ts";
import { type Served, startBenchServer } from "./call-servers.ts";
import { type Call, callsPerSecond, openBench } from "./callers.ts";

const CALLERS = [1, 32];
/** What has to be reached of the same read over HTTP. */
const WANTED = 0.7;
const TOOLS = 1_000;

/** The revisions, as a program of each asks. */
const ERAS = { "2026-07-28": modern, "2025-11-25": legacy } as const;
type Era = keyof typeof ERAS;

interface Contestant {
  readonly name: string;
  readonly served: Served;
  readonly request: Call;
  readonly expected?: string;
  /** Calls a second of each round, by the number of callers. */
  readonly rates: ReadonlyMap<number, number[]>;
}

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
  const { workspace } = bench;
  const servers: Served[] = [];
  const start = async (name: "tool-call" | "connect" | "mcp") => {
    const served = await startBenchServer(name, { ...bench.serverOptions, deno });
    servers.push(served);
    return served;
  };
  try {
    await addManyTools(workspace, TOOLS - 1);
    const key = workspace.keys.admin_key;
    const [http, connect, bare] = [await start("tool-call"), await start("connect"), await start("mcp")];
    const read = {
      name: "framed_read",
      arguments: { tool: "ledger_open_invoices", args: { supplier: "Acme" } },
    };
    const list = (args: object) => ({ name: "framed_list", arguments: { of: "tools", ...args } });
    const eras = Object.keys(ERAS) as Era[];
    const reads: Contestant[] = [
      { ...contestant("tool-call", http, bench.request) },
      ...eras.flatMap((era) => [
        contestant(`connect ${era}`, connect, ERAS[era]("/connect/mcp", { key, call: read })),
        contestant(`bare ${era}`, bare, ERAS[era]("/mcp", { key, call: read })),
      ]),
    ];
    const lists: Contestant[] = [
      contestant("a page", connect, modern("/connect/mcp", { key, call: list({}) }), '"tool_0049"'),
      contestant(
        "one found",
        connect,
        modern("/connect/mcp", { key, call: list({ query: "nr 777." }) }),
        '"tool_0777"',
      ),
    ];
    const ms = Number(values.seconds) * 1000;
    for (let round = 0; round <= Number(values.rounds); round++) {
      for (const callers of CALLERS) {
        for (const { served, request, expected, rates } of [...reads, ...lists]) {
          const rate = await callsPerSecond(served.url, {
            request,
            callers,
            ms,
            ...(expected === undefined ? {} : { expected }),
          });
          // The first round warms everything up and does not count.
          if (round > 0) rates.get(callers)!.push(rate);
        }
      }
    }
    reportLists(lists);
    return reportReads(reads);
  } finally {
    await Promise.all(servers.map((served) => served.stop()));
    await bench.close();
  }
}

function contestant(name: string, served: Served, request: Call, expected?: string): Contestant {
  const rates = new Map(CALLERS.map((callers) => [callers, [] as number[]]));
  return { name, served, request, rates, ...(expected === undefined ? {} : { expected }) };
}

function modern(path: string, { key, call }: { key: string; call: { name: string } }): Call {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return post(path, {
    headers: {
      "x-framed-api-key": key,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": call.name,
    },
    params: { ...call, _meta },
  });
}

function legacy(path: string, { key, call }: { key: string; call: { name: string } }): Call {
  return post(path, {
    headers: { "x-framed-api-key": key, "mcp-protocol-version": "2025-11-25" },
    params: call,
  });
}

function post(path: string, { headers, params }: { headers: Record<string, string>; params: object }): Call {
  return {
    path,
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}

function reportReads(contestants: readonly Contestant[]): number {
  let failed = 0;
  for (const callers of CALLERS) {
    const ratesOf = (name: string) => contestants.find((c) => c.name === name)!.rates.get(callers)!;
    for (const era of Object.keys(ERAS)) {
      const own = ratesOf(`connect ${era}`);
      const ratioTo = (name: string) => median(ratesOf(name).map((rate, round) => own[round]! / rate));
      const told = (name: string) =>
        `${ratioTo(name).toFixed(2)} (${median(ratesOf(name)).toFixed(0)} a second)`;
      const isBelow = ratioTo("tool-call") < WANTED;
      if (isBelow) failed = 1;
      console.log(
        `framed_read, ${era}, ${callers} caller${callers === 1 ? "" : "s"}: ${
          median(own).toFixed(0)
        } a second; of the read over HTTP ${told("tool-call")}, of a bare server whose tool does nothing ${
          told(`bare ${era}`)
        }${isBelow ? `: below ${WANTED}` : ""}`,
      );
    }
  }
  return failed;
}

function reportLists(contestants: readonly Contestant[]): void {
  for (const { name, rates } of contestants) {
    const told = CALLERS.map((callers) => {
      const rate = median(rates.get(callers)!);
      return `${callers} caller${callers === 1 ? "" : "s"} ${rate.toFixed(0)} a second, ${
        (callers * 1000 / rate).toFixed(1)
      } ms each`;
    });
    console.log(`framed_list of ${TOOLS} tools, ${name}: ${told.join("; ")}`);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

if (import.meta.main) Deno.exit(await main());
