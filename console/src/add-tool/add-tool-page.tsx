/** Adds a tool from its file, or replaces one: the file is written, checked and shown here, then put on the workspace. */

import { useState } from "react";
import { useSearch } from "wouter";
import { useTool } from "../api/tools.ts";
import { useSessionState } from "../session/session-context.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Bench } from "./bench.tsx";
import { readDraft } from "./draft.ts";
import { layOut } from "./lay-out.ts";
import "./add-tool.css";

export default function AddToolPage() {
  const asked = new URLSearchParams(useSearch());
  const replace = asked.get("replace");
  return replace === null
    ? <New />
    : <Replace key={replace} slug={replace} records={asked.get("record") === "1"} />;
}

function New() {
  const place = usePlace(null);
  const [draft] = useState(() => readDraft(place));
  return (
    <Page
      title="Add a tool"
      lead="A tool is one JSON file. Drop it anywhere on this page, paste it, or write it here."
    >
      <Bench place={place} standing="" draft={draft} records={false} />
    </Page>
  );
}

function Replace({ slug, records }: { slug: string; records: boolean }) {
  const { id } = useWorkspace();
  const { data, error, refetch } = useTool(id, slug);
  const place = usePlace(slug);
  const [draft] = useState(() => readDraft(place));
  // What is being written is not thrown away when the tool is looked at again.
  const [first, setFirst] = useState<typeof data>();
  if (data !== undefined && first === undefined) setFirst(data);
  return (
    <Page
      title="Replace a tool"
      lead="It begins with the file that stands. What is put in its place counts at once; values that were pasted stay."
    >
      {first !== undefined
        ? <Bench place={place} standing={layOut(first.tool)} draft={draft} records={records} />
        : error !== null
        ? <ProblemNotice error={error} onRetry={refetch} />
        : <Loading what="Reading the file that stands" />}
    </Page>
  );
}

function usePlace(slug: string | null) {
  const { person } = useSessionState();
  const { id: workspaceId } = useWorkspace();
  return { personId: person?.id ?? "", workspaceId, slug };
}
