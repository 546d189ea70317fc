/** JSON as people read it: indented, and with what hides in it made visible. */

import { linesOf } from "./json-lines.ts";

const MOST_LINES = 5_000;

export function JsonText({ label, value }: { label: string; value: unknown }) {
  const lines = linesOf(value);
  const left = lines.length - MOST_LINES;
  return (
    <pre className="json-text" role="region" aria-label={label} tabIndex={0}>
      {lines.slice(0, MOST_LINES).join("\n")}
      {left > 0 && `\n… and ${left} more lines`}
    </pre>
  );
}
