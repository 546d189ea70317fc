/** What a workspace has: its tools, one tool, and a tool's removal. */

import * as z from "zod";
import { allowAnyoneHere, isHost, requireConnectorGrant } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { listToolsFor } from "../_shared/flows/list-tools.ts";
import { removeTool } from "../_shared/flows/remove-tool.ts";
import {
  answerJson,
  answerResult,
  type App,
  createHttpApp,
  createRoutes,
  occasionOf,
} from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { pageOf, pageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { NOT_FOUND, ok, type Result } from "../_shared/outcome/result.ts";
import { findLastRead, findToolVisibleTo, lockTools } from "../_shared/tools/store.ts";
import { isOwnedBy } from "../_shared/tools/ownership.ts";
import { listedTool, listedToolForHost, ownerView, secretViews, toolSummary } from "../_shared/tools/view.ts";
import { catchUpRoutes } from "./catch-up-routes.ts";
import { logRoutes } from "./log-routes.ts";
import { versionRoutes } from "./version-routes.ts";

const listShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    query: z.string().max(200, { error: "at most 200 characters are wanted" }).optional(),
    ...pageShape(),
  })
);
const oneShape = once(() => z.strictObject({ workspace_id: uuidShape() }));

/** The function's own routes, under any roof. */
export function readBackRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/tools", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: allowAnyoneHere,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape }) => {
        const { tools, stoppedAt } = await listToolsFor(tx, {
          principal,
          query: shape.query ?? null,
          after: shape.cursor,
          limit: shape.limit + 1,
        });
        const paged = pageOf(tools, { limit: shape.limit, key: ({ tool }) => tool.slug, stoppedAt });
        return ok({ ...paged, view: isHost(principal) ? listedToolForHost : listedTool });
      },
    });
    return answerResult(c, listed, ({ page, next_cursor, view }) =>
      answerJson(c, {
        ok: true,
        tools: page.map(({ tool, last_read_at }) => view(tool, last_read_at)),
        next_cursor,
      }));
  });

  app.get("/tools/:slug", async (c) => {
    const found = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: allowAnyoneHere,
      shape: () => readQuery(oneShape, c.req.queries()),
      work: async (tx, { principal }) => {
        const tool = await findToolVisibleTo(tx, { principal, slug: c.req.param("slug") });
        if (tool === null) return { ok: false, refusal: NOT_FOUND };
        const mayReadRows = requireConnectorGrant(principal).ok;
        const lastRead = mayReadRows ? await findLastRead(tx, tool) : null;
        return ok({ tool, lastRead, forHost: isHost(principal), isOwn: isOwnedBy(tool.owner, principal) });
      },
    });
    return answerResult(c, found, ({ tool, lastRead, forHost, isOwn }) =>
      answerJson(c, {
        ok: true,
        id: tool.id,
        ...(forHost ? {} : { tool: tool.file }),
        ...toolSummary(tool),
        ...(forHost ? {} : { secrets: secretViews(tool) }),
        origin: tool.origin,
        owner: ownerView(tool),
        is_own: isOwn,
        partner_provided: tool.partner_provided,
        last_read: lastRead,
      }));
  });

  app.delete("/tools/:slug", async (c) => {
    const removed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: requireConnectorGrant,
      shape: () => readQuery(oneShape, c.req.queries()),
      work: async (tx, { principal }): Promise<Result<void>> => {
        await lockTools(tx, { workspaceId: principal.workspace.id });
        const tool = await findToolVisibleTo(tx, { principal, slug: c.req.param("slug") });
        if (tool === null) return { ok: false, refusal: NOT_FOUND };
        return await removeTool(tx, { principal, tool, occasion: occasionOf(c) });
      },
    });
    return answerResult(c, removed, () => new Response(null, { status: 204 }));
  });

  return app;
}

/** Every route of the function, under any roof. */
export const routes = [readBackRoutes, versionRoutes, logRoutes, catchUpRoutes];

/** The function `read-back`. */
export function createApp(services: Services): App {
  return createHttpApp("read-back", services, routes);
}
