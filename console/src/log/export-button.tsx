/** Saves the rows that the filters let through as a file, a row a line. */

import { useState } from "react";
import { type LogFilter, useLogExport } from "../api/log.ts";
import { saveFile } from "../ui/save-file.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProblemNotice } from "../ui/notice.tsx";

export function ExportButton({ workspaceId, filter }: { workspaceId: string; filter: LogFilter }) {
  const readAll = useLogExport(workspaceId, filter);
  const [bytes, setBytes] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);

  async function save() {
    setError(null);
    setBytes(0);
    try {
      saveFile(await readAll(setBytes), `framed-log-${new Date().toISOString().slice(0, 10)}.ndjson`);
    } catch (caught) {
      setError(caught);
    }
    setBytes(null);
  }

  return (
    <div className="stack-tight">
      <Button onClick={save} isBusy={bytes !== null}>
        <Icon name="download" />
        {bytes === null ? "Export" : `Exporting: ${(bytes / 1_000_000).toFixed(1)} MB`}
      </Button>
      {error !== null && <ProblemNotice error={error} />}
    </div>
  );
}
