/**
 * What follow-ups cost the tick: `deno run -A scripts/bench/follow-ups.ts [--waiting 1000000] [--rounds 10] [--seconds 3]
 * [--this-deno]`.
 *
 * A claim of 500 checks among as many waiting, over 100 workspaces, against the same among 10,000: with 500 due at a time,
 * and with all of them due. The two databases take turns in one run, and the ratios are of the medians. Then the checks
 * that one process makes in a second, against the plain reads that one makes, of the same tool on the same platform's Deno.
 */

import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { type Database, openDatabase } from "../../supabase/functions/_shared/db/client.ts";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { runChecks } from "../../supabase/functions/_shared/flows/run-checks.ts";
import { type Claim, claimDueChecks } from "../../supabase/functions/_shared/follow-ups/store.ts";
import { readKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { PLATFORM_VERSION } from "../test/options.ts";
import { installDeno } from "../test/platform-deno.ts";
import { openTestDatabase, startTestCluster, type TestCluster } from "../testing/database.ts";
import { addManyFollowUps, hoursLater, tickAt } from "../testing/follow-ups.ts";
import { type ServerOptions, startBenchServer } from "./call-servers.ts";
import { callsPerSecond, openBench } from "./callers.ts";

/** What is claimed at once: as much as a tick checks. */
const CLAIMED = 500;
const FEW = 10_000;
const WORKSPACES = 100;
/** How far apart what is due at a time comes due. */
const STEP_MS = 60_000;
/** What a claim among many may cost of one among few. */
const WANTED = 1.5;
/** Callers of the plain reads: as many as a tick has checks under way. */
const CALLERS = 16;
/** Rounds of reads and checks, which take turns. */
const RATE_ROUNDS = 3;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      waiting: { type: "string", default: "1000000" },
      rounds: { type: "string", default: "10" },
      seconds: { type: "string", default: "3" },
      "this-deno": { type: "boolean", default: false },
    },
  });
  const cluster = await startTestCluster();
  try {
    const failed = await compareClaims(cluster, {
      many: Number(values.waiting),
      rounds: Number(values.rounds),
    });
    const deno = values["this-deno"] ? Deno.execPath() : await installDeno(PLATFORM_VERSION);
    await compareRates({ deno, ms: Number(values.seconds) * 1000 });
    return failed;
  } finally {
    await cluster.stop();
  }
}

/** A database with so many follow-ups waiting, {@link CLAIMED} of which come due with each step, and a pool on it. */
interface Line {
  readonly waiting: number;
  readonly db: Database;
  /** Milliseconds of each claim. */
  readonly some: number[];
  readonly all: number[];
  close(): Promise<void>;
}

async function compareClaims(
  cluster: TestCluster,
  { many, rounds }: { many: number; rounds: number },
): Promise<number> {
  const lines = [await openLine(cluster, FEW), await openLine(cluster, many)];
  try {
    const firstDue = hoursLater(2);
    for (let round = 0; round <= rounds; round++) {
      for (const { db, some } of lines) {
        const at = new Date(firstDue.getTime() + (round + 1) * STEP_MS);
        await timed(db, { at, into: some });
      }
    }
    // A year on everything is due, and no lease of an earlier round stands.
    for (let round = 0; round <= rounds; round++) {
      for (const { db, all } of lines) {
        await timed(db, { at: new Date(hoursLater(365 * 24).getTime() + round), into: all });
      }
    }
    return report(lines as [Line, Line]);
  } finally {
    for (const line of lines) await line.close();
  }
}

async function openLine(cluster: TestCluster, waiting: number): Promise<Line> {
  const database = await openTestDatabase({ cluster });
  const { sql } = database;
  const workspaces = await sql<{ id: string }[]>`
    with account as (insert into framed.accounts (name) values ('Bench') returning id)
    insert into framed.workspaces (account_id, name) select account.id, 'Bench ' || n
      from account, generate_series(1, ${WORKSPACES}::integer) n returning id`;
  const apartMs = STEP_MS / (CLAIMED / WORKSPACES);
  for (const { id } of workspaces) {
    await addManyFollowUps(sql, { workspaceId: id, count: waiting / WORKSPACES, apartMs });
  }
  await sql`vacuum analyze framed.v2_follow_ups, framed.v2_follow_up_turns`;
  const db = openDatabase(database.url);
  return {
    waiting,
    db,
    some: [],
    all: [],
    async close() {
      await db.end();
      await database.drop();
    },
  };
}

/** Claims at `at` and notes how long that took; what was claimed is next due in a day, as after a check. */
async function timed(db: Database, { at, into }: { at: Date; into: number[] }): Promise<void> {
  const startedAt = performance.now();
  const claim = await claimDueChecks(db, { at, atMost: CLAIMED, leaseMs: 120_000 });
  into.push(performance.now() - startedAt);
  if (claim.checks.length !== CLAIMED) throw new Error(`${claim.checks.length} were claimed`);
  await record(db, claim);
}

async function record(db: Database, { lease, checks }: Claim): Promise<void> {
  const ids = JSON.stringify(checks.map(({ approval_id }) => approval_id));
  await db`
    update framed.v2_follow_ups f set checks = f.checks + 1, lease = null, next_check_at = f.due_at + interval '1 day',
      due_at = f.due_at + interval '1 day'
     from jsonb_array_elements_text(${ids}::text::jsonb) a(id) where f.approval_id = a.id::uuid and f.lease = ${lease}::uuid`;
}

function report([few, many]: readonly [Line, Line]): number {
  let failed = 0;
  for (const [which, of] of [["500 of them due", "some"], ["all of them due", "all"]] as const) {
    // The first of each warms everything up and does not count.
    const [fewMs, manyMs] = [few, many].map((line) => median(line[of].slice(1)));
    const ratio = manyMs! / fewMs!;
    if (ratio > WANTED) failed = 1;
    console.log(
      `a claim of ${CLAIMED} among ${grouped(many.waiting)} waiting, ${which}: ${manyMs!.toFixed(1)} ms, ${
        ratio.toFixed(2)
      } of one among ${grouped(few.waiting)} (${fewMs!.toFixed(1)} ms)${
        ratio > WANTED ? `: above ${WANTED}` : ""
      }`,
    );
  }
  return failed;
}

async function compareRates({ deno, ms }: { deno: string; ms: number }): Promise<void> {
  const bench = await openBench();
  const { request, serverOptions: options } = bench;
  const { workspace_id: workspaceId } = JSON.parse(request.body);
  const reading = await startBenchServer("tool-call", { ...options, deno });
  const readsPerSecond = () => callsPerSecond(reading.url, { request, callers: CALLERS, ms });
  try {
    const [reads, checks, ratios]: [number[], number[], number[]] = [[], [], []];
    // The first reads warm their server up and do not count; each round of checks warms itself up.
    await readsPerSecond();
    for (let round = 0; round < RATE_ROUNDS; round++) {
      reads.push(await readsPerSecond());
      checks.push(await checksPerSecond({ deno, workspaceId, options }));
      ratios.push(checks.at(-1)! / reads.at(-1)!);
    }
    console.log(
      `${median(checks).toFixed(0)} checks a second, ${median(ratios).toFixed(2)} of the ${
        median(reads).toFixed(0)
      } plain reads a second of ${CALLERS} callers`,
    );
  } finally {
    await reading.stop();
    await bench.close();
  }
}

interface CheckingOptions extends ServerOptions {
  readonly workspaceId: string;
}

/** In a process of its own, as the reads are: what it prints is the rate. */
async function checksPerSecond(
  { deno, options, workspaceId }: { deno: string; workspaceId: string; options: ServerOptions },
): Promise<number> {
  const args = ["run", "-A", "--no-check", "--no-lock", "--node-modules-dir=none"];
  const { code, stdout } = await new Deno.Command(deno, {
    args: [...args, fileURLToPath(import.meta.url), "checking", JSON.stringify({ ...options, workspaceId })],
    stderr: "inherit",
  }).output();
  if (code !== 0) throw new Error(`the checking process ended with ${code}`);
  return Number(new TextDecoder().decode(stdout).trim());
}

/** The checks a second of one tick that has as many due as it takes, its claim included; a short one before warms up. */
async function check({ databaseUrl, keyRingText, upstream, workspaceId }: CheckingOptions): Promise<number> {
  const keyRing = await readKeyRing(keyRingText);
  const db = openDatabase(databaseUrl);
  const egress = createEgress({ upstreams: new Map([["ledger.example", new URL(upstream)]]) });
  const means = { db, egress, keyRing: keyRing.ok ? keyRing.value : null };
  const asked = { tool: "ledger_open_invoices", args: { supplier: "Acme" } };
  await addManyFollowUps(db, { workspaceId, count: 2 * CLAIMED, check: asked });
  await db`vacuum analyze framed.v2_follow_ups`;
  const tick = async (maxChecks: number) => {
    const startedAt = performance.now();
    const { claimed, waiting } = await runChecks(means, tickAt(hoursLater(3)), { maxChecks });
    if (claimed !== maxChecks || waiting !== maxChecks) throw new Error(`${waiting} of ${claimed} checks`);
    return claimed / (performance.now() - startedAt) * 1000;
  };
  await tick(CLAIMED / 5);
  const rate = await tick(CLAIMED);
  await db.end();
  await egress.close();
  return rate;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

if (import.meta.main) {
  if (Deno.args[0] === "checking") console.log(await check(JSON.parse(Deno.args[1]!)));
  else Deno.exit(await main());
}
