/** One call from what its request presented to its answer, for every surface that takes calls. */

import type { Definitions, SeenDefinition } from "../calls/definitions.ts";
import type { JsonObject } from "../definition/json.ts";
import { hostOfTool } from "../definition/tool-secrets.ts";
import type { Limits } from "../limits/limits.ts";
import { refusalForHost } from "../outcome/host-refusal.ts";
import { ok, type Result } from "../outcome/result.ts";
import { admitCall, type Approach } from "./admit-call.ts";
import { callTool } from "./call-tool.ts";
import type { ProposeMeans } from "./propose.ts";
import { useTool } from "./use-tool.ts";

/** What calls are answered with. */
export interface AnswerMeans extends ProposeMeans {
  readonly limits: Limits;
  readonly definitions: Definitions;
}

/** How the caller waits for the answer, and who reads it. */
export interface Awaited {
  /** Aborts when nobody waits any more: what is under way is then cut off, and the row says so. */
  readonly signal?: AbortSignal;
  /** Told once the call is let in, before anything of it is done. */
  readonly onAdmitted?: () => void;
  /** A host reads the answer, so it tells nothing of how the tool works. It does for whoever presents a Connect token. */
  readonly toHost?: boolean;
  /** What would wait is refused, and proposed to nobody. */
  readonly onlyReads?: boolean;
}

/** Admits the call, and runs it or proposes it, on two round trips to the store. Null where nobody stands behind what was presented. */
export async function answerCall(
  means: AnswerMeans,
  { signal, onAdmitted, toHost = false, onlyReads = false, ...approach }: Approach & Awaited,
): Promise<Result<JsonObject> | null> {
  const { presented } = approach;
  const tell = (answered: Result<JsonObject>, tool: Pick<SeenDefinition, "file"> | null) =>
    toHost || "token_hash" in presented ? answerForHost(answered, tool) : answered;
  const admitted = await admitCall(means, approach);
  if (admitted === null) return null;
  if (!admitted.ok) {
    const { workspaceId, slug } = approach;
    return tell(
      admitted,
      workspaceId === null ? null : means.definitions.find({ workspaceId, slug, presented }),
    );
  }
  onAdmitted?.();
  const asked = { ...admitted.value, ...(signal === undefined ? {} : { signal }) };
  const answered = onlyReads ? await callTool(means, asked) : await useTool(means, asked);
  return tell(answered, asked.tool);
}

/** The names of what a call waits for are a count to a host, and stand in no refusal. */
function answerForHost(
  answered: Result<JsonObject>,
  tool: Pick<SeenDefinition, "file"> | null,
): Result<JsonObject> {
  if (!answered.ok) {
    const host = tool === null ? null : hostOfTool(tool.file);
    return { ok: false, refusal: refusalForHost(answered.refusal, { host }) };
  }
  const { waits_for: waitsFor } = answered.value;
  return Array.isArray(waitsFor) ? ok({ ...answered.value, waits_for: waitsFor.length }) : answered;
}
