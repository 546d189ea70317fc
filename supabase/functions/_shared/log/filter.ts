/** What of a workspace's log is asked for. Pure. */

import type { LogEvent } from "./event.ts";
import type { Reason } from "../outcome/reason.ts";

/** Every condition given has to hold; null asks for nothing. */
export interface LogFilter {
  /** The slug that was named, of a tool that exists or not. */
  readonly tool: string | null;
  /** Who it was: one of them by id, or all of a kind. */
  readonly principal: { readonly id: string } | { readonly kind: LogEvent["principal"]["kind"] } | null;
  /** How it ended; `not_ok` is every reason. */
  readonly outcome: "ok" | "not_ok" | Reason | null;
  /** From this instant on. */
  readonly since: Date | null;
  /** Before this instant. */
  readonly until: Date | null;
}
