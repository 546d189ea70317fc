/** Whether the rows shown are what was sealed, as this browser finds by its own reckoning. */

import { useMemo } from "react";
import type { LogRow } from "../api/log.ts";
import { Badge } from "../ui/badge.tsx";
import { checkChain } from "./chain-check.ts";

export function SealState({ rows, isWhole }: { rows: readonly LogRow[]; isWhole: boolean }) {
  const { sealed, unsealed, broken } = useMemo(() => checkChain(rows, { isWhole }), [rows, isWhole]);
  if (broken !== null) {
    return (
      <div className="row" role="alert">
        <Badge tone="bad">Not as sealed</Badge>
        <span className="small">
          Row {broken}{" "}
          is not what was sealed{isWhole ? ", or a row below it is missing" : ""}. Ask whoever runs the stack
          to verify the log.
        </span>
      </div>
    );
  }
  return (
    <div className="row">
      <Badge tone={sealed > 0 ? "good" : "plain"}>{sealed > 0 ? "As sealed" : "Not sealed yet"}</Badge>
      <span className="small muted">
        {sealed > 0 && (isWhole
          ? `The ${sealed} sealed rows shown are unchanged and follow each other. `
          : `Each of the ${sealed} sealed rows shown is unchanged. `)}
        {unsealed > 0 && `${unsealed} ${unsealed === 1 ? "is" : "are"} sealed within a minute or two.`}
      </span>
    </div>
  );
}
