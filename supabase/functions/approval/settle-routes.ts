/** A person says what became of a write that nobody could tell the end of. */

import * as z from "zod";
import { once } from "../_shared/definition/once.ts";
import { settle } from "../_shared/flows/settle.ts";
import { viewApproval } from "../_shared/flows/show-approval.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { readPresented, UNAUTHENTICATED } from "../_shared/http/presented.ts";
import type { Services } from "../_shared/http/services.ts";
import { readShape, uuidOrNull } from "../_shared/http/shape.ts";
import type { Result } from "../_shared/outcome/result.ts";

const settleShape = once(() =>
  z.strictObject({
    outcome: z.enum(["applied", "failed"], { error: "applied or failed is wanted" }),
    note: z.string({ error: "how you know is wanted, as a text" }).trim().min(1, {
      error: "how you know is wanted, as a text",
    }).max(1_000, { error: "at most 1,000 characters are wanted" }),
  })
);

/** The route that settles, under any roof. */
export function settleRoutes(services: Services): App {
  return createRoutes().post("/approvals/:id/settle", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const presented = await readPresented(c.req.raw.headers, services);
    const settled = !presented.ok ? presented : await settle(services, {
      presented: presented.value,
      id: uuidOrNull(c.req.param("id")),
      settlement: body.ok ? readShape(settleShape, body.value) : body,
      occasion: occasionOf(c),
    });
    if (settled === null) return answerResult(c, UNAUTHENTICATED as Result<never>, () => c.body(null));
    if (!settled.ok) return answerResult(c, settled, () => c.body(null));
    const view = await viewApproval(services, { ...settled.value, isHost: false });
    return answerJson(c, { ok: true, ...view });
  });
}
