/** What a file and a call say of capabilities, asked in one way by whoever asks. Pure, and light: lists of tools ask too. */

import type { Capability, FramedTool } from "./format.ts";
import type { JsonValue } from "./json.ts";

/** Denied whatever a file says: no capability declares them and no call may send them. */
export const WRITE_OPERATIONS: ReadonlySet<unknown> = new Set([
  "create",
  "update",
  "delete",
  "write",
  "patch",
]);

/** The capabilities `tool` declares; `undefined` for one that is called without. */
export function capabilitiesOf(tool: FramedTool): readonly Capability[] | undefined {
  return tool.kind === "mcp" ? undefined : tool.capabilities;
}

/** The capability of that id, if `tool` declares it. */
export function findCapability(tool: FramedTool, id: string | undefined): Capability | undefined {
  return capabilitiesOf(tool)?.find((capability) => capability.id === id);
}

/** Whether `id` says which one thing a `get` reads. */
export function isIdGiven(id: JsonValue | undefined): boolean {
  return id !== undefined && id !== null && id !== "";
}
