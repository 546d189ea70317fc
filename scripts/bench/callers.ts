/** What the benches of a call share: a workspace with one tool and its upstream, and callers who never pause. */

import { Pool } from "undici";
import { generateKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { ledgerFile } from "../testing/files.ts";
import { startUpstream } from "../testing/upstream.ts";
import { openTestWorkspace, type TestWorkspace } from "../testing/workspace.ts";
import type { ServerOptions } from "./call-servers.ts";

/** A call over HTTP, the same again and again. */
export interface Call {
  readonly path: string;
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The last row of the upstream's answer, as it stands in every answer that is one. */
const LAST_ROW = '"2026-0019"';

export interface Bench {
  readonly workspace: TestWorkspace;
  readonly serverOptions: ServerOptions;
  /** A read with a key, a secret and rows that are kept. */
  readonly request: Call;
  close(): Promise<void>;
}

const ROWS = Array.from({ length: 20 }, (_, index) => ({
  id: String(index + 1),
  supplier: "Acme",
  number: `2026-${String(index).padStart(4, "0")}`,
  due: "2026-10-31",
  amount: "1250.00",
}));

/** Opens a workspace with the tool, and the system it reads from. */
export async function openBench(): Promise<Bench> {
  // Not packed: nobody but the function asks for it, and packing would count as the function's.
  const plain = { headers: { "cache-control": "no-transform" } };
  const upstream = startUpstream(() => Response.json({ rows: ROWS }, plain), { remembers: false });
  const keyRingText = generateKeyRing("k1");
  const workspace = await openTestWorkspace({ keyRingText });
  await workspace.define(ledgerFile());
  await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: "a-token-of-the-bench" });
  return {
    workspace,
    serverOptions: { databaseUrl: workspace.database.url, keyRingText, upstream: upstream.url.href },
    request: {
      path: "/tool-call/tools/ledger_open_invoices/call",
      method: "POST",
      headers: { "x-framed-api-key": workspace.keys.admin_key, "content-type": "application/json" },
      body: JSON.stringify({ workspace_id: workspace.id, args: { supplier: "Acme" } }),
    },
    async close() {
      await workspace.close();
      await upstream.close();
    },
  };
}

/**
 * Calls a second for `ms`, each caller asking again as soon as it has its answer. Throws at an answer that is none, in that
 * it does not hold `expected`.
 */
export async function callsPerSecond(
  origin: string,
  { request, callers, ms, expected }: { request: Call; callers: number; ms: number; expected?: string },
): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + ms;
  const goesOn = () => performance.now() < until;
  const calls = await call(origin, {
    request,
    callers,
    goesOn,
    ...(expected === undefined ? {} : { expected }),
  });
  return calls / (performance.now() - startedAt) * 1000;
}

/** Calls until `goesOn` says no, asked before each call with how many began before it. */
export async function call(
  origin: string,
  { request, callers, goesOn, expected = LAST_ROW }: {
    request: Call;
    callers: number;
    goesOn: (begun: number) => boolean;
    expected?: string;
  },
): Promise<number> {
  const pool = new Pool(origin, { connections: callers });
  let begun = 0;
  await Promise.all(Array.from({ length: callers }, async () => {
    while (goesOn(begun)) {
      begun += 1;
      const { statusCode, body } = await pool.request(request);
      const text = await body.text();
      if (statusCode !== 200 || !text.includes(expected)) throw new Error(`${statusCode} ${text}`);
    }
  }));
  await pool.close();
  return begun;
}
