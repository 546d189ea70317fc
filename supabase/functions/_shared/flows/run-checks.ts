/** Runs the checks of follow-ups that are due: each asks a tool of its workspace that only reads, and records what it found. */

import { CHECKED_BY_EXAMPLE } from "../approvals/approval.ts";
import { type Database, isStoreUnavailable } from "../db/client.ts";
import type { ToolCall } from "../definition/call.ts";
import type { JsonObject } from "../definition/json.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import { isDone } from "../follow-ups/done-when.ts";
import { checkAfter } from "../follow-ups/schedule.ts";
import {
  claimDueChecks,
  closeCheck,
  type DueCheck,
  openCheck,
  releaseChecks,
  wroteToLiveSystem,
} from "../follow-ups/store.ts";
import { formatAudit } from "../gate/audit.ts";
import { clipArgs, type LogEvent } from "../log/event.ts";
import { refuse, type Result } from "../outcome/result.ts";
import type { Share, Work } from "../outcome/work.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { isLive, type Tool } from "../tools/tool.ts";
import { eventOfCall, refusedDetail } from "./call-event.ts";
import { meterEgress } from "./meter.ts";
import { readAsWorker, type WorkerRead } from "./read-as-worker.ts";

/** What checks are run with. */
export interface CheckMeans {
  readonly db: Database;
  readonly keyRing: KeyRing | null;
  readonly egress: Egress;
}

/** Checks of one tick, which has to end within the processor time of an edge function. */
const MAX_CHECKS = 500;
/** Of all answers of one tick, for the same reason: reading them is what takes the processor's time. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Claims of one tick: one that finds nothing only moves turns on. */
const MAX_CLAIMS = 20;
/** Checks under way at once. */
const AT_ONCE = 16;
/** All that one check may take, in milliseconds: begun at the end of its share of a tick, it leaves the jobs behind it time. */
const CHECK_TIMEOUT_MS = 15_000;
/** How long a claimed check is this tick's: until the last one that it begins has ended, with time to spare. */
const LEASE_MS = 120_000;

/**
 * Claims what is due and checks it, the first of every workspace first, as long as there is time; what was claimed and not
 * begun is due as before. `done` counts what was found done, `waiting` what is not, `failed` the checks that told nothing.
 *
 * A check that fails is said to nobody: it is in the log, and the next one comes by the schedule. One whose tool is gone,
 * has stopped being a read, or waits for a secret fails like one that was not answered. So does one that a configured example
 * answers, whatever it answers, unless the write itself was answered by one: it tells nothing of the other system.
 */
export async function runChecks(
  means: CheckMeans,
  share: Share,
  { timeoutMs = CHECK_TIMEOUT_MS, maxChecks = MAX_CHECKS }: { timeoutMs?: number; maxChecks?: number } = {},
): Promise<Work> {
  const work = { claimed: 0, done: 0, waiting: 0, failed: 0 };
  const run = { ...means, share, timeoutMs, files: new Map<string, Tool["file"]>(), bytes: 0 };
  const goesOn = () => share.hasTime() && run.bytes < MAX_BYTES;
  let more = true;
  for (let claims = 0; more && claims < MAX_CLAIMS && work.claimed < maxChecks; claims++) {
    if (!goesOn()) break;
    const atMost = maxChecks - work.claimed;
    const claim = await claimDueChecks(means.db, { at: share.now, atMost, leaseMs: LEASE_MS });
    ({ more } = claim);
    const left = [...claim.checks];
    const worker = async () => {
      while (goesOn()) {
        const check = left.shift();
        if (check === undefined) return;
        work.claimed++;
        work[await checkSafely(run, { lease: claim.lease, check })]++;
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    if (left.length > 0) {
      await releaseChecks(means.db, { lease: claim.lease, checks: left });
      more = true;
    }
    const broken = ended.find((one) => one.status === "rejected");
    if (broken !== undefined) throw broken.reason;
  }
  return { ...work, more };
}

interface Run extends CheckMeans {
  readonly share: Share;
  readonly timeoutMs: number;
  /** Definitions that were seen in this run: what is made of a file once is made once for all its checks. */
  readonly files: Map<string, Tool["file"]>;
  /** Of the answers so far, decoded. */
  bytes: number;
}

type Found = "done" | "waiting" | "failed";

/** Throws only where the store is away; what else breaks is one failure. */
async function checkSafely(run: Run, held: { lease: string; check: DueCheck }): Promise<Found> {
  try {
    return await checkOne(run, held);
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    const { workspace_id, approval_id } = held.check;
    run.share.report(error, { workspace_id, approval_id });
    return "failed";
  }
}

async function checkOne(
  run: Run,
  { lease, check }: { lease: string; check: DueCheck },
): Promise<Found> {
  const { db, egress, keyRing, share, timeoutMs, files } = run;
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  const { workspace_id: workspaceId, tool: slug } = check;
  const opened = await openCheck(db, { workspaceId, slug });
  const databaseMs = elapsedMs();
  const tool = opened === null ? null : withSeenFile(opened.tool, files);
  const call = { args: check.args };
  const occasion = { requestId: `req_${crypto.randomUUID().replaceAll("-", "")}`, elapsedMs };
  let args: JsonObject = check.args;
  const way = meterEgress(egress, { workspaceId });

  const close = async (answered: Result<WorkerRead>, outcome: LogEvent["outcome"]): Promise<Found> => {
    const tells = answered.ok && await tellsOfWrite(db, { check, answersWith: answered.value.answersWith });
    const done = answered.ok && tells && isDone(check.done_when, answered.value.leaving.result);
    const found: Found = !tells ? "failed" : done ? "done" : "waiting";
    const waitMs = answered.ok ? 0 : (answered.refusal.retryAfterSeconds ?? 0) * 1000;
    const detail = tool === null
      ? {}
      : answered.ok
      ? readDetail(tool, { call, read: answered.value })
      : refusedDetail(tool, call);
    await closeCheck(db, {
      lease,
      check,
      ending: {
        at: share.now,
        outcome: !answered.ok ? outcome : tells ? found : CHECKED_BY_EXAMPLE,
        nextCheckAt: done ? null : checkAfter({
          wroteAt: new Date(check.wrote_at),
          checkedFor: new Date(check.check_for),
          now: share.now,
          waitMs,
        }),
        landed: `Nobody knew what became of it; a check with ${slug} found it done.`,
      },
      event: {
        ...eventOfCall({ slug, call, occasion }),
        event: "follow_up.checked",
        principal: { kind: "follow_up", id: workspaceId, name: "follow-up" },
        connector_id: tool?.id ?? null,
        version: tool?.version ?? null,
        args: clipArgs(args),
        database_ms: databaseMs,
        ...way.measured(),
        outcome,
        detail: { ...detail, approval_id: check.approval_id, is_done: done },
      },
    });
    return found;
  };

  try {
    let answered: Result<WorkerRead>;
    try {
      answered = tool === null
        ? refuseGone(slug)
        : await readAsWorker({ db, keyRing, egress: way.egress, now: () => new Date() }, {
          tool,
          call,
          sealed: opened!.sealed,
          timeLeftMs: () => Math.max(1, timeoutMs - elapsedMs()),
          onOpened: ({ redact }) => args = redact.json(check.args) as JsonObject,
        });
    } catch (error) {
      await close(refuse("internal"), "internal");
      throw error;
    }
    return await close(answered, answered.ok ? "ok" : answered.refusal.reason);
  } finally {
    run.bytes += way.measured().answer_bytes ?? 0;
    way.end();
  }
}

/** Whether an answer can say what became of the write: an example knows of nothing but other examples. */
async function tellsOfWrite(
  db: Database,
  { check: { workspace_id: workspaceId, approval_id: approvalId }, answersWith }: {
    check: DueCheck;
    answersWith: WorkerRead["answersWith"];
  },
): Promise<boolean> {
  return answersWith !== "configured example" || !await wroteToLiveSystem(db, { workspaceId, approvalId });
}

/** What the log says of an answer, of which all is looked at and nothing is told. */
function readDetail(
  { slug, kind }: Tool,
  { call, read: { leaving, answersWith } }: { call: ToolCall; read: WorkerRead },
): JsonObject {
  const mode = isLive(kind) ? "live" : "fixture";
  return {
    audit: formatAudit({ connector: slug, mode, ok: true, truncated: false }, call),
    answers_with: answersWith,
    rows: leaving.rows?.length ?? null,
  };
}

function refuseGone(slug: string) {
  return refuse("not_found", { detail: `No tool ${slug} is on the workspace any more.` });
}

/** The tool with the file of an earlier check where it is of the same version: what was compiled of it then is used again. */
function withSeenFile(tool: Tool, files: Run["files"]): Tool {
  const key = `${tool.id} ${tool.version}`;
  const file = files.get(key) ?? tool.file;
  files.set(key, file);
  return { ...tool, file };
}
