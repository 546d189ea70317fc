/** What became of a workspace's notices, and a new signing secret for its webhook. Where it is told of is a setting. */

import * as z from "zod";
import { actorOf, requireAdministratorSession } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { rotateSigningSecret } from "../_shared/flows/set-webhook.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { pageOf, timedKey, timedPageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, readShape, uuidOrNull } from "../_shared/http/shape.ts";
import { webhookId } from "../_shared/notices/signature.ts";
import { type ListedNotice, listNotices } from "../_shared/notices/store.ts";
import { findWebhook } from "../_shared/notices/webhook-store.ts";
import { ok } from "../_shared/outcome/result.ts";

const listShape = once(() => z.strictObject(timedPageShape()));
const rotateShape = once(() => z.strictObject({}));

/** The routes of `/workspaces/<id>/notices` and `/workspaces/<id>/webhook`, under any roof. */
export function webhookRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/workspaces/:workspace/notices", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireAdministratorSession,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape: { limit, cursor } }) => {
        const workspaceId = principal.workspace.id;
        const rows = await listNotices(tx, { workspaceId, limit: limit + 1, after: cursor });
        const key = ({ noted_at, id }: ListedNotice) => timedKey({ created_at: noted_at, id });
        return ok(pageOf(rows, { limit, key }));
      },
    });
    return answerResult(
      c,
      listed,
      ({ page, next_cursor }) => answerJson(c, { ok: true, notices: page.map(noticeView), next_cursor }),
    );
  });

  app.post("/workspaces/:workspace/webhook/rotate", async (c) => {
    const body = await readJsonBody(c.req.raw, { orEmpty: true });
    const rotated = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireAdministratorSession,
      shape: () => body.ok ? readShape(rotateShape, body.value) : body,
      work: async (tx, { principal }) => {
        const workspaceId = principal.workspace.id;
        const { keyRing, now } = services;
        const secret = await rotateSigningSecret(tx, {
          workspaceId,
          keyRing,
          now,
          actor: actorOf(principal),
          occasion: occasionOf(c),
        });
        if (!secret.ok) return secret;
        return ok({ signing_secret: secret.value, webhook: await findWebhook(tx, { workspaceId }) });
      },
    });
    return answerResult(c, rotated, (value) => answerJson(c, { ok: true, ...value }));
  });

  return app;
}

/** A notice as administrators see it. Its message's id is the one that the webhook is sent. */
function noticeView({ subject, message_id, ...notice }: ListedNotice) {
  const {
    id,
    kind,
    status,
    noted_at,
    due_at,
    attempts,
    next_attempt_at,
    last_attempt_at,
    last_status,
    ended_at,
  } = notice;
  return {
    id,
    kind,
    ...(kind === "approval_waiting" ? { approval_id: subject } : { finding_id: subject }),
    status,
    noted_at,
    due_at,
    webhook_id: message_id === null ? null : webhookId(message_id),
    attempts,
    next_attempt_at,
    last_attempt_at,
    last_status,
    ended_at,
  };
}
