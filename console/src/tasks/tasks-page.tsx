/** What programs ask for and a person decides: the list, newest first. */

import { useSearch } from "wouter";
import { WaitingElsewhere } from "../shell/waiting-count.tsx";
import { Page } from "../ui/page.tsx";
import { TaskList } from "./list/task-list.tsx";
import { ViewTabs } from "./list/view-tabs.tsx";
import { viewOf } from "./list/views.ts";

export default function TasksPage() {
  const view = viewOf(useSearch());
  return (
    <Page title="Tasks" lead="What changes something waits here until a person has looked at it.">
      <WaitingElsewhere />
      <ViewTabs view={view} />
      <TaskList key={view} view={view} />
    </Page>
  );
}
