/** What it looks like now: the reads that tools which write show on their approvals, and whether they still say the same. */

import type { ApprovalCall, StoredPreview } from "../approvals/approval.ts";
import { type OpenedTool, openLookups } from "../approvals/store.ts";
import { findValues } from "../definition/condition.ts";
import { definitionDigest } from "../definition/digest.ts";
import type { FramedTool } from "../definition/format.ts";
import type { Preview } from "../definition/format-after.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { isStoreUnavailable } from "../db/client.ts";
import { clipArgs, type LogEvent } from "../log/event.ts";
import { causeOf, stackOf } from "../outcome/cause.ts";
import { ok, type Refusal, refuse, type Result } from "../outcome/result.ts";
import { EXAMPLE_NOTE } from "../results/answer.ts";
import { clipLeaving } from "../results/clip.ts";
import { answeredDetail, eventOfCall, refusedDetail } from "./call-event.ts";
import type { CallMeans } from "./call-tool.ts";
import { callOf } from "./stored-call.ts";
import type { Asker, WantedCall } from "./draft-approval.ts";
import { meterEgress } from "./meter.ts";
import type { Occasion } from "./occasion.ts";
import { closeCall } from "../calls/store.ts";
import { previewArgs } from "./preview-call.ts";
import { readAsWorker, type WorkerRead } from "./read-as-worker.ts";

/** All that one preview may take, in milliseconds: somebody waits for their proposal or their decision meanwhile. */
const PREVIEW_TIMEOUT_MS = 10_000;

/** What previews answered, in the order of the calls, and the log rows of these reads. */
export interface Previewed {
  readonly previews: readonly (StoredPreview | null)[];
  readonly events: readonly LogEvent[];
}

/** By slug. */
export type Lookups = Readonly<Record<string, OpenedTool>>;

/**
 * Reads the previews of the calls' tools, each as a read that runs at once. One that fails, or breaks, says why and fails
 * nothing else. Without `lookups` the tools are looked up, on one round trip. Throws only where the store is away.
 */
export async function readPreviews(
  means: CallMeans,
  { wanted, asker, occasion, lookups }: {
    wanted: readonly PreviewedCall[];
    asker: Asker;
    occasion: Occasion;
    lookups: Lookups | null;
  },
): Promise<Previewed> {
  const slugs = wanted.flatMap(({ tool: { file } }) => file.preview?.tool ?? []);
  if (slugs.length === 0) return { previews: [], events: [] };
  const tools = lookups ?? await openLookups(means.db, { workspaceId: asker.workspaceId, slugs });
  const events: LogEvent[] = [];
  const previews = await Promise.all(
    wanted.map(({ tool: { file }, call, isLate = false }) =>
      file.preview === undefined ? null : isLate ? notYet(means, file.preview) : readSafely(means, {
        file,
        args: call.args,
        asker,
        tools,
        occasion,
        onRead: (event) => events.push(event),
      })
    ),
  );
  return { previews, events };
}

/** A call whose tool may have a preview. */
export interface PreviewedCall extends Pick<WantedCall, "tool" | "call"> {
  /** Some of its arguments come from earlier calls: there is nothing to look up before those have run. */
  readonly isLate?: boolean;
}

/** The calls, each with whether some of its arguments come from earlier ones. */
export function withLate(
  wanted: readonly WantedCall[],
  calls: readonly { readonly from_calls: readonly unknown[] }[],
): PreviewedCall[] {
  return wanted.map((want, n) => ({ ...want, isLate: (calls[n]?.from_calls.length ?? 0) > 0 }));
}

function notYet(means: Pick<CallMeans, "now">, preview: Preview): StoredPreview {
  return failedPreview(means, preview, {
    args: null,
    why: "Some of its arguments come from earlier calls, so there is nothing to show before those have run.",
  });
}

function failedPreview(
  { now }: Pick<CallMeans, "now">,
  { tool, compare }: Preview,
  { args, why }: { args: JsonObject | null; why: string },
): StoredPreview {
  return { tool, args, compare: compare ?? null, ok: false, failed: why, read_at: now().toISOString() };
}

interface PreviewContext {
  readonly file: FramedTool;
  readonly args: JsonObject;
  readonly asker: Asker;
  readonly tools: Lookups;
  readonly occasion: Occasion;
  readonly onRead: (event: LogEvent) => void;
}

/** What breaks is one preview that failed, in the log as other things that nobody expected. */
async function readSafely(means: CallMeans, context: PreviewContext): Promise<StoredPreview> {
  let args: JsonObject | null = null;
  try {
    args = previewArgs(context.file, context.args);
    return await readPreview(means, { ...context, args });
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    const { file, occasion: { requestId } } = context;
    console.error(JSON.stringify({
      level: "error",
      request_id: requestId,
      event: "internal",
      preview: file.preview!.tool,
      cause: causeOf(error),
      stack: stackOf(error),
    }));
    const why = `Something broke on our side. The cause is in our log under ${requestId}.`;
    return failedPreview(means, file.preview!, { args, why });
  }
}

async function readPreview(
  means: CallMeans,
  { file, args, tools, asker, occasion, onRead }: Omit<PreviewContext, "args"> & { args: JsonObject | null },
): Promise<StoredPreview> {
  const preview = file.preview!;
  const { tool: slug, compare } = preview;
  const failed = (why: string) => failedPreview(means, preview, { args, why });
  if (args === null) return failed("Its arguments come from values that are not there.");
  const opened = Object.hasOwn(tools, slug) ? tools[slug]! : null;
  if (opened === null || !isSeenBy(asker, opened.tool)) return failed(`The tool ${slug} is not there.`);
  const readAt = means.now().toISOString();
  const read = await readLookup(means, { opened, args, asker, occasion, onRead });
  if (!read.ok) return failed(inWords(read.refusal));
  const { leaving, answersWith } = read.value;
  return {
    tool: slug,
    args,
    compare: compare ?? null,
    ok: true,
    result: clipLeaving(leaving).result,
    answers_with: answersWith,
    ...(answersWith === "configured example" ? { note: EXAMPLE_NOTE } : {}),
    read_at: readAt,
    digests: digestsOf(leaving.result, compare ?? null),
  };
}

/** A key with no person behind it looks nothing up that it could not call. */
function isSeenBy({ by, accountId }: Asker, { owner }: OpenedTool["tool"]): boolean {
  if (by.kind !== "reseller_key") return true;
  return owner.user_id === null && owner.key_kind === "reseller" && owner.account_id === accountId;
}

async function readLookup(
  means: CallMeans,
  { opened: { tool, sealed }, args, asker, occasion, onRead }:
    & Pick<PreviewContext, "asker" | "occasion" | "onRead">
    & {
      opened: OpenedTool;
      args: JsonObject;
    },
): Promise<Result<WorkerRead>> {
  const call = { args };
  const way = meterEgress(means.egress, { workspaceId: asker.workspaceId });
  const startedMs = occasion.elapsedMs();
  let logged = args;
  const log = (ending: Pick<LogEvent, "outcome" | "detail">) =>
    onRead({
      ...eventOfCall({ slug: tool.slug, call, occasion }),
      principal: asker.by as LogEvent["principal"],
      connector_id: tool.id,
      version: tool.version,
      args: clipArgs(logged),
      ...ending,
      ...way.measured(),
    });
  try {
    const read = await readAsWorker({ ...means, egress: way.egress }, {
      tool,
      call,
      sealed,
      timeLeftMs: () => Math.max(1, PREVIEW_TIMEOUT_MS - (occasion.elapsedMs() - startedMs)),
      onOpened: ({ redact }) => logged = redact.json(args) as JsonObject,
    });
    log(
      read.ok
        ? { outcome: "ok", detail: answeredDetail(tool, { call, ...read.value }) }
        : { outcome: read.refusal.reason, detail: refusedDetail(tool, call) },
    );
    return read;
  } catch (error) {
    log({ outcome: "internal", detail: refusedDetail(tool, call) });
    throw error;
  } finally {
    way.end();
  }
}

/** The digests of what stands at each path; of all of it under the empty path where none is named. */
function digestsOf(result: JsonValue, compare: readonly string[] | null): Record<string, string> {
  if (compare === null) return { "": definitionDigest(result) };
  return Object.fromEntries(compare.map((path) => [path, definitionDigest(findValues(result, path).values)]));
}

/** Whether what was previewed still says the same. */
export type Comparison =
  | { readonly is: "same" }
  /** What changed, in words. */
  | { readonly is: "different"; readonly says: string }
  /** It could not be read again, and it had to be. */
  | { readonly is: "unreadable"; readonly says: string };

/**
 * Compares a preview with the one that was shown. One that fails blocks nothing unless paths are named. The other system and
 * an example of it say different things, whatever they say.
 */
export function comparePreviews(shown: StoredPreview, now: StoredPreview): Comparison {
  const strict = shown.compare !== null;
  if (!now.ok) {
    return strict ? { is: "unreadable", says: now.failed ?? "It could not be read." } : { is: "same" };
  }
  if (!shown.ok) {
    return strict
      ? { is: "different", says: "It could not be read before, and can be now." }
      : { is: "same" };
  }
  // What was stored before this was told says nothing of it.
  if (shown.answers_with !== undefined && shown.answers_with !== now.answers_with) {
    return {
      is: "different",
      says:
        `${shown.tool} answered with a ${shown.answers_with} when this was shown, and with a ${now.answers_with} now.`,
    };
  }
  const changed = Object.keys(now.digests ?? {}).filter((path) =>
    now.digests![path] !== shown.digests?.[path]
  );
  if (changed.length === 0) return { is: "same" };
  const what = changed[0] === "" ? "The answer" : changed.join(", ");
  return { is: "different", says: `${what} of ${shown.tool} changed since it was shown.` };
}

/**
 * Reads the preview of one approved call once more, right before it is sent, with its log row. Refuses `approval_changed` where
 * it says something else than what was shown, or cannot be compared though it has to be.
 */
export async function holdPreview(
  means: CallMeans,
  { tool, stored, asker, occasion }: {
    tool: OpenedTool["tool"];
    stored: ApprovalCall;
    asker: Asker;
    occasion: Occasion;
  },
): Promise<Result<void>> {
  // What came late was not shown, so there is nothing that it has to be still.
  if (stored.preview === null || stored.from_calls.length > 0) return ok(undefined);
  const call = callOf(stored, stored.args);
  const { previews, events } = await readPreviews(means, {
    wanted: [{ tool, call }],
    asker,
    occasion,
    lookups: null,
  });
  for (const event of events) {
    await closeCall(means.db, { workspaceId: asker.workspaceId, event, remains: null });
  }
  const now = previews[0] ?? null;
  const compared = now === null ? null : comparePreviews(stored.preview, now);
  if (compared === null || compared.is === "same") return ok(undefined);
  return refuse("approval_changed", { detail: `${compared.says} Nothing was sent.` });
}

function inWords({ reason, detail }: Refusal): string {
  return detail ?? reason;
}
