/** A person's workspaces, and what each is set to. Its people, its keys and its webhook have files of their own. */

import * as z from "zod";
import {
  actorOf,
  type PrincipalHere,
  requireAdministratorSession,
  requireSession,
} from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { changeSettings } from "../_shared/flows/change-settings.ts";
import {
  answerJson,
  answerResult,
  type App,
  createHttpApp,
  createRoutes,
  occasionOf,
} from "../_shared/http/app.ts";
import { asPerson, asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { pageOf, timedKey, timedPageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, readShape, uuidOrNull } from "../_shared/http/shape.ts";
import { findWebhook, type WebhookState } from "../_shared/notices/webhook-store.ts";
import { ok } from "../_shared/outcome/result.ts";
import { settingsChangeShape, settingsOf, withoutWebhookPath } from "../_shared/workspaces/settings.ts";
import { getWorkspace, listOwnWorkspaces, type StoredWorkspace } from "../_shared/workspaces/store.ts";
import { connectTokenRoutes } from "./connect-token-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { memberRoutes } from "./member-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";

const listShape = once(() => z.strictObject(timedPageShape()));
const oneShape = once(() => z.strictObject({}));

/** The function's own routes, under any roof. */
export function workspaceRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/workspaces", async (c) => {
    const listed = await asPerson(c, {
      services,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { person, shape: { limit, cursor } }) => {
        const rows = await listOwnWorkspaces(tx, { userId: person.id, limit: limit + 1, after: cursor });
        return ok(pageOf(rows, { limit, key: timedKey }));
      },
    });
    return answerResult(c, listed, ({ page, next_cursor }) => {
      const workspaces = page.map(({ id, name, role, grants }) => ({ id, name, role, grants }));
      return answerJson(c, { ok: true, workspaces, next_cursor });
    });
  });

  app.get("/workspaces/:workspace", async (c) => {
    const found = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireSession,
      shape: () => readQuery(oneShape, c.req.queries()),
      work: async (tx, { principal }) => {
        const workspaceId = principal.workspace.id;
        const workspace = await getWorkspace(tx, { workspaceId });
        return ok({ principal, workspace, webhook: await findWebhook(tx, { workspaceId }) });
      },
    });
    return answerResult(c, found, (value) => answerJson(c, { ok: true, ...workspaceView(value) }));
  });

  app.patch("/workspaces/:workspace", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const changed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireAdministratorSession,
      shape: () => body.ok ? readShape(settingsChangeShape, body.value) : body,
      work: async (tx, { principal, shape: changes }) => {
        const workspaceId = principal.workspace.id;
        const { keyRing, now } = services;
        const changed = await changeSettings(tx, {
          workspaceId,
          changes,
          keyRing,
          now,
          actor: actorOf(principal),
          occasion: occasionOf(c),
        });
        if (!changed.ok) return changed;
        return ok({ principal, ...changed.value, webhook: await findWebhook(tx, { workspaceId }) });
      },
    });
    return answerResult(c, changed, ({ signingSecret, ...value }) =>
      answerJson(c, {
        ok: true,
        ...workspaceView(value),
        ...(signingSecret === null ? {} : { signing_secret: signingSecret }),
      }));
  });

  return app;
}

/** Every route of the function, under any roof. */
export const routes = [workspaceRoutes, memberRoutes, keyRoutes, connectTokenRoutes, webhookRoutes];

/** The function `workspace`. */
export function createApp(services: Services): App {
  return createHttpApp("workspace", services, routes);
}

/**
 * A workspace as its people see it. Who knows a webhook's whole address can post there: administrators do, and they are
 * told how it fares.
 */
function workspaceView(
  { principal, workspace, webhook }: {
    principal: PrincipalHere;
    workspace: StoredWorkspace;
    webhook: WebhookState | null;
  },
) {
  const { id, role, grants } = principal.workspace;
  const settings = settingsOf(workspace.settings);
  return {
    id,
    name: workspace.name,
    role,
    grants,
    ...(role === "admin" ? { settings, webhook } : { settings: withoutWebhookPath(settings) }),
  };
}
