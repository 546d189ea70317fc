/** An administrator says of a tool that its request only reads. */

import * as z from "zod";
import { requireAdministratorSession } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { markAsRead } from "../_shared/flows/mark-as-read.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import type { Services } from "../_shared/http/services.ts";
import { readShape, uuidOrNull, uuidShape, versionShape } from "../_shared/http/shape.ts";
import { storedTool } from "../_shared/tools/view.ts";

const markShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    value: z.boolean({ error: "true or false is wanted" }),
    version: versionShape(),
  })
);

/** The route that marks, under any roof. */
export function markRoutes(services: Services): App {
  return createRoutes().post("/tools/:slug/runs-as-read", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const marked = await asPrincipal(c, {
      services,
      workspaceId: body.ok ? uuidOrNull(body.value.workspace_id) : null,
      authority: requireAdministratorSession,
      shape: () => body.ok ? readShape(markShape, body.value) : body,
      work: (tx, { principal, shape: { value, version } }) =>
        markAsRead(tx, {
          principal,
          slug: c.req.param("slug"),
          value,
          version: version ?? null,
          occasion: occasionOf(c),
        }),
    });
    return answerResult(
      c,
      marked,
      (tool) => answerJson(c, { ok: true, ...storedTool(tool), runs_as_read: tool.runs_as_read }),
    );
  });
}
