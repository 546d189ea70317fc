/**
 * The definitions this process has seen, so that a call needs not be told a file again, and who reached them. Nothing
 * here says who may do what or what is the tool's definition now: the store is asked both at every call, and a file
 * counts only where it says that this very version stands.
 */

import type { Presented } from "../auth/principal.ts";
import type { Tool } from "../tools/tool.ts";

/** A definition as it was last seen. A file never changes under its version. */
export type SeenDefinition = Pick<Tool, "id" | "slug" | "version" | "runs_as_read" | "kind" | "file">;

/** A tool by its name, and what was presented to reach it. */
export interface Reaching {
  readonly workspaceId: string;
  readonly slug: string;
  readonly presented: Presented;
}

export interface Definitions {
  /**
   * The definition last seen under the name, for who reached that tool from here before; null for everyone else, so
   * that whoever was never let in neither buys work on a file nor tells by the time it takes that there is one.
   */
  find(reaching: Reaching): SeenDefinition | null;
  /** The tool, as it was just reached. */
  keep(tool: Tool, presented: Presented): void;
  /** Who was not let in is not told apart from a stranger from then on. */
  forget(reaching: Reaching): void;
}

/** Of all files together as JSON, in UTF-16 units. The one longest unused is forgotten first. */
const MAX_CHARS = 8 * 1024 * 1024;
/** Who reached what, some 200 bytes each. The one longest unused is forgotten first. */
const MAX_REACHED = 20_000;

/** Definitions of which none has been seen. */
export function createDefinitions(
  { maxChars = MAX_CHARS, maxReached = MAX_REACHED }: { maxChars?: number; maxReached?: number } = {},
): Definitions {
  const seen = new Map<string, { readonly definition: SeenDefinition; readonly chars: number }>();
  const reached = new Set<string>();
  let chars = 0;

  function drop(name: string): void {
    chars -= seen.get(name)?.chars ?? 0;
    seen.delete(name);
  }

  return {
    find(reaching) {
      const way = wayOf(reaching);
      if (!reached.delete(way)) return null;
      reached.add(way);
      const name = nameOf(reaching.workspaceId, reaching.slug);
      const entry = seen.get(name);
      if (entry === undefined) return null;
      seen.delete(name);
      seen.set(name, entry);
      return entry.definition;
    },
    keep({ workspace_id, id, slug, version, runs_as_read, kind, file }, presented) {
      const way = wayOf({ workspaceId: workspace_id, slug, presented });
      reached.delete(way);
      reached.add(way);
      for (const oldest of reached) {
        if (reached.size <= maxReached) break;
        reached.delete(oldest);
      }
      const name = nameOf(workspace_id, slug);
      const entry = {
        definition: { id, slug, version, runs_as_read, kind, file },
        chars: JSON.stringify(file).length,
      };
      drop(name);
      seen.set(name, entry);
      chars += entry.chars;
      for (const [oldest] of seen) {
        if (chars <= maxChars) break;
        drop(oldest);
      }
    },
    forget(reaching) {
      reached.delete(wayOf(reaching));
    },
  };
}

function nameOf(workspaceId: string, slug: string): string {
  return `${workspaceId} ${slug}`;
}

function wayOf({ workspaceId, slug, presented }: Reaching): string {
  return `${whoOf(presented)} ${nameOf(workspaceId, slug)}`;
}

function whoOf(presented: Presented): string {
  if ("user_id" in presented) return `person ${presented.user_id}`;
  return "token_hash" in presented ? `token ${presented.token_hash}` : `key ${presented.key_hash}`;
}
