/** The names of secrets without a value, and where they are pasted. */

import type { Approval } from "../../api/approvals.ts";
import { Go } from "../../shell/go.tsx";
import { MarkedText } from "./marked.tsx";

export function SecretsWanted({ approval: { waits_for, calls } }: { approval: Approval }) {
  const tools = [...new Map(calls.map((call) => [call.tool, call.tool_name])).entries()];
  return (
    <>
      <ul className="plain">
        {waits_for.map((name) => (
          <li key={name}>
            <code>
              <MarkedText>{name}</MarkedText>
            </code>
          </li>
        ))}
      </ul>
      <p className="small">
        {tools.length === 1 ? "It is pasted under " : "They are pasted under "}
        {tools.map(([tool, name], index) => (
          <span key={tool}>
            {index > 0 && ", "}
            <Go to={`/connections/${encodeURIComponent(tool)}`}>
              <MarkedText>{name}</MarkedText>
            </Go>
          </span>
        ))}
        .
      </p>
    </>
  );
}
