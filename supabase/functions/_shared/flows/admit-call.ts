/** From what a request presented to a call that may go on, or to a refusal whose log row stands: one round trip. */

import { type Presented, type PrincipalHere, requireConnectorGrant } from "../auth/principal.ts";
import type { Definitions, SeenDefinition } from "../calls/definitions.ts";
import { type Foreseen, openCall, type OpenedCall } from "../calls/store.ts";
import { decideCall, requireValues } from "../connectors.ts";
import type { Database } from "../db/client.ts";
import type { ToolCall } from "../definition/call.ts";
import type { Caller } from "../gate/effect.ts";
import type { JudgedCall } from "../gate/judge-call.ts";
import { limitRefusal, type Limits } from "../limits/limits.ts";
import { NOT_FOUND, ok, type Result } from "../outcome/result.ts";
import { eventOfCall, refusedDetail } from "./call-event.ts";
import type { Asked } from "./call-tool.ts";
import type { Occasion } from "./occasion.ts";

/** What a caller asks of a tool. */
export interface CallRequest {
  readonly call: ToolCall;
  readonly persist: boolean;
  readonly kept: boolean;
}

/** What a request brings: who calls, and which tool of which workspace with what. */
export interface Approach {
  readonly presented: Presented;
  /** Null where none is named that could exist. */
  readonly workspaceId: string | null;
  readonly slug: string;
  readonly request: Result<CallRequest>;
  readonly occasion: Occasion;
}

/**
 * Admits a call, or refuses it in this order: the caller's own limit, authority, the shape of the request, whether the
 * tool is there for the caller, what its definition and values refuse, the workspace's limit. Null where nobody stands
 * behind what was presented.
 *
 * What the definition last seen here refuses is foreseen, so that the store can refuse it with its log row where that
 * is still the tool's definition; else it is left to whoever executes the call. Only for who reached the tool from this
 * process before, and was not over a limit since: neither a stranger nor a caller over its limit costs work on a file, and a
 * tool that is hidden takes no longer than one that is missing.
 */
export async function admitCall(
  { db, limits, definitions }: { db: Database; limits: Limits; definitions: Definitions },
  { presented, workspaceId, slug, request, occasion }: Approach,
): Promise<Result<Asked> | null> {
  const asked = request.ok ? request.value : null;
  const caller = "user_id" in presented ? "person" : "host";
  const reaching = workspaceId === null ? null : { workspaceId, slug, presented };
  const seen = reaching === null ? null : definitions.find(reaching);
  const foreseen = seen === null || asked === null ? null : foresee(seen, { request: asked, caller });
  const askedAtMs = occasion.elapsedMs();
  const opened = await openCall(db, {
    presented,
    workspaceId,
    slug,
    keptCall: asked?.kept ? asked.call : null,
    foreseen: {
      event: eventOfCall({ slug, call: asked?.call ?? null, occasion }),
      ...(request.ok ? {} : { badShape: request.refusal.reason }),
      ...(foreseen === null ? {} : { byDefinition: foreseen.told }),
    },
    limits,
  });
  const databaseMs = occasion.elapsedMs() - askedAtMs;
  const { principal } = opened;
  if (seen !== null && !isLetIn(opened)) definitions.forget(reaching!);
  if (principal === null) return null;
  if (opened.refused_by === "principal_limit" || opened.refused_by === "workspace_limit") {
    const limitedBy = opened.refused_by === "principal_limit" ? "principal" : "workspace";
    return limitRefusal(limits, { limitedBy, waitSeconds: opened.wait! });
  }
  const { workspace } = principal;
  if (workspace === null || !request.ok) {
    const lacking = workspace === null ? null : requireConnectorGrant({ ...principal, workspace });
    if (lacking !== null && !lacking.ok) return lacking;
    return request.ok ? { ok: false, refusal: NOT_FOUND } : request;
  }
  const here = { ...principal, workspace };
  if (opened.refused_by !== undefined) {
    return refusalOf(opened, { principal: here, decided: foreseen?.decided ?? null });
  }
  const isSeen = opened.tool!.file === null;
  const tool = { ...opened.tool!, file: opened.tool!.file ?? seen!.file };
  if (!isSeen) definitions.keep(tool, presented);
  return ok({
    principal: here,
    tool,
    decided: isSeen && foreseen?.decided?.ok ? foreseen.decided.value : null,
    sealed: opened.sealed ?? [],
    call: request.value.call,
    caller,
    persist: request.value.persist,
    databaseMs,
    fromKept: request.value.kept ? { read: opened.kept_read ?? null } : null,
    occasion,
  });
}

/**
 * Whether the caller reached the workspace with leave to call, and the tool there, within the limits: who is over one is
 * looked at by the store first from then on, so that what is refused for that costs no work on a file.
 */
function isLetIn({ principal, refused_by: refusedBy }: OpenedCall): boolean {
  return principal !== null && principal.workspace !== null && refusedBy !== "authority" &&
    refusedBy !== "existence" && refusedBy !== "principal_limit" && refusedBy !== "workspace_limit";
}

/** How the definition decides the call. What an outside server's word decides too cannot be told from it alone. */
function foresee(
  definition: SeenDefinition,
  { request: { call, kept }, caller }: { request: CallRequest; caller: Caller },
): { told: Foreseen["byDefinition"] & object; decided: Result<JudgedCall> | null } {
  const decided = definition.kind === "mcp" ? null : decideCall({ tool: definition, call, caller });
  return {
    decided,
    told: {
      definition,
      refused: decided === null || decided.ok ? null : decided.refusal.reason,
      opensSecrets: definition.kind === "request" && !kept && decided?.ok === true &&
        decided.value.effect.does === "runs",
      detail: refusedDetail(definition, call),
    },
  };
}

function refusalOf(
  { refused_by: refusedBy, tool }: OpenedCall,
  { principal, decided }: { principal: PrincipalHere; decided: Result<JudgedCall> | null },
): Result<never> {
  const refused = refusedBy === "authority"
    ? requireConnectorGrant(principal)
    : refusedBy === "values"
    ? requireValues(tool!)
    : refusedBy === "existence"
    ? { ok: false as const, refusal: NOT_FOUND }
    : decided;
  // The store and this code would have to disagree about who may do what: then nothing is done.
  if (refused === null || refused.ok) throw new Error("The store refused a call that is not refused here");
  return refused;
}
