/** The way back from one task to all of them. */

import { Go } from "../../shell/go.tsx";
import { Icon } from "../../ui/icon.tsx";

export function BackToTasks() {
  return (
    <Go to="/tasks" className="back">
      <Icon name="back" size={16} /> All tasks
    </Go>
  );
}
