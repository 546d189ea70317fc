/**
 * The states of an approval and of each of its calls, and what may become of what. Pure.
 * Who may move one, and the guarded statement that does, are the store's and the flows'.
 */

/** The states of an approval, in the order it may come through them. */
export const APPROVAL_STATUSES = [
  "awaiting_approval",
  "running",
  "applied",
  "failed",
  "unknown",
  "rejected",
  "expired",
  "superseded",
] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The states of one call of an approval. */
export const CALL_STATUSES = ["waiting", "running", "applied", "failed", "unknown", "not_sent"] as const;

export type CallStatus = (typeof CALL_STATUSES)[number];

/** What came of an approval that was sent. */
export type Outcome = Extract<ApprovalStatus, "applied" | "failed" | "unknown">;

/**
 * Nothing leads back to `awaiting_approval`: what has to be looked at again is a fresh approval. `running` becomes
 * `superseded` only while {@link isUntouched}: what was found right before the first write had changed.
 */
const APPROVAL_MOVES: Readonly<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  awaiting_approval: ["running", "rejected", "expired", "superseded"],
  running: ["applied", "failed", "unknown", "superseded"],
  applied: [],
  failed: [],
  unknown: ["applied", "failed"],
  rejected: [],
  expired: [],
  superseded: [],
};

/**
 * Nothing leads back to `waiting`, so no call is sent twice. A waiting call fails without having run when what comes
 * into it from an earlier one does not fit; an unknown one is settled by a person or a check.
 */
const CALL_MOVES: Readonly<Record<CallStatus, readonly CallStatus[]>> = {
  waiting: ["running", "failed", "not_sent"],
  running: ["applied", "failed", "unknown"],
  applied: [],
  failed: [],
  unknown: ["applied", "failed"],
  not_sent: [],
};

/** Whether an approval in state `from` may come to be in state `to`; never from a state to itself. */
export function canMove(from: ApprovalStatus, to: ApprovalStatus): boolean {
  return APPROVAL_MOVES[from].includes(to);
}

/** Whether a call in state `from` may come to be in state `to`; never from a state to itself. */
export function canMoveCall(from: CallStatus, to: CallStatus): boolean {
  return CALL_MOVES[from].includes(to);
}

/** Whether nothing becomes of an approval in this state any more. `unknown` is not over: it may be settled. */
export function isOver(status: ApprovalStatus): boolean {
  return APPROVAL_MOVES[status].length === 0;
}

/** Whether no call has been begun, so that nothing can have left. */
export function isUntouched(calls: readonly CallStatus[]): boolean {
  return calls.every((status) => status === "waiting");
}

/**
 * What an approval that was approved is, by its calls: `unknown` when one is, else `failed` when one is, `applied`
 * when all are, else still `running`. A call that was never sent behind one that was settled as applied makes it
 * `failed`: not all that was approved came to be.
 */
export function outcomeOf(calls: readonly CallStatus[]): Outcome | "running" {
  if (calls.length === 0) throw new RangeError("an approval has at least one call");
  if (calls.includes("unknown")) return "unknown";
  if (calls.includes("failed")) return "failed";
  if (calls.every((status) => status === "applied")) return "applied";
  return calls.includes("not_sent") ? "failed" : "running";
}

/**
 * Which call is to be sent next, from 0: the first that is not applied, if it still waits. `null` when it runs, failed
 * or is unknown, and when all are applied: nothing is sent past a call that did not land.
 */
export function nextCall(calls: readonly CallStatus[]): number | null {
  const next = calls.findIndex((status) => status !== "applied");
  return next >= 0 && calls[next] === "waiting" ? next : null;
}
