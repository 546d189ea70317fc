/** A person stops what is checked after an approved write. */

import * as z from "zod";
import { once } from "../_shared/definition/once.ts";
import { viewApproval } from "../_shared/flows/show-approval.ts";
import { stopFollowUp } from "../_shared/flows/stop-follow-up.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { readPresented, UNAUTHENTICATED } from "../_shared/http/presented.ts";
import type { Services } from "../_shared/http/services.ts";
import { readShape, uuidOrNull } from "../_shared/http/shape.ts";
import type { Result } from "../_shared/outcome/result.ts";

const stopShape = once(() => z.strictObject({}));

/** The route that stops a follow-up, under any roof. */
export function followUpRoutes(services: Services): App {
  return createRoutes().post("/approvals/:id/follow-up/stop", async (c) => {
    const body = await readJsonBody(c.req.raw, { orEmpty: true });
    const presented = await readPresented(c.req.raw.headers, services);
    const stopped = !presented.ok ? presented : await stopFollowUp(services, {
      presented: presented.value,
      id: uuidOrNull(c.req.param("id")),
      shape: body.ok ? readShape(stopShape, body.value) : body,
      occasion: occasionOf(c),
    });
    if (stopped === null) return answerResult(c, UNAUTHENTICATED as Result<never>, () => c.body(null));
    if (!stopped.ok) return answerResult(c, stopped, () => c.body(null));
    const view = await viewApproval(services, { ...stopped.value, isHost: false });
    return answerJson(c, { ok: true, ...view });
  });
}
