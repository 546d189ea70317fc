/** Says that rows have come since, and shows them when it is asked to: what is being read does not move by itself. */

import { type LogFilter, useNewestId } from "../api/log.ts";
import { Button } from "../ui/button.tsx";

export function NewerBar(
  { workspaceId, filter, shownId, onShow }: {
    workspaceId: string;
    filter: LogFilter;
    shownId: string;
    onShow: () => void;
  },
) {
  const { data: newest } = useNewestId(workspaceId, filter);
  const hasNewer = typeof newest === "string" && BigInt(newest) > BigInt(shownId);
  return (
    <div aria-live="polite">
      {hasNewer && (
        <Button
          onClick={() => {
            onShow();
            scrollTo({ top: 0 });
          }}
        >
          Show newer rows
        </Button>
      )}
    </div>
  );
}
