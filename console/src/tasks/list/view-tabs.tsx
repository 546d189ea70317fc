/** The ways to narrow the list, each an address of its own. */

import { Go } from "../../shell/go.tsx";
import { addressOf, type View, VIEW_ROWS, VIEWS } from "./views.ts";
import "./view-tabs.css";

export function ViewTabs({ view }: { view: View }) {
  return (
    <nav className="view-tabs" aria-label="Which tasks">
      {VIEWS.map((one) => (
        <Go key={one} to={addressOf(one)} aria-current={one === view ? "page" : undefined}>
          {VIEW_ROWS[one].name}
        </Go>
      ))}
    </nav>
  );
}
