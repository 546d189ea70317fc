/** A tool as the workspace holds it: the row, whose it is, and whether it can run now. Pure. */

import type { CredentialKey } from "../definition/credentials.ts";
import type { FramedTool, Kind } from "../definition/format.ts";

export type Origin = "file" | "blueprint" | "seeded" | "installed";

/** One name a tool uses, as everybody who may see the tool may know it: never the value. */
export interface SecretUse {
  readonly credential_key: CredentialKey;
  readonly name: string;
  readonly host: string;
  /** Whether a value is stored under the name. */
  readonly set: boolean;
  /** Whether an administrator stands behind this tool's use of it. */
  readonly allowed: boolean;
}

/** Whose a tool is: the person behind the call that defined it, or the kind and account of a key with nobody behind. */
export interface Owner {
  readonly user_id: string | null;
  readonly key_kind: "raw" | "reseller" | null;
  readonly account_id: string | null;
}

/** One row of v2_connectors with the names it uses. */
export interface Tool {
  readonly id: string;
  readonly workspace_id: string;
  readonly slug: string;
  readonly version: number;
  readonly kind: Kind;
  readonly file: FramedTool;
  readonly host: string | null;
  readonly origin: Origin;
  readonly shared_across_account: boolean;
  readonly partner_provided: boolean;
  readonly runs_as_read: boolean;
  /** Whether `request_config.defined_from` says that a file defined it. */
  readonly from_file: boolean;
  readonly owner: Owner;
  readonly owner_name: string | null;
  readonly uses: readonly SecretUse[];
  /** Whether its outside server lists a tool that nobody has looked at. Left out where nothing asks for it. */
  readonly quarantined?: boolean;
  /** Whether none of its last calls could reach its host. Left out where nothing asks for it. */
  readonly host_down?: boolean;
}

/** Whether a tool has the values that it needs. */
export type ValuesStatus = "ready" | "waits_for_secret" | "waits_for_admin";
export type ToolStatus = ValuesStatus | "quarantined" | "host_down";

/** Whether the tool can run now: first every value has to be there, then an administrator behind each use. */
export function statusOf(uses: readonly SecretUse[]): ValuesStatus {
  if (uses.some((use) => !use.set)) return "waits_for_secret";
  if (uses.some((use) => !use.allowed)) return "waits_for_admin";
  return "ready";
}

/**
 * What is told of a tool, in the order in which somebody here can do something about it: what it lacks, else whether
 * something of its outside server waits for a look, else whether its host cannot be reached.
 */
export function toolStatus(
  { uses, quarantined = false, host_down = false }: Pick<Tool, "uses" | "quarantined" | "host_down">,
): ToolStatus {
  const status = statusOf(uses);
  if (status !== "ready") return status;
  if (quarantined) return "quarantined";
  return host_down ? "host_down" : "ready";
}

/** The names without a value, each once, in order. */
export function waitsFor(uses: readonly SecretUse[]): string[] {
  return [...new Set(uses.filter((use) => !use.set).map((use) => use.name))].sort();
}

/** Whether the kind reaches an outside system. */
export function isLive(kind: Kind): boolean {
  return kind !== "fixture";
}
