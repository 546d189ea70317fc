/** The two sides of a call in the database, one round trip each: what it needs before, and how it ended after. */

import type { Presented, Principal } from "../auth/principal.ts";
import { type Database, onlyRow, untilSent, untilWritten } from "../db/client.ts";
import type { ToolCall } from "../definition/call.ts";
import { definitionDigest } from "../definition/digest.ts";
import type { FramedTool } from "../definition/format.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { type Limits, limitsJson } from "../limits/limits.ts";
import type { LogEvent } from "../log/event.ts";
import type { Reason } from "../outcome/reason.ts";
import type { Kept } from "../results/answer.ts";
import type { Leaving } from "../results/leaving.ts";
import type { SealedSecret } from "../secrets/vault.ts";
import type { Tool } from "../tools/tool.ts";
import type { SeenDefinition } from "./definitions.ts";

/** At which step the store refused a call, in the order the steps are taken in. */
export type RefusedBy =
  | "principal_limit"
  | "authority"
  | "shape"
  | "existence"
  | "definition"
  | "values"
  | "workspace_limit";

/** What is known before a call is decided. What the caller cannot reach is absent, as what does not exist is. */
export interface OpenedCall {
  /** Null where the key is unknown, expired, revoked or has lost its administrator. */
  readonly principal: Principal | null;
  /** Set where the call is refused, and its log row stands: of calls over a limit, one a minute of the principal. */
  readonly refused_by?: RefusedBy;
  /** Seconds until the next call can be made, where it is refused by a limit. */
  readonly wait?: number;
  /** Also of a call that is refused by its values. Its file is null where it is the one that was foreseen with. */
  readonly tool?: Omit<Tool, "file"> & { readonly file: FramedTool | null };
  /** The values the tool may use, still sealed. */
  readonly sealed?: readonly SealedSecret[];
  /** What was kept of the call; null where nothing is, or it was not asked for. */
  readonly kept_read?: KeptRead | null;
}

/** What a live read answered, as it was kept. */
export interface KeptRead {
  readonly id: string;
  readonly result: JsonValue;
  /** Null of a single answer. */
  readonly rows: number | null;
  readonly read_at: string;
  readonly has_next: boolean;
  readonly next: JsonObject | null;
}

/** How a call will be refused where it is, as far as that can be told before the store is asked. */
export interface Foreseen {
  /** The log row of a refused call, but for what only the store knows. */
  readonly event: Pick<LogEvent, "event" | "request_id" | "tool" | "operation" | "args" | "total_ms">;
  /** What is wrong with the shape of the request. */
  readonly badShape?: Reason;
  /** By the definition last seen: counts only where that is still the tool's. */
  readonly byDefinition?: {
    readonly definition: SeenDefinition;
    readonly refused: Reason | null;
    /** Whether a call that is not refused needs every value the tool names. */
    readonly opensSecrets: boolean;
    readonly detail: JsonObject;
  };
}

/**
 * Who calls, the tool, and its sealed secrets: none of that is remembered from an earlier call. With `keptCall` also
 * what was kept of that very call under the tool's present definition.
 *
 * A call that is over a limit, lacks authority, has a bad shape, names what is not there for its caller, or is refused as foreseen, is
 * refused here with its one log row, in the same round trip; nobody's call that reaches no workspace has one.
 */
export async function openCall(
  db: Database,
  { presented, workspaceId, slug, keptCall = null, foreseen, limits }: {
    presented: Presented;
    workspaceId: string | null;
    slug: string;
    keptCall?: ToolCall | null;
    foreseen: Foreseen;
    limits: Limits;
  },
): Promise<OpenedCall> {
  const keptDigest = keptCall === null ? null : definitionDigest(keptCall);
  const rows = await untilSent(() =>
    db<{ opened: OpenedCall }[]>`
    select framed.open_call(${
      JSON.stringify(presented)
    }::text::jsonb, ${workspaceId}::uuid, ${slug}, ${keptDigest},
      ${JSON.stringify(asStored(foreseen))}::text::jsonb, ${limitsJson(limits)}::text::jsonb) as opened`
  );
  return onlyRow(rows).opened;
}

/** What `framed.open_call` takes: a key that is there says that something is so. */
function asStored({ event, badShape, byDefinition }: Foreseen): JsonObject {
  return {
    event: { ...event },
    ...(badShape === undefined ? {} : { bad_shape: badShape }),
    ...(byDefinition === undefined ? {} : {
      connector_id: byDefinition.definition.id,
      version: byDefinition.definition.version,
      runs_as_read: byDefinition.definition.runs_as_read,
      detail: byDefinition.detail,
      ...(byDefinition.refused === null ? {} : { refused: byDefinition.refused }),
      ...(byDefinition.opensSecrets ? { opens_secrets: true } : {}),
    }),
  };
}

/** What a read that ran leaves behind. */
export interface Remains {
  readonly readAt: string;
  readonly leaving: Leaving;
  /** Under which the whole answer is stored for a day; null where it went out whole. */
  readonly resultId: string | null;
  /** The call it is kept for, replacing an earlier read of it; null where it is not kept. */
  readonly keepFor: ToolCall | null;
  /** The arguments of the next page, as `answerOfRead` tells them. */
  readonly next: JsonObject | null | undefined;
}

/**
 * Writes the call's log row and what it leaves behind, all or nothing, and tells what was kept.
 *
 * Tried once more where the connection is lost meanwhile, and then written once, whichever of the two was lost: the
 * request or its answer. The other system has been asked, and that must not go without its row.
 *
 * Nothing is kept where another definition took the tool's place meanwhile, or a later read of the same call is there.
 */
export async function closeCall(
  db: Database,
  { workspaceId, event, remains }: { workspaceId: string; event: LogEvent; remains: Remains | null },
): Promise<Kept> {
  const parts = partsOf(remains);
  return await untilWritten(async (again) => {
    const rows = await db<{ kept: Kept | null }[]>`
      select framed.close_call(${workspaceId}::uuid, ${JSON.stringify(event)}::text::jsonb,
        ${parts.remains}::text::jsonb, ${parts.firstRow}, ${parts.result}, ${again}::boolean) as kept`;
    return onlyRow(rows).kept ?? { kept: false };
  });
}

function partsOf(remains: Remains | null) {
  if (remains === null || (remains.resultId === null && remains.keepFor === null)) {
    return { remains: null, firstRow: null, result: null };
  }
  const { readAt, leaving: { json, rows }, resultId, keepFor, next } = remains;
  return {
    remains: JSON.stringify({
      read_at: readAt,
      ...(resultId === null ? {} : { result_id: resultId }),
      ...(keepFor === null ? {} : {
        call_digest: definitionDigest(keepFor),
        args: keepFor.args,
        row_count: rows?.length ?? null,
        ...(next === undefined ? {} : { next }),
      }),
    }),
    firstRow: rows?.[0] === undefined ? null : JSON.stringify(rows[0]),
    result: json,
  };
}
