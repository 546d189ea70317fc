/** What stands above the cards wherever one is: how many there are, what came since, and what is selected. */

import { MAX_DECISIONS } from "../../api/approvals.ts";
import { Button } from "../../ui/button.tsx";
import "./list-bar.css";

export interface ListBarProps {
  /** In words: `12 wait`. */
  count: string;
  newCount: number;
  onShowNew: () => void;
  /** Null where there is nothing to select. */
  selection: {
    readonly selected: number;
    readonly selectable: number;
    readonly onAll: () => void;
    readonly onNone: () => void;
    readonly onApprove: () => void;
    readonly onReject: () => void;
  } | null;
}

export function ListBar({ count, newCount, onShowNew, selection }: ListBarProps) {
  const selected = selection?.selected ?? 0;
  const isAll = selection !== null && selected > 0 &&
    selected >= Math.min(selection.selectable, MAX_DECISIONS);
  return (
    <div className="list-bar">
      {selection !== null && (
        <label className="list-bar-all">
          <input
            type="checkbox"
            checked={isAll}
            ref={(box) => void (box && (box.indeterminate = selected > 0 && !isAll))}
            onChange={() => selected > 0 ? selection.onNone() : selection.onAll()}
          />
          <span>{selected > 0 ? `${selected} selected` : "Select all"}</span>
        </label>
      )}
      {selection !== null && selected > 0
        ? (
          <div className="row list-bar-answers">
            <Button variant="primary" onClick={selection.onApprove}>Approve {selected}</Button>
            <Button onClick={selection.onReject}>Reject {selected}</Button>
          </div>
        )
        : <p className="muted number list-bar-count">{count}</p>}
      {/* Its place is kept, so that nothing moves when something comes. */}
      <div className="list-bar-new">
        {newCount > 0 && (
          <Button variant="primary" onClick={onShowNew}>
            Show {newCount} new
          </Button>
        )}
      </div>
    </div>
  );
}
