/** What a person is asked to approve: the calls as they would be sent, judged, and bound by one digest. */

import type {
  FiredRule,
  NewApproval,
  NewApprovalCall,
  Someone,
  StoredPreview,
} from "../approvals/approval.ts";
import {
  checkLateCall,
  findLateValues,
  type LateValues,
  needsAdministrator,
  withoutLateValues,
} from "../approvals/chain.ts";
import { lateRules } from "../approvals/late-rules.ts";
import { approvalDigest, proposalKey } from "../approvals/digest.ts";
import { decideCall } from "../connectors.ts";
import type { ToolCall } from "../definition/call.ts";
import { requestOf } from "../definition/call-request.ts";
import { hostWith } from "../definition/request.ts";
import { canonicalJson } from "../definition/canonical-json.ts";
import { hostOfTool, secretsOf } from "../definition/tool-secrets.ts";
import { decideCapability } from "../gate/capability.ts";
import { type Caller, decideEffect, type InnerTool } from "../gate/effect.ts";
import { matchRules } from "../gate/rules.ts";
import { ok, type Refusal, refuse, type Result } from "../outcome/result.ts";
import type { Tool } from "../tools/tool.ts";
import { previewArgs } from "./preview-call.ts";

/** What an outside server says of the tool that an mcp call names, and its fingerprint. */
export interface KnownInner {
  readonly inner: InnerTool;
  readonly digest: string;
  /** Whether it may destroy something, by its own word. */
  readonly mayDestroy: boolean;
}

/** One call somebody wants done. */
export interface WantedCall {
  readonly tool: Tool;
  readonly call: ToolCall;
  /** Of a call of an mcp tool. */
  readonly known?: KnownInner | null;
}

/** Who wants it. */
export interface Asker {
  readonly workspaceId: string;
  readonly by: Someone;
  /** The person behind; null where none is. */
  readonly userId: string | null;
  /** Of who asks, or of the workspace. */
  readonly accountId: string | null;
  readonly caller: Caller;
}

/** An approval as it would be stored. */
export interface DraftApproval {
  readonly approval: NewApproval;
  readonly calls: readonly NewApprovalCall[];
}

/** How an approval is drafted beside its calls. */
export interface DraftOptions {
  readonly asker: Asker;
  /** Whether the arguments of a call may hold values of earlier calls' answers. */
  readonly isChain: boolean;
  readonly now: Date;
  readonly approvalDays: number;
  /** What the previews answered, in the order of the calls. */
  readonly previews: readonly (StoredPreview | null)[];
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The approval for `wanted`, each call of it held against its file now, so that nobody approves what cannot run. Refuses,
 * naming the call of a chain: what the gate refuses, a rule that denies included, values of earlier answers that stand where
 * none may, and a call that an earlier one would hold back.
 */
export function draftApproval(wanted: readonly WantedCall[], options: DraftOptions): Result<DraftApproval> {
  const { asker, isChain, now, approvalDays, previews } = options;
  const late = isChain
    ? findLateValues(wanted.map(({ tool: { file }, call }) => ({ file, call })))
    : ok(null);
  if (!late.ok) return late;
  const judged: JudgedWant[] = [];
  for (const [n, want] of wanted.entries()) {
    const one = judgeWanted(want, { caller: asker.caller, late: late.value?.[n] ?? null });
    if (!one.ok) return isChain ? inCall(n, one) : one;
    judged.push(one.value);
  }
  const blocked = late.value === null ? ok(undefined) : refuseOwnChange(wanted, { judged, late: late.value });
  if (!blocked.ok) return blocked;
  const calls = wanted.map((want, n): NewApprovalCall => ({
    n,
    ...callTerms(want, judged[n]!),
    from_calls: late.value?.[n]?.values ?? [],
    preview: previews[n] ?? null,
  }));
  const otherHost = late.value !== null && needsAdministrator(calls);
  const requestedAt = now.toISOString();
  const expiresAt = new Date(now.getTime() + approvalDays * DAY_MS);
  const caller = { kind: asker.by.kind, id: asker.by.id };
  return ok({
    approval: {
      id: crypto.randomUUID(),
      digest: approvalDigest({
        caller,
        workspaceId: asker.workspaceId,
        expiresAt,
        calls: calls.map((call) => ({
          connectorId: call.connector_id,
          version: call.version,
          args: call.args,
          ...(call.capability === null ? {} : { capability: call.capability }),
          ...(call.operation === null ? {} : { operation: call.operation }),
          method: call.method,
          host: call.host,
          secretNames: call.secret_names,
          innerDigest: call.inner_digest,
        })),
      }),
      proposal_key: proposalKey({
        caller,
        calls: wanted.map(({ tool: { slug }, call }) => ({ slug, ...call })),
      }),
      needs: otherHost || judged.some(({ needs }) => needs === "admin") ? "admin" : "member",
      rules: judged.flatMap(({ says }, call): FiredRule[] =>
        says.map((say) => ({ call, then: "admin", say }))
      ),
      requested_by: asker.by,
      requester_user_id: asker.userId,
      requested_at: requestedAt,
      expires_at: expiresAt.toISOString(),
    },
    calls,
  });
}

interface JudgedWant {
  readonly needs: "member" | "admin";
  /** Of the rules that want an administrator. */
  readonly says: readonly string[];
  /** False of what only reads. */
  readonly mayChange: boolean;
  readonly method: string | null;
  readonly host: string | null;
}

function judgeWanted(
  { tool, call, known }: WantedCall,
  { caller, late }: { caller: Caller; late: LateValues | null },
): Result<JudgedWant> {
  if (late !== null && late.values.length > 0) {
    return judgeLate({ tool, call, known: known ?? null }, { caller, late });
  }
  const decided = decideCall({ tool, call, caller, ...(known ? { inner: known.inner } : {}) });
  if (!decided.ok) return decided;
  const { effect, request } = decided.value;
  return ok({
    needs: effect.does === "waits" ? effect.needs : "member",
    mayChange: effect.does === "waits",
    says: matchRules(tool.file, call.args).admin,
    method: request?.method ?? null,
    host: request?.host ?? hostOfTool(tool.file),
  });
}

/**
 * Refuses a chain of which a later call would be held back by what an earlier one has just changed: both show the very same
 * read, and the later one lets nothing of it be another. It would stop half-way, for no reason that anybody saw.
 */
function refuseOwnChange(
  wanted: readonly WantedCall[],
  { judged, late }: { judged: readonly JudgedWant[]; late: readonly LateValues[] },
): Result<void> {
  const changing = new Map<string, number>();
  for (const [n, { tool: { file }, call }] of wanted.entries()) {
    const { preview } = file;
    if (preview === undefined) continue;
    const args = previewArgs(file, call.args);
    if (args === null) continue;
    const read = canonicalJson([preview.tool, args]);
    const earlier = changing.get(read);
    if (earlier !== undefined && preview.compare === undefined && late[n]!.values.length === 0) {
      return inCall(
        n,
        refuse("bad_arguments", {
          detail:
            `${file.slug} shows what ${preview.tool} answers, all of which has to be the same right before it is sent, and call ${earlier} of this chain, which shows the same, may change it. The chain would stop half-way.`,
          hint:
            "Propose the calls one by one, each when the one before is done. Or have whoever wrote the tool name in preview.compare what must not change.",
        }),
      );
    }
    if (judged[n]!.mayChange && earlier === undefined) changing.set(read, n);
  }
  return ok(undefined);
}

/** All that can be told of a call before the values of earlier answers are there. The rest is looked at before it is sent. */
function judgeLate(
  { tool: { file, runs_as_read }, call, known }: Required<WantedCall>,
  { caller, late }: { caller: Caller; late: LateValues },
): Result<JudgedWant> {
  const declared = decideCapability(file, call);
  if (!declared.ok) return declared;
  const checked = checkLateCall(file, call, late);
  if (!checked.ok) return checked;
  const { settled, admin: says } = lateRules(file, call.args, late);
  const effect = decideEffect({
    tool: settled,
    call,
    caller,
    runsAsRead: runs_as_read,
    ...(known ? { inner: known.inner } : {}),
  });
  if (effect.does === "refused") return refuse(effect.reason, { detail: effect.detail });
  const request = file.kind === "request" ? requestOf(file, call) : null;
  const host = request === null
    ? ok(hostOfTool(file))
    : hostWith(request.url, withoutLateValues(call.args, late));
  if (!host.ok) return host;
  if (file.preview?.compare !== undefined) {
    return refuse("bad_arguments", {
      detail:
        `${file.slug} compares what its preview shows right before it is sent, so none of its arguments can come later.`,
      hint: "Write the values out, or propose this call by itself once they are known.",
    });
  }
  return ok({
    needs: says.length > 0 ? "admin" : effect.does === "waits" ? effect.needs : "member",
    says,
    mayChange: effect.does === "waits",
    method: request?.method ?? null,
    host: host.value,
  });
}

function callTerms(
  { tool, call, known = null }: WantedCall,
  { method, host }: JudgedWant,
): Omit<NewApprovalCall, "n" | "from_calls" | "preview"> {
  return {
    connector_id: tool.id,
    version: tool.version,
    tool: tool.slug,
    tool_name: tool.file.name,
    access: tool.file.access ?? null,
    method,
    host,
    args: call.args,
    capability: call.capability ?? null,
    operation: call.operation ?? null,
    secret_names: [...new Set(secretsOf(tool.file).map(({ name }) => name))].sort(),
    inner_digest: known?.digest ?? null,
    // What nobody could say of a server's tool is not said to be harmless.
    may_destroy: known?.mayDestroy ?? isServersCall(tool, call),
  };
}

function isServersCall({ kind }: Tool, { args }: ToolCall): boolean {
  return kind === "mcp" && args.action !== "list";
}

/** A refusal of one call of a chain, which says of which. */
export function inCall(
  n: number,
  { refusal }: { readonly refusal: Refusal },
): { readonly ok: false; readonly refusal: Refusal } {
  return {
    ok: false,
    refusal: {
      ...refusal,
      detail: `Call ${n} of the chain: ${refusal.detail ?? "it is refused."}`,
      ...(refusal.problems === undefined
        ? {}
        : { problems: refusal.problems.map((line) => `calls[${n}].${line}`) }),
    },
  };
}
