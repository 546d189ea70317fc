/** The audit line of one call: what was asked of which tool and how it ended, and nothing of the answer. Pure. */

import type { ToolCall } from "../definition/call.ts";

/** How one call of a tool ended, for its audit line. */
export interface Audit {
  readonly connector: string;
  readonly mode: "live" | "fixture";
  readonly ok: boolean;
  readonly truncated: boolean;
}

/**
 * The audit line of one call, which holds nothing of its answer. What the caller named is written only when it is a
 * plain name, so that no call writes into the line; `-` stands for what is absent or is no name.
 */
export function formatAudit(
  audit: Audit,
  { capability, operation }: Pick<ToolCall, "capability" | "operation">,
): string {
  return [
    `connector=${plainName(audit.connector)}`,
    `capability=${plainName(capability)}`,
    `operation=${plainName(operation)}`,
    `mode=${audit.mode}`,
    `ok=${audit.ok}`,
    `truncated=${audit.truncated}`,
  ].join(" ");
}

function plainName(name: string | undefined): string {
  return name !== undefined && /^[a-z0-9_.]{1,80}$/i.test(name) ? name : "-";
}
