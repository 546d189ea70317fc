/** Approve or reject, always at hand below what is shown; or who can, for somebody who cannot. */

import { useState } from "react";
import { useSearch } from "wouter";
import type { Approval } from "../../api/approvals.ts";
import type { useDecide } from "../../api/approvals.ts";
import { Button } from "../../ui/button.tsx";
import { useFirstMoment } from "../../ui/first-moment.ts";
import { mayReject, whyNot } from "./deciding.ts";
import { RejectDialog } from "./reject-dialog.tsx";
import "./decide-bar.css";

export function DecideBar(
  { approval, decide }: { approval: Approval; decide: ReturnType<typeof useDecide> },
) {
  const [isRejecting, setRejecting] = useState(false);
  // The fresh one comes by itself where another was pressed, and its button stands where that one's did.
  const isNew = useFirstMoment(approval.digest, new URLSearchParams(useSearch()).has("instead_of"));
  const { id, digest, calls, waits_for } = approval;
  const isApproving = decide.isPending && decide.variables.decision === "approve";
  const others = whyNot(approval);
  if (!mayReject(approval)) {
    return (
      <div className="decide">
        <p>{others}</p>
      </div>
    );
  }
  const lacksValues = waits_for.length > 0;
  return (
    <div className="decide" role="group" aria-label="Decide">
      <p className="decide-words" aria-live="polite">
        {isApproving
          ? `It is approved and being sent to ${hostsOf(calls)}. This takes as long as the answer does.`
          : others !== null
          ? others
          : lacksValues
          ? `It can be approved once ${waits_for.join(", ")} ${
            waits_for.length === 1 ? "has a value" : "have values"
          }.`
          : calls.length === 1
          ? "Nothing has been sent. Approved, exactly what is shown here is sent, once."
          : `Nothing has been sent. Approved, these ${calls.length} calls are sent in this order, each once.`}
      </p>
      <div className="row decide-buttons">
        <Button variant="danger" disabled={isApproving} onClick={() => setRejecting(true)}>Reject</Button>
        {others === null && (
          <Button
            variant="primary"
            isBusy={isApproving}
            disabled={lacksValues || isNew}
            onClick={() => decide.mutate({ id, decision: "approve", digest })}
          >
            {isApproving ? "Sending" : "Approve"}
          </Button>
        )}
      </div>
      <RejectDialog
        title={calls.length === 1 ? "Reject this call?" : `Reject these ${calls.length} calls?`}
        isOpen={isRejecting}
        onReject={(reason) =>
          decide.mutateAsync({ id, decision: "reject", digest, ...(reason === "" ? {} : { reason }) })
            .then(() => null)}
        onClose={() => setRejecting(false)}
      />
    </div>
  );
}

function hostsOf(calls: Approval["calls"]): string {
  const hosts = [...new Set(calls.flatMap(({ card, host }) => card?.host ?? host ?? []))];
  return hosts.length === 0 ? "the tool" : hosts.join(", ");
}
