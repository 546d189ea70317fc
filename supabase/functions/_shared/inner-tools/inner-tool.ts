/** The tools inside an outside MCP server: what it tells of one, what was accepted of it, and what that makes of it. Pure. */

import type { JsonObject } from "../definition/json.ts";
import type { InnerTool } from "../gate/effect.ts";

/** What an outside server tells of one of its tools. It is data: nothing of it is believed but what the gate reads. */
export interface ToldTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly annotations: JsonObject;
}

/** Which generation of the protocol a server speaks: without a handshake (2026-07-28), or with one (2025 and before). */
export type Era = "modern" | "legacy";

/** What a server answered when it was asked for its tools. */
export interface ServerList {
  readonly era: Era;
  readonly tools: readonly ToldTool[];
}

/** What was last accepted of a tool: as it stood in the first list, or as an administrator accepted it. */
export interface AcceptedTool {
  /** `digestOf` what was told. */
  readonly digest: string;
  readonly told: ToldTool;
}

/** A tool that its server lists. */
export interface KnownTool {
  readonly told: ToldTool;
  /** `digestOf(told)`. */
  readonly digest: string;
  /** Null for one that appeared after the first list and was not accepted since. */
  readonly accepted: AcceptedTool | null;
}

/** Whether nobody has looked yet at what the server now tells of the tool. */
export function isQuarantined({ digest, accepted }: Pick<KnownTool, "digest" | "accepted">): boolean {
  return accepted?.digest !== digest;
}

/** The tool as the gate decides about it. */
export function toGate(tool: KnownTool): InnerTool {
  const { readOnlyHint, destructiveHint } = tool.told.annotations;
  return { readOnlyHint, destructiveHint, quarantined: isQuarantined(tool) };
}

/** What a card says of a call that waits: it may destroy, unless the server says outright that it does not. */
export function mayDestroy({ told: { annotations } }: Pick<KnownTool, "told">): boolean {
  return annotations.destructiveHint !== false;
}
