/** What the console's consent page asks for, with the session of the person who is signed in. */

import * as z from "zod";
import { requireSession } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { allowConsent, denyConsent, showConsent } from "../_shared/flows/consent.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { asPerson, asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, readShape, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";

const showShape = once(() => z.strictObject({}));
const allowShape = once(() => z.strictObject({ decision: z.literal("allow"), workspace_id: uuidShape() }));
const denyShape = once(() =>
  z.strictObject({
    decision: z.literal("deny", { error: "allow or deny is wanted" }),
    workspace_id: uuidShape().nullish(),
  })
);

/**
 * The routes of `/consent/<id>`. A session in the `Authorization` header is something no other page can send, so a
 * decision cannot be forged by one; the request is the first person's who looks at it signed in.
 */
export function consentRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/consent/:request", async (c) => {
    const shown = await asPerson(c, {
      services,
      shape: () => readQuery(showShape, c.req.queries()),
      work: (tx, { person }) => showConsent(tx, { requestId: c.req.param("request"), person }),
    });
    return answerResult(c, shown, (consent) => answerJson(c, { ok: true, ...consent }));
  });

  app.post("/consent/:request", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const requestId = c.req.param("request");
    const { issuer } = services.connect;
    const decided = body.ok && body.value.decision === "allow"
      ? await asPrincipal(c, {
        services,
        workspaceId: uuidOrNull(body.value.workspace_id),
        authority: requireSession,
        shape: () => readShape(allowShape, body.value),
        work: (tx, { principal }) =>
          allowConsent(tx, { requestId, principal, issuer, occasion: occasionOf(c) }),
      })
      : await asPerson(c, {
        services,
        shape: () => body.ok ? readShape(denyShape, body.value) : body,
        work: (tx, { person }) => denyConsent(tx, { requestId, person, issuer }),
      });
    return answerResult(c, decided, ({ redirect_to }) => answerJson(c, { ok: true, redirect_to }));
  });

  return app;
}
