/** What a decision is bound to, and what makes two proposals the same, each as one fingerprint. Pure. */

import { definitionDigest } from "../definition/digest.ts";
import type { JsonObject } from "../definition/json.ts";

/** Who asked: a session's person, a key or a token, by kind and id. */
export interface ProposalCaller {
  readonly kind: string;
  readonly id: string;
}

/** One call of an approval, with everything about its tool that a person's decision is about. */
export interface BoundCall {
  readonly connectorId: string;
  /** Of the tool's definition. */
  readonly version: number;
  /** As they were proposed, late values still as their placeholders. */
  readonly args: JsonObject;
  readonly capability?: string;
  readonly operation?: string;
  /** `null` for a kind that makes no request of its own. */
  readonly method: string | null;
  readonly host: string | null;
  /** In any order. */
  readonly secretNames: readonly string[];
  /** Of the inner tool of an mcp call, `null` for every other. */
  readonly innerDigest: string | null;
}

/** Everything a decision is bound to. */
export interface ApprovalTerms {
  readonly caller: ProposalCaller;
  readonly workspaceId: string;
  readonly calls: readonly BoundCall[];
  /** Counted in whole milliseconds. */
  readonly expiresAt: Date;
}

/**
 * SHA-256 as 64 hex digits over the canonical JSON of `terms`: another caller, workspace, tool, version, argument,
 * capability, operation, method, host, secret name, inner tool, order of calls or expiry gives another. The order of
 * keys and of secret names does not count. Throws on an `expiresAt` that is no instant.
 */
export function approvalDigest({ caller, workspaceId, calls, expiresAt }: ApprovalTerms): string {
  return definitionDigest({
    is: "approval/1",
    caller: { kind: caller.kind, id: caller.id },
    workspace_id: workspaceId,
    calls: calls.map((call) => ({
      connector_id: call.connectorId,
      version: call.version,
      args: call.args,
      capability: call.capability ?? null,
      operation: call.operation ?? null,
      method: call.method,
      host: call.host,
      secret_names: [...new Set(call.secretNames)].sort(),
      inner_digest: call.innerDigest,
    })),
    expires_at: expiresAt.toISOString(),
  });
}

/** One call as it was proposed. */
export interface ProposedCall {
  readonly slug: string;
  readonly args: JsonObject;
  readonly capability?: string;
  readonly operation?: string;
}

/**
 * 64 hex digits, by which the same proposal is known on one workspace: equal for the same caller and the same calls in
 * the same order. It knows no version and no expiry: what waits is superseded when its tool changes, so a key leads to
 * one that waits for the tool as it is. It never equals an {@link approvalDigest}.
 */
export function proposalKey(
  { caller, calls }: { readonly caller: ProposalCaller; readonly calls: readonly ProposedCall[] },
): string {
  return definitionDigest({
    is: "proposal/1",
    caller: { kind: caller.kind, id: caller.id },
    calls: calls.map(({ slug, args, capability, operation }) => ({
      slug,
      args,
      capability: capability ?? null,
      operation: operation ?? null,
    })),
  });
}
