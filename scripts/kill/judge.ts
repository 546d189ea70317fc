/** What has to hold of approvals, whatever died. Pure. */

import type { Received } from "./other-system.ts";

/** An approval as the database has it in the end, with all that was written about it. */
export interface ApprovalRow {
  readonly id: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly calls: readonly { readonly n: number; readonly status: string; readonly detail: string | null }[];
  /** Log rows of a decision. */
  readonly decisions: number;
  /** Log rows of calls, by call. */
  readonly called: Readonly<Record<string, number>>;
  /** Every change of status, in order; `n` null for the approval itself. */
  readonly changes: readonly { readonly n: number | null; readonly was: string; readonly is: string }[];
}

/** What people were told, in order. */
export interface Told {
  readonly decision: "approve" | "reject";
  /** The status in the answer; null where it was refused or no answer came. */
  readonly status: string | null;
}

const APPROVAL_CHANGES = new Set([
  "awaiting_approval>running",
  "awaiting_approval>rejected",
  "running>applied",
  "running>failed",
  "running>unknown",
  "unknown>applied",
  "unknown>failed",
]);
const CALL_CHANGES = new Set([
  "waiting>running",
  "waiting>not_sent",
  "running>applied",
  "running>failed",
  "running>unknown",
  "unknown>applied",
  "unknown>failed",
]);
const NOT_DECIDED = new Set(["awaiting_approval", "expired", "superseded"]);
const TOOK = (status: number | null) => status !== null && status >= 200 && status <= 299;
const REFUSED = (status: number | null) =>
  status !== null && status >= 300 && status <= 499 && status !== 408;

/** What does not hold of one approval, in words. `received` is what the other system has under its keys. */
export function judgeApproval(
  approval: ApprovalRow,
  { received, told }: { received: ReadonlyMap<string, Received>; told: readonly Told[] },
): string[] {
  const found: string[] = [];
  const say = (text: string) => found.push(`${approval.id} (${approval.status}): ${text}`);
  const got = approval.calls.map(({ n }) => received.get(`${approval.id}.${n}`));

  for (const { n, status, detail } of approval.calls) {
    const { count = 0, answered = null } = got[n] ?? {};
    if (count > 1) say(`call ${n} was received ${count} times`);
    switch (status) {
      case "applied":
        if (count === 0 || !TOOK(answered)) {
          say(`call ${n} is applied; received ${count} times, answered ${answered}`);
        }
        break;
      case "failed":
        if (count > 0 && !REFUSED(answered)) say(`call ${n} failed, received and answered ${answered}`);
        if (count > 0 && /nothing was sent/i.test(detail ?? "")) say(`call ${n} was received: ${detail}`);
        break;
      case "unknown":
        break;
      case "waiting":
      case "not_sent":
        if (count > 0) say(`call ${n} is ${status} and was received`);
        break;
      default:
        say(`call ${n} is ${status}`);
    }
    if (count > 0 && got.slice(0, n).some((before) => !TOOK(before?.answered ?? null))) {
      say(`call ${n} was sent after one that did not land`);
    }
    const rows = approval.called[n] ?? 0;
    const lateTruths = approval.changes.filter((change) => change.n === n && change.was === "unknown").length;
    const ended = status === "waiting" || status === "not_sent" ? 0 : 1 + lateTruths;
    if (rows !== ended) say(`call ${n} is ${status} and has ${rows} log rows, wanted ${ended}`);
  }

  const isDecided = !NOT_DECIDED.has(approval.status);
  if (approval.decisions !== (isDecided ? 1 : 0)) say(`${approval.decisions} log rows of a decision`);
  for (const { n, was, is } of approval.changes) {
    if (!(n === null ? APPROVAL_CHANGES : CALL_CHANGES).has(`${was}>${is}`)) {
      say(`${n === null ? "it" : `call ${n}`} went from ${was} to ${is}`);
    }
  }
  const wanted = endOf(approval);
  if (wanted !== null && approval.status !== wanted) {
    say(`its calls are ${approval.calls.map(({ status }) => status)}: wanted ${wanted}`);
  }
  if (isDecided && !approval.outcome) say("it does not say how it ended");
  for (const { status } of told) {
    if (status === null || status === approval.status || status === "running") continue;
    if (status !== "unknown" || NOT_DECIDED.has(approval.status)) say(`somebody was told it is ${status}`);
  }
  return found;
}

/** What an approval is by its calls; null while nobody sent any of them. */
function endOf({ calls }: ApprovalRow): string | null {
  const statuses = calls.map(({ status }) => status);
  if (statuses.every((status) => status === "waiting" || status === "not_sent")) return null;
  if (statuses.includes("running") || statuses.includes("waiting")) return "running";
  if (statuses.includes("unknown")) return "unknown";
  return statuses.every((status) => status === "applied") ? "applied" : "failed";
}
