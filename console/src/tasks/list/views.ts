/** What the list of tasks can be narrowed to, as it stands in the address. Pure. */

import type { ApprovalStatus } from "../../api/approvals.ts";

export const VIEWS = ["waiting", "look", "decided", "all"] as const;

export type View = (typeof VIEWS)[number];

interface ViewRow {
  readonly name: string;
  /** What it holds; null for every approval. */
  readonly statuses: readonly ApprovalStatus[] | null;
  /** How often it is looked at again: what is over changes no more. */
  readonly everyMs: number;
}

export const VIEW_ROWS: Readonly<Record<View, ViewRow>> = {
  waiting: { name: "Waiting", statuses: ["awaiting_approval"], everyMs: 3_000 },
  look: { name: "Need a look", statuses: ["unknown", "running"], everyMs: 4_000 },
  decided: {
    name: "Decided",
    statuses: ["applied", "failed", "rejected", "expired", "superseded"],
    everyMs: 15_000,
  },
  all: { name: "All", statuses: null, everyMs: 5_000 },
};

/** The view that an address names; what waits where it names none. */
export function viewOf(search: string): View {
  const named = new URLSearchParams(search).get("show");
  return VIEWS.find((view) => view === named) ?? "waiting";
}

export function addressOf(view: View): string {
  return view === "waiting" ? "/tasks" : `/tasks?show=${view}`;
}

export function isInView(view: View, status: ApprovalStatus): boolean {
  const { statuses } = VIEW_ROWS[view];
  return statuses === null || statuses.includes(status);
}
