/** What the page has to say: an answer in words, and what was refused with what to do about it. */

import type { ReactNode } from "react";
import { Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Said } from "./said.tsx";
import "./notice.css";

export type Tone = "info" | "good" | "warn" | "bad" | "plain";

const ICONS: Record<Tone, IconName> = {
  info: "info",
  good: "check",
  warn: "warn",
  bad: "warn",
  plain: "info",
};

/** Read out when it appears: at once where something is wrong, else when there is a pause. */
export function Notice({ tone, title, children }: { tone: Tone; title?: ReactNode; children?: ReactNode }) {
  return (
    <div className={`notice notice-${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon name={ICONS[tone]} />
      <div className="stack-tight">
        {title && <p className="notice-title">{title}</p>}
        {typeof children === "string" ? <p>{children}</p> : children}
      </div>
    </div>
  );
}

/** What went wrong, in the API's own words, which may repeat a stranger's. `onRetry` offers to try again. */
export function ProblemNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = error instanceof Problem ? error : null;
  return (
    <Notice tone="bad" title={problem?.title ?? "Something on this page went wrong"}>
      {problem?.detail && (
        <p>
          <Said>{problem.detail}</Said>
        </p>
      )}
      {problem?.hint && (
        <p>
          <Said>{problem.hint}</Said>
        </p>
      )}
      {problem !== null && problem.problems.length > 0 && (
        <ul>
          {problem.problems.map((line, index) => (
            <li key={index}>
              <Said>{line}</Said>
            </li>
          ))}
        </ul>
      )}
      {problem?.requestId && (
        <p className="small muted">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {onRetry && (
        <p>
          <Button onClick={onRetry}>Try again</Button>
        </p>
      )}
    </Notice>
  );
}
