/** Who is on the workspace, which keys and programs act for them, and what the workspace is set to. */

import { useSearch } from "wouter";
import { useGo } from "../shell/go.tsx";
import { Page } from "../ui/page.tsx";
import { type TabPart, Tabs } from "../ui/tabs.tsx";
import { Keys } from "./keys.tsx";
import { Members } from "./members.tsx";
import { Programs } from "./programs.tsx";
import { WorkspaceSettings } from "./workspace-settings.tsx";
import "./people.css";

const PARTS: readonly TabPart[] = [
  { id: "people", name: "People", content: <Members /> },
  { id: "keys", name: "Keys", content: <Keys /> },
  { id: "programs", name: "Programs", content: <Programs /> },
  { id: "settings", name: "Settings", content: <WorkspaceSettings /> },
];

export default function PeoplePage() {
  const asked = new URLSearchParams(useSearch()).get("tab");
  const go = useGo();
  const part = PARTS.find(({ id }) => id === asked) ?? PARTS[0]!;
  return (
    <Page title="People and keys">
      <Tabs
        label="People and keys"
        parts={PARTS}
        chosen={part.id}
        onChoose={(id) => go(id === PARTS[0]!.id ? "/people" : `/people?tab=${id}`)}
      />
    </Page>
  );
}
