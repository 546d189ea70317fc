/** What is said where a request cannot be shown or decided. */

import { isRefusedFor } from "../api/problem.ts";
import { Notice, ProblemNotice } from "../ui/notice.tsx";

/** A request is one person's, and is decided once. */
export function ConsentProblem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (!isRefusedFor(error, "not_found")) {
    return <ProblemNotice error={error} {...(onRetry === undefined ? {} : { onRetry })} />;
  }
  return (
    <Notice tone="bad" title="There is no such request for you">
      It has been decided, is older than ten minutes, or is someone else's. Begin again in the program.
    </Notice>
  );
}
