/** What an administrator does about the tools of an outside server: look at what it says of them, and accept that. */

import type { PrincipalHere } from "../auth/principal.ts";
import type { JsonObject } from "../definition/json.ts";
import type { McpTool } from "../definition/format.ts";
import type { Transaction } from "../db/transaction.ts";
import { describeDifference } from "../inner-tools/difference.ts";
import type { KnownTool } from "../inner-tools/inner-tool.ts";
import { acceptInnerTool, findInnerTool, listInnerTools } from "../inner-tools/store.ts";
import { innerToolView } from "../inner-tools/view.ts";
import { appendEvent } from "../log/store.ts";
import { NOT_FOUND, ok, refuse, type Result } from "../outcome/result.ts";
import { findToolVisibleTo } from "../tools/store.ts";
import type { Tool } from "../tools/tool.ts";
import { changeEvent, type Occasion } from "./occasion.ts";

interface OfTool {
  readonly principal: PrincipalHere;
  readonly slug: string;
}

/** Tools of a server, as `innerToolView` tells of each, and the file they are told by. */
export interface SeenInnerTools {
  readonly file: McpTool;
  readonly tools: readonly KnownTool[];
}

/** What the server of an mcp tool listed when it was last asked, by name, at most `limit`. It is not asked. */
export async function lookAtInnerTools(
  tx: Transaction,
  { after, limit, ...of }: OfTool & { after: string | null; limit: number },
): Promise<Result<SeenInnerTools>> {
  const found = await findMcpTool(tx, of);
  if (found === null) return { ok: false, refusal: NOT_FOUND };
  const { tool, file } = found;
  const place = { workspaceId: tool.workspace_id, url: file.mcp.url };
  return ok({ file, tools: await listInnerTools(tx, { ...place, after, limit }) });
}

/**
 * Accepts what the server now tells of the tool `name`: from here on its own word decides again what a call of it does.
 * Tells what it differed in. What is accepted already is no change and no row of the log.
 *
 * Refuses `tool_changed` where the server tells another thing by now than what the administrator saw, by its digest.
 */
export async function acceptInner(
  tx: Transaction,
  { name, digest, occasion, ...of }: OfTool & { name: string; digest: string; occasion: Occasion },
): Promise<Result<JsonObject>> {
  const found = await findMcpTool(tx, of);
  const place = found === null
    ? null
    : { workspaceId: found.tool.workspace_id, url: found.file.mcp.url, name };
  const known = place === null ? null : await findInnerTool(tx, place);
  if (found === null || place === null || known === null) return { ok: false, refusal: NOT_FOUND };
  const { tool, file } = found;
  const wasAccepted = known.accepted?.digest === digest && known.digest === digest;
  if (!wasAccepted) {
    const userId = of.principal.id;
    if (known.digest !== digest || !await acceptInnerTool(tx, { ...place, digest, userId })) {
      return refuse("tool_changed", {
        detail: "The server tells another thing of this tool by now than what you saw. Nothing was accepted.",
        hint: "Look at the tool again, and accept it by the digest it has then.",
      });
    }
    await appendEvent(tx, {
      workspaceId: tool.workspace_id,
      event: changeEvent("inner_tool.accepted", {
        principal: of.principal,
        tool,
        occasion,
        detail: { name, digest },
      }),
    });
  }
  const accepted = { ...known, accepted: { told: known.told, digest } };
  return ok({ ...innerToolView(file, accepted), difference: describeDifference(known) });
}

async function findMcpTool(
  tx: Transaction,
  { principal, slug }: OfTool,
): Promise<{ readonly tool: Tool; readonly file: McpTool } | null> {
  const tool = await findToolVisibleTo(tx, { principal, slug });
  return tool?.file.kind === "mcp" ? { tool, file: tool.file } : null;
}
