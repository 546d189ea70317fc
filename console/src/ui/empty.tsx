/** What stands where nothing is yet: why, and what to do next. */

import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import "./empty.css";

export function Empty(
  { icon, title, children, action }: {
    icon: IconName;
    title: ReactNode;
    children?: ReactNode;
    action?: ReactNode;
  },
) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children && <div className="muted stack-tight">{children}</div>}
      {action}
    </div>
  );
}
