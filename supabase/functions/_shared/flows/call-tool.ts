/** One call of a tool from the moment its caller is known until its log row stands. */

import { actorOf, type PrincipalHere } from "../auth/principal.ts";
import { closeCall, type KeptRead, type OpenedCall, type Remains } from "../calls/store.ts";
import { decideCall, executeDeclaredCapability, refuseUnapproved } from "../connectors.ts";
import type { Database } from "../db/client.ts";
import type { ToolCall } from "../definition/call.ts";
import type { JsonObject } from "../definition/json.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import type { Caller } from "../gate/effect.ts";
import type { JudgedCall } from "../gate/judge-call.ts";
import type { Credentials } from "../kinds/kind.ts";
import { clipArgs, type LogEvent } from "../log/event.ts";
import { ok, type Refusal, refuse, type Result } from "../outcome/result.ts";
import { answerOfRead } from "../results/answer.ts";
import { writeHandle } from "../results/handle.ts";
import { isKept, leavingFrom, leavingOf, resultFormatOf } from "../results/leaving.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { Tool } from "../tools/tool.ts";
import { eventOfCall, refusedDetail } from "./call-event.ts";
import { askForCall, recallInner } from "./inner-tools.ts";
import { type CallEgress, meterEgress } from "./meter.ts";
import type { Occasion } from "./occasion.ts";

/** All a call may take from its first byte to its last, in milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

export interface CallMeans {
  readonly db: Database;
  readonly keyRing: KeyRing | null;
  readonly egress: Egress;
  readonly now: () => Date;
}

/** A call of a tool that its caller may call, and what is asked beside the answer. */
export interface Asked {
  readonly principal: PrincipalHere;
  readonly tool: Tool;
  readonly sealed: NonNullable<OpenedCall["sealed"]>;
  readonly call: ToolCall;
  readonly caller: Caller;
  /** Null where the call is still to be decided. */
  readonly decided: JudgedCall | null;
  /** Keep the answer also when it is a single one. */
  readonly persist: boolean;
  /** Set where what was kept is asked for instead of a call: what there is, or that nothing is. */
  readonly fromKept: { readonly read: KeptRead | null } | null;
  /** Set where it is refused already, and only its row is to be written. */
  readonly refused?: Refusal;
  /** Aborts when nobody waits for the answer any more: what is under way is cut off, and the row says so. */
  readonly signal?: AbortSignal;
  /** What it took to look all of this up, in whole milliseconds. */
  readonly databaseMs: number;
  readonly occasion: Occasion;
}

/**
 * Runs one call that runs at once and writes exactly one log row about it, whether it ran or was refused; the answer is
 * given after that row stands. Rows of a live read are kept with it, in the same transaction, and a single answer where
 * the caller asks; never of a fixture or a sensitive tool. A kept read is answered behind the same gates and opens no secret.
 */
export async function callTool(means: CallMeans, asked: Asked): Promise<Result<JsonObject>> {
  const { principal, signal } = asked;
  const way = meterEgress(means.egress, {
    workspaceId: principal.workspace.id,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    return await callAndLog(means, { asked, way });
  } finally {
    way.end();
  }
}

async function callAndLog(
  means: CallMeans,
  { asked, way }: { asked: Asked; way: CallEgress },
): Promise<Result<JsonObject>> {
  const { principal, tool, call, occasion } = asked;
  let { args } = call;
  const close = (
    ending: Pick<LogEvent, "outcome" | "detail">,
    remains: Remains | null = null,
  ) =>
    closeCall(means.db, {
      workspaceId: principal.workspace.id,
      event: {
        ...eventOfCall({ slug: tool.slug, call, occasion }),
        principal: actorOf(principal),
        connector_id: tool.id,
        version: tool.version,
        args: clipArgs(args),
        database_ms: asked.databaseMs,
        ...way.measured(),
        ...ending,
      },
      remains,
    });

  let answered: Result<Answered>;
  try {
    answered = asked.refused !== undefined
      ? { ok: false, refusal: asked.refused }
      : asked.fromKept !== null
      ? await answerFromKept(means, asked, asked.fromKept.read)
      : await answerByCalling(
        { ...means, egress: way.egress },
        { asked, onOpened: ({ redact }) => args = redact.json(call.args) as JsonObject },
      );
  } catch (error) {
    if (asked.signal?.aborted && error === asked.signal.reason) {
      answered = refuse("call_cancelled", CANCELLED);
    } else {
      await close({ outcome: "internal", detail: refusedDetail(tool, call) });
      throw error;
    }
  }
  if (!answered.ok) {
    await close({ outcome: answered.refusal.reason, detail: refusedDetail(tool, call) });
    return answered;
  }
  const { body, rows, remains } = answered.value;
  const detail = { audit: body.audit!, answers_with: body.answers_with!, rows };
  const kept = await close({ outcome: "ok", detail }, remains);
  return ok(remains === null ? body : { ...body, kept: { ...kept } });
}

const CANCELLED = {
  detail: "Whoever asked no longer waits, so the call was cut off. The other system may have got it.",
};

interface Answered {
  readonly body: JsonObject;
  readonly rows: number | null;
  /** Null where the call leaves nothing new behind. */
  readonly remains: Remains | null;
}

async function answerByCalling(
  means: CallMeans,
  { asked, onOpened }: { asked: Asked; onOpened: (credentials: Credentials) => void },
): Promise<Result<Answered>> {
  const { tool, sealed, call, persist, occasion } = asked;
  const timeLeftMs = () => Math.max(1, CALL_TIMEOUT_MS - occasion.elapsedMs());
  const server = tool.kind === "mcp"
    ? await askForCall(means, { tool, call, sealed, timeLeftMs, onOpened })
    : ok({});
  if (!server.ok) return server;
  const { answered: ran } = await executeDeclaredCapability({
    ...server.value,
    tool,
    call,
    caller: asked.caller,
    decided: asked.decided,
    sealed,
    keyRing: means.keyRing,
    egress: means.egress,
    timeLeftMs,
    now: means.now,
    onOpened,
  });
  if (!ran.ok) return ran;
  const { value, answersWith, next } = ran.value;
  const leaving = leavingOf(tool.file, { call, answer: value });
  const resultId = crypto.randomUUID();
  const body = answerOfRead(tool.file, {
    call,
    leaving,
    answersWith,
    kept: { kept: false },
    resultHandle: handleOf(tool, resultId),
    ...(next === undefined ? {} : { next }),
  });
  const remains = {
    readAt: means.now().toISOString(),
    leaving,
    resultId: body.truncated === true ? resultId : null,
    keepFor: isKept(tool.file, { answersWith, rows: leaving.rows, persist }) ? call : null,
    next,
  };
  return ok({ body, rows: leaving.rows?.length ?? null, remains });
}

async function answerFromKept(
  means: Pick<CallMeans, "db">,
  asked: Asked,
  read: KeptRead | null,
): Promise<Result<Answered>> {
  const { tool, call, caller } = asked;
  const inner = tool.kind === "mcp" ? await recallInner(means, { tool, name: call.args.tool }) : null;
  const decided = asked.decided === null
    ? decideCall({ tool, call, caller, ...(inner === null ? {} : { inner }) })
    : ok(asked.decided);
  if (!decided.ok) return decided;
  if (decided.value.effect.does === "waits") return refuseUnapproved(tool.slug);
  if (read === null) {
    return refuse("not_found", {
      detail: `Nothing is kept of this call of ${tool.slug}.`,
      hint: "Leave kept out: the call then asks the other system.",
    });
  }
  const { id, result, rows, read_at, has_next, next } = read;
  const body = answerOfRead(tool.file, {
    call,
    leaving: leavingFrom(result, resultFormatOf(tool.file, call)),
    answersWith: "kept read",
    kept: { kept: true, ...(rows === null ? {} : { rows }), read_at },
    resultHandle: handleOf(tool, id),
    ...(has_next ? { next } : {}),
  });
  return ok({ body, rows, remains: null });
}

function handleOf({ workspace_id }: Tool, id: string): string {
  return writeHandle({ workspaceId: workspace_id, id });
}
