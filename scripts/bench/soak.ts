/**
 * Calls without a pause while things break: `deno run -A scripts/bench/soak.ts [--seconds 15] [--callers 16]`.
 *
 * The database restarts and loses connections, other systems reset, hang up half way, answer nonsense or are gone, names
 * resolve slowly or to nothing. Whatever happens, every answer is one of the reasons, says when to come back where the
 * store was away, and every call that was accepted has exactly one log row, which says what the caller was told.
 */

import { parseArgs } from "node:util";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { type Reason, REASONS } from "../../supabase/functions/_shared/outcome/reason.ts";
import { startTestCluster, type TestCluster } from "../testing/database.ts";
import { fixtureFile, ledgerFile, openFile } from "../testing/files.ts";
import { type RawConversation, startRawUpstream, startUpstream } from "../testing/upstream.ts";
import {
  type Answered,
  type CallerName,
  openTestWorkspace,
  type TestWorkspace,
} from "../testing/workspace.ts";

export interface SoakOptions {
  readonly seconds: number;
  readonly callers: number;
}

export interface Soaked {
  /** Answers by their reason, `ok` for those without. */
  readonly answers: Readonly<Record<string, number>>;
  readonly restarts: number;
  /** What does not hold, in words; empty where all of it does. */
  readonly violations: readonly string[];
}

/** Runs one on a cluster of its own, and leaves nothing behind. */
export async function soak({ seconds, callers }: SoakOptions): Promise<Soaked> {
  const cluster = await startTestCluster();
  const steady = startUpstream(() => Response.json({ rows: [{ id: 1 }, { id: 2 }] }), { remembers: false });
  const flaky = startRawUpstream(misbehave);
  const gone = startUpstream(() => new Response());
  await gone.close();
  const egress = createEgress({
    upstreams: new Map([
      ["ledger.example", steady.url],
      ["flaky.example", flaky.url],
      ["gone.example", gone.url],
    ]),
    resolve: resolveSlowly,
  });
  const workspace = await openTestWorkspace({ cluster, egress });
  try {
    for (const file of FILES) await workspace.define(file);
    await workspace.paste("ledger_open_invoices", { name: "CONNECTOR_LEDGER", value: "a-token-of-the-soak" });
    const stop = new AbortController();
    const asked: Asked[] = [];
    const calling = Array.from({ length: callers }, () => callUntil(stop.signal, { workspace, asked }));
    const restarts = await breakThings({ cluster, workspace, untilMs: performance.now() + seconds * 1000 });
    stop.abort();
    await Promise.all(calling);
    return { answers: tally(asked), restarts, violations: await judge(workspace, asked) };
  } finally {
    await workspace.close();
    await Promise.all([egress.close(), steady.close(), flaky.close()]);
    await cluster.stop();
  }
}

const request = (host: string) => ({ method: "GET", url: `https://${host}/rates?currency={currency}` });
const FILES = [
  ledgerFile(),
  fixtureFile(),
  openFile({ slug: "flaky", request: request("flaky.example") }),
  openFile({ slug: "gone", request: request("gone.example") }),
  openFile({ slug: "slow_name", request: request("slow.example") }),
];

/** What is called, and by whom: mostly what works, and some of everything that is refused. */
const CALLS: readonly { slug: string; args?: Record<string, unknown>; as?: CallerName }[] = [
  { slug: "ledger_open_invoices", args: { supplier: "Acme" } },
  { slug: "ledger_open_invoices", args: { supplier: "Beta" }, as: "member" },
  { slug: "rooms", args: { floor: 1 } },
  { slug: "flaky" },
  { slug: "flaky", as: "member" },
  { slug: "gone" },
  { slug: "slow_name" },
  { slug: "ledger_open_invoices", args: { supplier: 7 } },
  { slug: "missing" },
  { slug: "rooms", as: "bare_member" },
  { slug: "rooms", as: "stranger" },
  { slug: "rooms", as: "nobody" },
];

interface Asked {
  readonly call: (typeof CALLS)[number];
  readonly answered: Answered;
  readonly requestId: string;
}

async function callUntil(
  signal: AbortSignal,
  { workspace, asked }: { workspace: TestWorkspace; asked: Asked[] },
): Promise<void> {
  while (!signal.aborted) {
    const call = CALLS[Math.floor(Math.random() * CALLS.length)]!;
    const answered = await workspace.ask(`/tools/${call.slug}/call`, {
      as: call.as ?? "admin_key",
      body: { workspace_id: workspace.id, args: call.args ?? {} },
    });
    asked.push({ call, answered, requestId: answered.headers.get("x-request-id") ?? "" });
    // As a caller who is told to wait would, in short.
    if (answered.status === 503) await wait(50);
  }
}

/** Turns about: the connections are cut, or the whole database restarts. Counts the restarts. */
async function breakThings(
  { cluster, workspace, untilMs }: { cluster: TestCluster; workspace: TestWorkspace; untilMs: number },
): Promise<number> {
  let restarts = 0;
  for (let turn = 0; performance.now() < untilMs; turn++) {
    await wait(Math.min(1_500, untilMs - performance.now()));
    if (turn % 3 === 2) {
      await cluster.restart();
      restarts += 1;
    } else {
      await workspace.database.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and datname = current_database() and application_name = 'framed'`;
    }
  }
  // What comes last is a time in which all is well again.
  await wait(500);
  return restarts;
}

/** Another system on a bad day. */
async function misbehave({ readHead, say }: RawConversation): Promise<void> {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const bad = [
    "",
    "HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops",
    "HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/\r\ncontent-length: 0\r\n\r\n",
    `${head}content-length: 100\r\n\r\n{"rows":[`,
    `${head}content-length: 9\r\n\r\n{"rows":[`,
    "220 mail.example ESMTP\r\n",
  ];
  await readHead();
  await say(bad[Math.floor(Math.random() * bad.length)]!);
}

/** A resolver that takes its time and finds nothing, or an address that may not be reached. */
async function resolveSlowly(): Promise<string[]> {
  await wait(100 + Math.random() * 400);
  return Math.random() < 0.5 ? [] : ["10.0.0.1"];
}

function tally(asked: readonly Asked[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answered } of asked) {
    const reason = reasonOf(answered);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

function reasonOf({ status, body }: Answered): Reason | "ok" {
  return status === 200 ? "ok" : body?.reason;
}

/** Calls that were never accepted, so that there is no log for them: nobody's, and those that reach no workspace. */
function reachesNoLog({ as }: (typeof CALLS)[number]): boolean {
  return as === "nobody" || as === "stranger";
}

async function judge(workspace: TestWorkspace, asked: readonly Asked[]): Promise<string[]> {
  const violations: string[] = [];
  const rows = new Map<string, string[]>();
  for (const { event, request_id, outcome } of await workspace.log()) {
    if (event === "tool.called") rows.set(request_id, [...rows.get(request_id) ?? [], outcome]);
  }
  for (const { call, answered, requestId } of asked) {
    const reason = reasonOf(answered);
    const outcomes = rows.get(requestId) ?? [];
    rows.delete(requestId);
    const what = `${call.slug} by ${
      call.as ?? "admin_key"
    } (${requestId}), answered ${answered.status} ${reason}`;
    if (reason !== "ok" && !(reason in REASONS)) violations.push(`${what}: no such reason`);
    if (reason === "internal") violations.push(`${what}: ours`);
    if (reason === "store_unavailable") {
      if (!answered.headers.has("retry-after")) violations.push(`${what}: does not say when to come back`);
      // Not accepted; where only the answer of the store was lost, its row may stand.
      if (outcomes.length > 1) violations.push(`${what}: has ${outcomes.length} log rows`);
      continue;
    }
    const expected = reachesNoLog(call) ? [] : [reason];
    if (outcomes.join() !== expected.join()) {
      violations.push(`${what}: log rows [${outcomes}], wanted [${expected}]`);
    }
  }
  for (const [requestId, outcomes] of rows) violations.push(`${requestId}: [${outcomes}], and nobody asked`);
  return violations;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seconds: { type: "string", default: "15" }, callers: { type: "string", default: "16" } },
  });
  const { answers, restarts, violations } = await soak({
    seconds: Number(values.seconds),
    callers: Number(values.callers),
  });
  console.log(`${restarts} restarts of the database; answers:`);
  for (const [reason, count] of Object.entries(answers).sort()) console.log(`  ${reason}: ${count}`);
  for (const violation of violations.slice(0, 50)) console.log(`VIOLATION ${violation}`);
  console.log(`${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
