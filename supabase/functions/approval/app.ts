/** What waits for a person: listed, shown, decided, settled. Only a person's own session decides anything here. */

import * as z from "zod";
import { APPROVAL_STATUSES } from "../_shared/approvals/state.ts";
import { placeOfApproval } from "../_shared/approvals/store.ts";
import { allowAnyoneHere } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { listApprovalsFor, showApproval, viewApproval } from "../_shared/flows/show-approval.ts";
import { answerJson, answerResult, type App, createHttpApp, createRoutes } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { pageOf, pageShape } from "../_shared/http/list.ts";
import { readPresented, UNAUTHENTICATED } from "../_shared/http/presented.ts";
import type { CallServices } from "../_shared/http/services.ts";
import { readQuery, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { ok, type Result } from "../_shared/outcome/result.ts";
import { decisionRoutes } from "./decision-routes.ts";
import { followUpRoutes } from "./follow-up-routes.ts";
import { innerToolRoutes } from "./inner-tool-routes.ts";
import { markRoutes } from "./mark-routes.ts";
import { settleRoutes } from "./settle-routes.ts";

const listShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    status: z.enum(APPROVAL_STATUSES, { error: `one of ${APPROVAL_STATUSES.join(", ")} is wanted` })
      .optional(),
    ...pageShape(),
  })
);
const oneShape = once(() => z.strictObject({}));

/** Approvals as they are looked at, under any roof. */
export function approvalRoutes(services: CallServices): App {
  const app = createRoutes();
  app.get("/approvals", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: allowAnyoneHere,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape: { status = null, cursor, limit } }) => {
        const rows = await listApprovalsFor(tx, { principal, status, after: cursor, limit: limit + 1 });
        return ok({ principal, ...pageOf(rows, { limit, key: placeOfApproval }) });
      },
    });
    if (!listed.ok) return answerResult(c, listed, () => c.body(null));
    const { principal, page, next_cursor } = listed.value;
    const approvals = await Promise.all(
      page.map((approval) => viewApproval(services, { principal, approval, isHost: false, isListed: true })),
    );
    return answerJson(c, { ok: true, approvals, next_cursor });
  });
  app.get("/approvals/:id", async (c) => {
    const presented = await readPresented(c.req.raw.headers, services);
    const query = readQuery(oneShape, c.req.queries());
    const shown = !presented.ok ? presented : await showApproval(services, {
      presented: presented.value,
      id: uuidOrNull(c.req.param("id")),
      isHost: false,
    });
    const result: Result<object> = shown === null ? UNAUTHENTICATED : shown.ok && !query.ok ? query : shown;
    return answerResult(c, result, (approval) => answerJson(c, { ok: true, ...approval }));
  });
  return app;
}

/** Every route of the function, under any roof. */
export const routes = [
  approvalRoutes,
  decisionRoutes,
  settleRoutes,
  followUpRoutes,
  markRoutes,
  innerToolRoutes,
];

/** The function `approval`. */
export function createApp(services: CallServices): App {
  return createHttpApp("approval", services, routes.map((routesOf) => () => routesOf(services)));
}
