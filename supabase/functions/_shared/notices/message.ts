/** What a webhook is told: that something waits, how much, and where people look at it. Pure. */

/** What can be told of. */
export type NoticeKind = "approval_waiting" | "follow_ups_waiting";

/** What a message of each kind is called, and the page of the console it leads to. */
const MESSAGES = {
  approval_waiting: { type: "approvals.waiting", page: "tasks" },
  follow_ups_waiting: { type: "follow_ups.waiting", page: "catch-up" },
} as const satisfies Record<NoticeKind, { type: string; page: string }>;

/** One message, which speaks for all of a workspace's notices of one kind that were due together. */
export interface Message {
  readonly workspaceId: string;
  readonly kind: NoticeKind;
  /** When it was made: a retry says the same. */
  readonly madeAt: Date;
  /** How many approvals, or writes that are followed up, wait. */
  readonly count: number;
}

/**
 * The body of a message, in the shape of Standard Webhooks. It holds no argument, no result, no name and no text that
 * anybody wrote: whoever reads it learns that something waits, and signs in to learn what.
 */
export function messageBody(
  { workspaceId, kind, madeAt, count }: Message,
  { consoleUrl }: { consoleUrl: string },
): string {
  const { type, page } = MESSAGES[kind];
  const review_url = `${consoleUrl}/${page}?workspace_id=${workspaceId}`;
  return JSON.stringify({
    type,
    timestamp: madeAt.toISOString(),
    data: { workspace_id: workspaceId, count, review_url },
  });
}
