/** One admitted call: it runs where it runs at once, and is proposed where it waits for a person. */

import { decideCall } from "../connectors.ts";
import type { JsonObject } from "../definition/json.ts";
import type { JudgedCall } from "../gate/judge-call.ts";
import { ok, type Result } from "../outcome/result.ts";
import { findNamedInner } from "./approved-inner.ts";
import { type Asked, callTool } from "./call-tool.ts";
import type { KnownInner } from "./draft-approval.ts";
import { propose, type ProposeMeans } from "./propose.ts";

/**
 * The answer of a call that runs, or of one that waits (`ran: false`): what is approved later is exactly this. A kept read
 * is looked for and never proposed. What is refused has its log row, as every call has.
 */
export async function useTool(means: ProposeMeans, asked: Asked): Promise<Result<JsonObject>> {
  const { principal, tool, call, caller, occasion } = asked;
  if (asked.fromKept !== null) return await callTool(means, asked);
  const decided = await decideAsked(means, asked);
  if (!decided.ok) return await callTool(means, { ...asked, refused: decided.refusal });
  const { judged, known } = decided.value;
  if (judged.effect.does === "runs") {
    // What a server says may be another thing by the time it is called: that is decided once more then.
    return await callTool(means, tool.kind === "mcp" ? asked : { ...asked, decided: judged });
  }
  return await propose(means, {
    principal,
    caller,
    wanted: [{ tool, call, known }],
    isChain: false,
    occasion,
  });
}

/** Whether the call waits; of an mcp tool by what its server says, which is asked here where that is not known. */
async function decideAsked(
  means: ProposeMeans,
  { principal, tool, sealed, call, caller, decided, occasion }: Asked,
): Promise<Result<{ judged: JudgedCall; known: KnownInner | null }>> {
  if (tool.kind !== "mcp") {
    const judged = decided === null ? decideCall({ tool, call, caller }) : ok(decided);
    return judged.ok ? ok({ judged: judged.value, known: null }) : judged;
  }
  const byFile = decideCall({ tool, call, caller });
  if (!byFile.ok) return byFile;
  const found = await findNamedInner(means, {
    workspaceId: principal.workspace.id,
    tool,
    sealed,
    call,
    occasion,
    anew: false,
    checksArguments: true,
  });
  if (!found.ok) return found;
  if (found.value === null) return ok({ judged: byFile.value, known: null });
  const judged = decideCall({ tool, call, caller, inner: found.value.inner });
  return judged.ok ? ok({ judged: judged.value, known: found.value }) : judged;
}
