/** A chain of calls, proposed as one: looked up together, judged call by call, approved and sent in this order or not at all. */

import { openChain } from "../approvals/store.ts";
import { closeCall } from "../calls/store.ts";
import type { ToolCall } from "../definition/call.ts";
import type { JsonObject } from "../definition/json.ts";
import { limitRefusal, type Limits } from "../limits/limits.ts";
import { clipArgs } from "../log/event.ts";
import { NOT_FOUND, type Result } from "../outcome/result.ts";
import { actorOf, type Presented, type PrincipalHere, requireConnectorGrant } from "../auth/principal.ts";
import { eventOfCall } from "./call-event.ts";
import { findNamedInner } from "./approved-inner.ts";
import { inCall, type WantedCall } from "./draft-approval.ts";
import type { Occasion } from "./occasion.ts";
import { propose, type ProposeMeans } from "./propose.ts";

/** The most calls of one chain. */
export const MAX_CALLS = 20;

/** One call of a chain as it is asked for. */
export interface ChainCall {
  readonly slug: string;
  readonly call: ToolCall;
}

/** What a request for a chain brings. */
export interface ChainRequest {
  readonly presented: Presented;
  readonly workspaceId: string | null;
  readonly calls: Result<readonly ChainCall[]>;
  readonly occasion: Occasion;
}

/**
 * Proposes the chain, or refuses it in the order a call is refused in, with a log row. Null where nobody stands behind what
 * was presented. Two round trips to the store, and one more where a tool has a preview.
 */
export async function proposeChain(
  means: ProposeMeans & { readonly limits: Limits },
  { presented, workspaceId, calls, occasion }: ChainRequest,
): Promise<Result<JsonObject> | null> {
  const [first] = calls.ok ? calls.value : [];
  const event = eventOfCall({ slug: first?.slug ?? "", call: first?.call ?? null, occasion });
  const opened = await openChain(means.db, {
    presented,
    workspaceId,
    slugs: calls.ok ? calls.value.map(({ slug }) => slug) : [""],
    foreseen: { event, ...(calls.ok ? {} : { badShape: calls.refusal.reason }) },
    limits: means.limits,
  });
  const { principal } = opened;
  if (principal === null) return null;
  if (opened.refused_by === "principal_limit" || opened.refused_by === "workspace_limit") {
    const limitedBy = opened.refused_by === "principal_limit" ? "principal" : "workspace";
    return limitRefusal(means.limits, { limitedBy, waitSeconds: opened.wait! });
  }
  const { workspace } = principal;
  const here = workspace === null ? null : { ...principal, workspace };
  const allowed = here === null ? null : requireConnectorGrant(here);
  if (allowed !== null && !allowed.ok) return allowed;
  if (!calls.ok) return calls;
  if (here === null || opened.refused_by !== undefined) return { ok: false, refusal: NOT_FOUND };
  const wanted: WantedCall[] = [];
  for (const [n, { slug, call }] of calls.value.entries()) {
    const found = Object.hasOwn(opened.tools!, slug) ? opened.tools![slug]! : null;
    const known = found === null ? { ok: false as const, refusal: NOT_FOUND } : await findNamedInner(means, {
      workspaceId: here.workspace.id,
      tool: found.tool,
      sealed: found.sealed,
      call,
      occasion,
      anew: false,
      // Values that come later are not held against its schema.
      checksArguments: !JSON.stringify(call.args).includes("{{"),
    });
    if (!known.ok) return await refuseLogged(means, { principal: here, event, refused: inCall(n, known) });
    wanted.push({ tool: found!.tool, call, known: known.value });
  }
  const proposed = await propose(means, {
    principal: here,
    caller: "user_id" in presented ? "person" : "host",
    wanted,
    isChain: true,
    occasion,
  });
  return proposed.ok ? proposed : await refuseLogged(means, { principal: here, event, refused: proposed });
}

async function refuseLogged(
  means: ProposeMeans,
  { principal, event, refused }: {
    principal: PrincipalHere;
    event: ReturnType<typeof eventOfCall>;
    refused: Extract<Result<never>, { ok: false }>;
  },
): Promise<Result<never>> {
  await closeCall(means.db, {
    workspaceId: principal.workspace.id,
    event: {
      ...event,
      principal: actorOf(principal),
      connector_id: null,
      version: null,
      args: clipArgs(event.args ?? {}),
      outcome: refused.refusal.reason,
    },
    remains: null,
  });
  return refused;
}
