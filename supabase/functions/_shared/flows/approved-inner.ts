/** The tool of an outside server that an approval is bound to: found when it is proposed, and again right before it is sent. */

import type { ApprovalCall } from "../approvals/approval.ts";
import type { ToolCall } from "../definition/call.ts";
import type { InnerTool } from "../gate/effect.ts";
import type { AskedServer } from "../kinds/mcp.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import type { SealedSecret } from "../secrets/vault.ts";
import type { Tool } from "../tools/tool.ts";
import type { CallMeans } from "./call-tool.ts";
import { askForCall, findInner, type FoundInner, noSuchTool } from "./inner-tools.ts";
import { meterEgress } from "./meter.ts";
import type { Occasion } from "./occasion.ts";

/** All that outside servers may take to say what they have, in milliseconds from the arrival of a request. */
const ASK_TIMEOUT_MS = 15_000;
/** All that they may take to say it again, where a decision or a fresh look waits for them. */
export const ASK_AGAIN_MS = 10_000;

/** Whose server is asked for the tool that a call names. */
export interface InnerAsked {
  readonly tool: Tool;
  readonly sealed: readonly SealedSecret[];
  readonly call: ToolCall;
}

/** How it is asked. */
interface InnerAsking {
  readonly timeLeftMs: () => number;
  readonly anew: boolean;
  readonly checksArguments: boolean;
}

/** What a call of an mcp tool is executed with beside it; nothing for every other kind. */
export interface SentWith {
  readonly inner?: InnerTool;
  readonly server?: AskedServer;
}

/**
 * The inner tool that a call of an mcp tool names, null for a list and for every other kind. With `anew` its server is asked
 * now. Arguments that are still to come are not held against its schema (`checksArguments`). Refuses `tool_changed` where the
 * server does not list it.
 *
 * Asks over a way out of the workspace's own, and has time until `untilMs` of the occasion.
 */
export async function findNamedInner(
  means: CallMeans,
  { workspaceId, occasion, untilMs = ASK_TIMEOUT_MS, ...asked }:
    & InnerAsked
    & Omit<InnerAsking, "timeLeftMs">
    & {
      workspaceId: string;
      occasion: Occasion;
      untilMs?: number;
    },
): Promise<Result<FoundInner | null>> {
  const way = meterEgress(means.egress, { workspaceId });
  const timeLeftMs = () => Math.max(1, untilMs - occasion.elapsedMs());
  try {
    return await findNamed({ ...means, egress: way.egress }, { ...asked, timeLeftMs });
  } finally {
    way.end();
  }
}

async function findNamed(
  means: CallMeans,
  { tool, sealed, call, timeLeftMs, anew, checksArguments }: InnerAsked & InnerAsking,
): Promise<Result<FoundInner | null>> {
  if (tool.kind !== "mcp" || call.args.action !== "call") return ok(null);
  const name = String(call.args.tool);
  const args = (call.args.arguments ?? {}) as ToolCall["args"];
  const found = await findInner(means, {
    tool,
    sealed,
    timeLeftMs,
    name,
    anew,
    ...(checksArguments ? { args } : {}),
  });
  if (!found.ok) return found;
  return found.value === null ? noSuchTool(tool) : ok(found.value);
}

/**
 * What the claimed call is executed with: its server asked anew, and the inner tool still the one that was approved. By the
 * call's own way out and time, which are what is left for sending it.
 */
export async function innerBeforeSending(
  means: CallMeans,
  asked: InnerAsked & Pick<InnerAsking, "timeLeftMs"> & { readonly stored: ApprovalCall },
): Promise<Result<SentWith>> {
  const { tool, call, sealed, timeLeftMs, stored } = asked;
  if (tool.kind !== "mcp") return ok({});
  if (call.args.action !== "call") return await askForCall(means, { tool, sealed, timeLeftMs, call });
  const found = await findNamed(means, { ...asked, anew: true, checksArguments: true });
  if (!found.ok) return found;
  if (found.value!.digest !== stored.inner_digest) {
    return refuse("tool_changed", {
      detail: "The server's tool is not the one that was approved any more. Nothing was sent.",
      hint: "Whoever asked can propose the call again.",
    });
  }
  return ok({ inner: found.value!.inner, server: found.value!.server });
}
