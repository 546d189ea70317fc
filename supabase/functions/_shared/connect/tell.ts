/** A body of the API, or a refusal, as the result of a host tool: the very object, and words beside it. Pure. */

import type { ApprovalStatus } from "../approvals/state.ts";
import type { JsonObject } from "../definition/json.ts";
import { problemBody } from "../outcome/problem-body.ts";
import type { Reason } from "../outcome/reason.ts";
import { NOT_FOUND, type Refusal, type Result } from "../outcome/result.ts";
import type { HostToolName } from "./host-tools.ts";

/** What a host tool answers. */
export type HostResult = {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: JsonObject;
  readonly isError?: true;
};

/** `structuredContent` is the body that the same request gets over HTTP; the text says it again for who reads only that. */
export function tell(
  answered: Result<JsonObject>,
  { requestId, tool }: { requestId: string; tool: HostToolName },
): HostResult {
  return answered.ok
    ? tellBody({ ...answered.value, request_id: requestId })
    : tellRefusal(answered.refusal, { requestId, tool });
}

/** The audit line stands in front of what was answered, and so does what to do about a proposal. */
function tellBody(body: JsonObject): HostResult {
  const { audit, ran, approval_id: approvalId, digest, status } = body;
  const lines = [
    ...(typeof audit === "string" ? [audit] : []),
    ...(ran === false && typeof approvalId === "string" ? [waiting(approvalId)] : []),
    ...(typeof digest === "string" ? [WHAT_NOW[status as ApprovalStatus]] : []),
    JSON.stringify(body),
  ];
  return { content: [{ type: "text", text: lines.join("\n") }], structuredContent: body };
}

function waiting(approvalId: string): string {
  return `Nothing was sent: this waits for a person. Do not call again; ask with framed_approval {"approval_id":"${approvalId}"}, and tell the person where to review it: review_url.`;
}

/** What to make of where a proposal stands. */
const WHAT_NOW: Readonly<Record<ApprovalStatus, string>> = {
  awaiting_approval: "It waits for a person, and nothing was sent. Do not propose it again; ask again later.",
  running: "A person approved it and it is being sent. Ask again in a minute.",
  applied: "A person approved it, and the other system took it.",
  failed: "A person approved it, and it did not go through: the calls say why.",
  unknown:
    "A person approved it, and nobody can tell whether the other system took it. Do not propose it again before a person has looked there.",
  rejected: "A person rejected it: reject_reason says why. Do not propose the same again.",
  expired: "Nobody decided in time, and nothing was sent.",
  superseded:
    "It was put aside, and nothing was sent of it: superseded_by is the one that waits in its place, if any.",
};

function tellRefusal(
  refusal: Refusal,
  { requestId, tool }: { requestId: string; tool: HostToolName },
): HostResult {
  const problem = problemBody(refusal, requestId);
  const { problems, ...said } = problem;
  const { reason, title, detail } = said;
  // Of two that say what to do, the one that speaks to a model.
  const advice = adviceOn(refusal, tool) ?? refusal.hint;
  const wait = refusal.retryAfterSeconds;
  const lines = [
    `Refused (${reason}): ${title}.${detail === undefined ? "" : ` ${detail}`}`,
    ...(problems ?? []).map((line) => `- ${line}`),
    ...(advice === undefined ? [] : [advice]),
    ...(wait === undefined || advice?.includes(`${wait} s`) ? [] : [`Wait ${wait} s before the next call.`]),
    `request_id: ${requestId}`,
  ];
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    structuredContent: problems === undefined ? said : { ...said, problems: [...problems] },
    isError: true,
  };
}

function adviceOn({ reason, hint }: Refusal, tool: HostToolName): string | undefined {
  // Of what is missing in a way of its own the hint says more.
  return reason === "not_found" && hint !== NOT_FOUND.hint ? undefined : ADVICE[reason]?.(tool);
}

const FIND_TOOL =
  'framed_list of "tools" names what is there for you; what you may not see looks the same as what does not exist.';

/** What to do where `framed_read` is asked for what waits. */
export const PROPOSE =
  "framed_read never does what waits for a person. To propose it, call framed_tool once with the same arguments.";

/** What a model can do about a refusal, in its own tools, where the hint speaks to somebody else. */
const ADVICE: { readonly [R in Reason]?: (tool: HostToolName) => string } = {
  approval_required: (tool) =>
    tool === "framed_read"
      ? PROPOSE
      : "What waits for a person is never answered from what was kept. Leave kept out to propose it.",
  not_found: (tool) =>
    tool === "framed_read" || tool === "framed_tool"
      ? FIND_TOOL
      : tool === "framed_result"
      ? "Results are kept for a day, and until the tool or the read is replaced. Read again with framed_read for a new result_handle."
      : tool === "framed_approval"
      ? 'framed_list of "approvals" names those that are there for you.'
      : 'framed_list of "workspaces" names those within reach.',
  secret_missing: () =>
    "Calling again changes nothing: an administrator of the workspace has to paste or allow it under Connections first.",
  grant_missing: () =>
    "Calling again changes nothing: an administrator of the workspace has to give the person use_connectors first.",
};
