/**
 * A file that ships with Framed becomes a tool of a workspace, or takes the place of the version before it. For who owns
 * the database: the role the functions run as can give no tool its origin.
 */

import type { Queryable } from "../db/client.ts";
import type { FramedTool } from "../definition/format.ts";
import { definitionDigest, hostOfTool, secretsOf } from "../framed-tool.ts";
import { appendEvent } from "../log/store.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import { setUses } from "../secrets/store.ts";
import { findTool, insertTool, lockTools, markSeeded, replaceTool } from "../tools/store.ts";
import { findBoundOtherwise } from "./define-tool.ts";
import { type Change, workspaceEvent } from "./occasion.ts";

/** What an installation came to. */
export interface Installed {
  readonly id: string;
  readonly version: number;
  readonly did: "installed" | "upgraded" | "nothing";
}

/**
 * Puts `tool`, which passed its check as a seeded file, on the workspace as `seeded`. An equal file changes nothing; another
 * swaps the whole definition and keeps pasted values. Belongs to nobody, so no file ever replaces it.
 *
 * Refuses `other_owner` where a tool that did not come with Framed has the slug, `secret_bound_to_other_host`, and
 * `bad_definition` where a name is a credential here and a setting elsewhere. All in the transaction that is passed in,
 * which is the owner's.
 */
export async function installTool(
  tx: Queryable,
  { workspaceId, tool, change }: { workspaceId: string; tool: FramedTool; change: Change },
): Promise<Result<Installed>> {
  await lockTools(tx, { workspaceId });
  const existing = await findTool(tx, { workspaceId, slug: tool.slug });
  if (existing !== null && existing.origin !== "seeded") {
    return refuse("other_owner", {
      detail: `A tool ${tool.slug} is on the workspace that did not come with Framed.`,
      hint: "Its owner or an administrator removes it first.",
    });
  }
  const digest = definitionDigest(tool);
  if (existing?.digest === digest) {
    return ok({ id: existing.id, version: existing.version, did: "nothing" });
  }
  const host = hostOfTool(tool);
  const secrets = secretsOf(tool);
  const bound = await findBoundOtherwise(tx, { workspaceId, tool, existing });
  if (bound !== null) return bound;

  const definition = {
    tool,
    digest,
    host,
    keepsRunsAsRead: false,
    partnerProvided: false,
    owner: { user_id: null, key_kind: null, account_id: null },
    actor: change.actor,
  };
  const { id, version } = existing === null
    ? await insertTool(tx, { workspaceId, definition })
    : await replaceTool(tx, { workspaceId, id: existing.id, definition });
  await markSeeded(tx, { workspaceId, id });
  await setUses(tx, {
    workspaceId,
    connectorId: id,
    host: host ?? "",
    uses: secrets,
    allowed: true,
    allowedBy: null,
  });
  const event = existing === null ? "tool.defined" : "tool.replaced";
  await appendEvent(tx, {
    workspaceId,
    event: {
      ...workspaceEvent(event, { ...change, detail: {} }),
      tool: tool.slug,
      connector_id: id,
      version,
    },
  });
  return ok({ id, version, did: existing === null ? "installed" : "upgraded" });
}
