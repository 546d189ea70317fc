/** `POST /tools/define`: a file becomes a tool of the workspace. */

import * as z from "zod";
import { isHost, requireConnectorGrant } from "../_shared/auth/principal.ts";
import type { JsonValue } from "../_shared/definition/json.ts";
import { once } from "../_shared/definition/once.ts";
import { defineTool } from "../_shared/flows/define-tool.ts";
import { renewOfTool } from "../_shared/flows/renew-stale.ts";
import { checkFramedTool, type FramedTool, hostViews } from "../_shared/framed-tool.ts";
import {
  answerJson,
  answerResult,
  type App,
  createHttpApp,
  createRoutes,
  occasionOf,
  type RequestContext,
} from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { type ReadBody, readBody, refuseProblems } from "../_shared/http/body.ts";
import type { Services } from "../_shared/http/services.ts";
import { readShape, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { ok, refuse, type Result } from "../_shared/outcome/result.ts";
import { storedTool, storedToolForHost } from "../_shared/tools/view.ts";
import { installRoutes } from "./install-routes.ts";

const bodyShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    tool: z.custom<JsonValue>((value) => value !== undefined, { error: "the file is wanted" }),
  })
);

/** The function's own routes, under any roof. */
export function defineRoutes(services: Services): App {
  return createRoutes().post("/tools/define", (c) => define(c, services));
}

/** The function `define`: its routes, and the same at its bare name. */
export function createApp(services: Services): App {
  const bare = (given: Services) => createRoutes().post("/", (c) => define(c, given));
  return createHttpApp("define", services, [defineRoutes, installRoutes, bare]);
}

async function define(c: RequestContext, services: Services): Promise<Response> {
  const body = await readBody(c.req.raw);
  const defined = await asPrincipal(c, {
    services,
    workspaceId: body.ok ? uuidOrNull(body.value.value.workspace_id) : null,
    authority: requireConnectorGrant,
    shape: () => body.ok ? readDefinition(body.value) : body,
    work: async (tx, { principal, shape: tool }) => {
      const result = await defineTool(tx, { principal, tool, occasion: occasionOf(c) });
      return result.ok ? ok({ ...result.value, forHost: isHost(principal) }) : result;
    },
  });
  if (defined.ok && defined.value.replaced) {
    const { stored: { id: connectorId, workspace_id: workspaceId } } = defined.value;
    await renewOfTool(services, { workspaceId, connectorId, occasion: occasionOf(c) });
  }
  return answerResult(c, defined, ({ stored, replaced, unchanged, forHost }) =>
    answerJson(c, {
      ok: true,
      ...forHost ? storedToolForHost(stored) : storedTool(stored),
      replaced,
      unchanged,
      partner_provided: stored.partner_provided,
      host_sees: hostViews(stored.file).map(({ sees }) => sees),
      manage_url: `${services.consoleUrl}/connections/${stored.slug}?workspace_id=${stored.workspace_id}`,
    }));
}

/** The file of a body, checked; what the parser found in its text is told with the rest, at its place in the file. */
function readDefinition({ value, problems }: ReadBody): Result<FramedTool> {
  const outside = problems.filter(({ path }) => path[0] !== "tool");
  if (outside.length > 0) return refuseProblems(problems);
  const shape = readShape(bodyShape, value);
  if (!shape.ok) return shape;
  const found = problems.map(({ path, says }) => ({ path: path.slice(1), says }));
  const checked = checkFramedTool(shape.value.tool, { found });
  if (checked.ok) return ok(checked.tool);
  return refuse("bad_definition", {
    detail: "Nothing was stored.",
    problems: checked.problems,
  });
}
