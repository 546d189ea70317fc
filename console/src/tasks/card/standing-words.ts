/** The states of an approval and of a call in words, with the tone each is shown in. Pure. */

import type { ApprovalStatus, CallStatus } from "../../api/approvals.ts";
import type { Tone } from "../../ui/notice.tsx";

interface InWords {
  readonly words: string;
  readonly tone: Tone;
}

export const APPROVAL_WORDS: Readonly<Record<ApprovalStatus, InWords>> = {
  awaiting_approval: { words: "Waits for a decision", tone: "info" },
  running: { words: "Being sent", tone: "info" },
  applied: { words: "Done", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
  unknown: { words: "Unknown: needs a look", tone: "warn" },
  rejected: { words: "Rejected", tone: "plain" },
  expired: { words: "Expired", tone: "plain" },
  superseded: { words: "Changed since", tone: "plain" },
};

export const CALL_WORDS: Readonly<Record<CallStatus, InWords>> = {
  waiting: { words: "Not sent yet", tone: "plain" },
  running: { words: "Being sent", tone: "info" },
  applied: { words: "Sent and taken", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
  unknown: { words: "Unknown", tone: "warn" },
  not_sent: { words: "Not sent", tone: "plain" },
};
