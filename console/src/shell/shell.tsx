/** The frame around every page: where one can go, on which workspace, and as whom. */

import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { Icon, type IconName, Mark } from "../ui/icon.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Go } from "./go.tsx";
import { WaitingCount } from "./waiting-count.tsx";
import { WorkspaceSwitch } from "./workspace-switch.tsx";
import "./shell.css";

const PLACES: readonly { path: string; icon: IconName; name: string; short?: string }[] = [
  { path: "/tasks", icon: "tasks", name: "Tasks" },
  { path: "/connections", icon: "connections", name: "Connections" },
  { path: "/log", icon: "log", name: "Log" },
  { path: "/catch-up", icon: "catch-up", name: "Catch up" },
  { path: "/people", icon: "people", name: "People and keys", short: "People" },
];

export function Shell({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  return (
    <div className="shell">
      <a className="skip" href="#content">Go to the page</a>
      <header className="shell-head">
        <span className="shell-mark">
          <Mark /> <span className="shell-name">Framed</span>
        </span>
        <WorkspaceSwitch />
        <AccountMenu />
      </header>
      <nav className="shell-nav" aria-label="Console">
        {PLACES.map(({ path, icon, name, short = name }) => {
          const isHere = location === path || location.startsWith(`${path}/`);
          return (
            <Go key={path} to={path} className="shell-place" aria-current={isHere ? "page" : undefined}>
              <Icon name={icon} size={20} />
              <span className="shell-long">{name}</span>
              <span className="shell-short">{short}</span>
              {path === "/tasks" && <WaitingCount />}
            </Go>
          );
        })}
      </nav>
      <main id="content" className="shell-content" tabIndex={-1}>{children}</main>
    </div>
  );
}
