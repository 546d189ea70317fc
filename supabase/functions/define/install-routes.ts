/** `POST /tools/install`: a tool that ships with Framed comes to a workspace. */

import * as z from "zod";
import { actorOf, requireAdministratorSession } from "../_shared/auth/principal.ts";
import { actAsOwner } from "../_shared/db/transaction.ts";
import { once } from "../_shared/definition/once.ts";
import { installTool } from "../_shared/flows/install-tool.ts";
import {
  answerJson,
  answerResult,
  type App,
  createRoutes,
  occasionOf,
  type RequestContext,
} from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import type { Services } from "../_shared/http/services.ts";
import { readShape, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { ok } from "../_shared/outcome/result.ts";
import { readShippedTool, shippedSlugs } from "../_shared/shipped/shipped.ts";
import { findTool } from "../_shared/tools/store.ts";
import { storedTool } from "../_shared/tools/view.ts";

const installShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    tool: z.string().refine((slug) => shippedSlugs().includes(slug), {
      error: `one of the tools that ship is wanted: ${shippedSlugs().join(", ")}`,
    }),
  })
);

/** The route, under any roof. */
export function installRoutes(services: Services): App {
  return createRoutes().post("/tools/install", (c) => install(c, services));
}

/** An administrator puts a tool that ships with Framed on the workspace, or its present version in the place of an earlier one. */
async function install(c: RequestContext, services: Services): Promise<Response> {
  const body = await readJsonBody(c.req.raw);
  const installed = await asPrincipal(c, {
    services,
    workspaceId: body.ok ? uuidOrNull(body.value.workspace_id) : null,
    authority: requireAdministratorSession,
    shape: () => body.ok ? readShape(installShape, body.value) : body,
    work: async (tx, { principal, shape: { tool: slug } }) => {
      const workspaceId = principal.workspace.id;
      // The functions' role can give no tool its origin.
      await actAsOwner(tx);
      const change = { actor: actorOf(principal), occasion: occasionOf(c) };
      const result = await installTool(tx, { workspaceId, tool: readShippedTool(slug), change });
      if (!result.ok) return result;
      return ok({ did: result.value.did, stored: (await findTool(tx, { workspaceId, slug }))! });
    },
  });
  return answerResult(c, installed, ({ stored, did }) =>
    answerJson(c, {
      ok: true,
      ...storedTool(stored),
      origin: stored.origin,
      did,
    }));
}
