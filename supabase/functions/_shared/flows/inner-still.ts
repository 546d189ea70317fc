/** Whether the tools of outside servers that an approval is bound to are still what people saw. */

import type { Approval } from "../approvals/approval.ts";
import type { OpenedTool } from "../approvals/store.ts";
import { ok, type Result } from "../outcome/result.ts";
import { ASK_AGAIN_MS, findNamedInner } from "./approved-inner.ts";
import type { CallMeans } from "./call-tool.ts";
import type { FoundInner } from "./inner-tools.ts";
import type { Occasion } from "./occasion.ts";
import type { Renewal } from "./renew-approval.ts";
import { callOf } from "./stored-call.ts";

/**
 * Asks the servers of `approval` anew. Returns why it makes way, with `tools` for a fresh one, or null where all of them say
 * what they said. Refuses where one cannot be asked. Every tool of its calls has to be there.
 */
export async function findInnerChange(
  means: CallMeans,
  { approval, tools, occasion }: {
    approval: Approval;
    tools: Readonly<Record<string, OpenedTool>>;
    occasion: Occasion;
  },
): Promise<Result<Pick<Renewal, "because" | "tools" | "known"> | null>> {
  const known = new Map<number, FoundInner>();
  let changed: string | null = null;
  const untilMs = occasion.elapsedMs() + ASK_AGAIN_MS;
  // Also where none is bound yet: nobody could say then what is called.
  for (const stored of approval.calls) {
    const { tool, sealed } = tools[stored.connector_id]!;
    const found = await findNamedInner(means, {
      workspaceId: approval.workspace_id,
      tool,
      sealed,
      call: callOf(stored, stored.args),
      occasion,
      untilMs,
      anew: true,
      checksArguments: stored.from_calls.length === 0,
    });
    if (!found.ok) {
      if (found.refusal.reason !== "tool_changed") return found;
      return ok({ because: found.refusal.detail!, tools: null });
    }
    if (found.value === null) continue;
    known.set(stored.n, found.value);
    if (found.value.digest !== stored.inner_digest) {
      changed = `The tool of the server of ${stored.tool} changed since this was asked.`;
    }
  }
  return ok(changed === null ? null : { because: changed, tools, known });
}
