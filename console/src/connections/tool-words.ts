/** How a tool stands and what a call of it does, in words. Pure. */

import type { Access, Kind } from "../../../supabase/functions/_shared/definition/format.ts";
import type { ToolDetail, ToolStatus, ToolVersion } from "../api/tools.ts";
import type { Tone } from "../ui/notice.tsx";

export const KIND_WORDS: Record<Kind, string> = {
  request: "One call to a system",
  fixture: "Answers from its examples",
  mcp: "A server with tools of its own",
};

export interface State {
  readonly tone: Tone;
  readonly words: string;
}

/** The state of a tool. `waitsFor` are the secrets that have no value. */
export function stateOf(
  { live, status, waitsFor }: { live: boolean; status: ToolStatus; waitsFor: readonly string[] },
): State {
  switch (status) {
    case "waits_for_secret": {
      const [first = "a secret", ...more] = waitsFor;
      return {
        tone: "warn",
        words: `Waits for ${first}${more.length === 0 ? "" : ` and ${more.length} more`}`,
      };
    }
    case "waits_for_admin":
      return { tone: "warn", words: "Waits for an administrator" };
    case "quarantined":
      return { tone: "warn", words: "Quarantined" };
    case "host_down":
      return { tone: "bad", words: "Its host does not answer" };
    case "ready":
      return live ? { tone: "good", words: "Live" } : { tone: "plain", words: "Fixture" };
    default:
      return { tone: "plain", words: String(status satisfies never) };
  }
}

/** The secrets of a tool that have no value. */
export function waitsForOf({ secrets }: Pick<ToolDetail, "secrets">): string[] {
  return secrets.filter(({ set }) => !set).map(({ name }) => name);
}

/** What a call does: that it runs, or for whom it waits. */
export function effectOf(
  { kind, access, runs }: { kind: Kind; access: Access | null; runs: "on_call" | "after_approval" },
): string {
  if (access === "sensitive") return "Waits for an administrator";
  if (kind === "mcp" && access !== "write") return "Reads run, the rest waits";
  return runs === "on_call" ? "Runs on the call" : "Waits for approval";
}

export const ACCESS_WORDS: Record<Access, string> = {
  read: "only reads",
  write: "changes something",
  sensitive: "reveals or changes what few may see",
};

export function ownerOf({ owner, partner_provided }: Pick<ToolDetail, "owner" | "partner_provided">): string {
  if (owner.kind === "person") return owner.name ?? "Somebody who is no longer on this workspace";
  return partner_provided || owner.kind === "reseller" ? "A partner, with a key" : "A program, with a key";
}

/** Who made a version; of a program, with which key. */
export function makerOf({ kind, name, key_name }: ToolVersion["defined_by"]): string {
  if (kind === "reseller_key") return name ? `A partner, with the key ${name}` : "A partner, with a key";
  if (kind === "raw_key") return `${name ?? "A program"}, with ${key_name ? `the key ${key_name}` : "a key"}`;
  return name ?? (kind === "operator" ? "The operator" : "Somebody");
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
