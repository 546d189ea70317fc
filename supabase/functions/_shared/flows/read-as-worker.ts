/** A read that no person asked for by itself: the check of what follows a write, and what an approval shows of now. */

import { decideCall, executeDeclaredCapability } from "../connectors.ts";
import type { ToolCall } from "../definition/call.ts";
import type { InnerTool } from "../gate/effect.ts";
import { ok, type Result } from "../outcome/result.ts";
import { type Leaving, leavingOf } from "../results/leaving.ts";
import type { CallMeans } from "./call-tool.ts";
import { askForCall, type Asking } from "./inner-tools.ts";

/** What such a read answered. */
export interface WorkerRead {
  /** All that leaves of the answer. */
  readonly leaving: Leaving;
  readonly answersWith: string;
}

/** The most a server can say for one of its tools: what waits all the same always waits. */
export const READS_ONLY: InnerTool = { readOnlyHint: true, quarantined: false };

/**
 * Runs `call` as a worker's step: what would wait for a person is refused and not sent. Of an mcp tool that is whatever its
 * server does not say only reads, or what nobody has looked at yet; the server is asked where that is not known,
 * but not about a call that its file alone makes wait.
 *
 * Keeps and logs nothing: whoever reads says what it read for.
 */
export async function readAsWorker(
  means: CallMeans,
  asking: Required<Asking> & { readonly call: ToolCall },
): Promise<Result<WorkerRead>> {
  const { tool, call } = asking;
  const decided = decideCall({ tool, call, caller: "worker", inner: READS_ONLY });
  if (!decided.ok) return decided;
  const isOfServer = tool.kind === "mcp";
  const server = isOfServer ? await askForCall(means, asking) : ok({});
  if (!server.ok) return server;
  const { answered } = await executeDeclaredCapability({
    ...means,
    ...server.value,
    ...asking,
    caller: "worker",
    decided: isOfServer ? null : decided.value,
  });
  if (!answered.ok) return answered;
  const { value, answersWith } = answered.value;
  return ok({ leaving: leavingOf(tool.file, { call, answer: value }), answersWith });
}
