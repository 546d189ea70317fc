/** The tools of an outside MCP server, for the administrators who look at them and accept what has changed. */

import * as z from "zod";
import { requireAdministratorSession } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { acceptInner, lookAtInnerTools } from "../_shared/flows/inner-acceptance.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { pageOf, pageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, readShape, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { innerToolView } from "../_shared/inner-tools/view.ts";
import { ok } from "../_shared/outcome/result.ts";

const listShape = once(() => z.strictObject({ workspace_id: uuidShape(), ...pageShape() }));
const acceptShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    digest: z.string({ error: "the digest of what you saw is wanted" }).regex(/^[0-9a-f]{64}$/, {
      error: "the digest of what you saw is wanted: 64 hex digits",
    }),
  })
);

/** The two routes, under any roof. */
export function innerToolRoutes(services: Services): App {
  const app = createRoutes();
  app.get("/tools/:slug/inner-tools", async (c) => {
    const seen = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: requireAdministratorSession,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape: { cursor, limit } }) => {
        const slug = c.req.param("slug");
        const looked = await lookAtInnerTools(tx, { principal, slug, after: cursor, limit: limit + 1 });
        if (!looked.ok) return looked;
        const { file, tools } = looked.value;
        return ok({ file, ...pageOf(tools, { limit, key: ({ told }) => told.name }) });
      },
    });
    return answerResult(
      c,
      seen,
      ({ file, page, next_cursor }) =>
        answerJson(c, { ok: true, tools: page.map((tool) => innerToolView(file, tool)), next_cursor }),
    );
  });
  app.post("/tools/:slug/inner-tools/:name/accept", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const accepted = await asPrincipal(c, {
      services,
      workspaceId: body.ok ? uuidOrNull(body.value.workspace_id) : null,
      authority: requireAdministratorSession,
      shape: () => body.ok ? readShape(acceptShape, body.value) : body,
      work: (tx, { principal, shape: { digest } }) => {
        const { slug, name } = c.req.param();
        return acceptInner(tx, { principal, slug, name, digest, occasion: occasionOf(c) });
      },
    });
    return answerResult(
      c,
      accepted,
      (tool) => answerJson(c, { ok: true, tool: c.req.param("slug"), ...tool }),
    );
  });
  return app;
}
