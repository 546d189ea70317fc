/** What people let programs do over Connect on a workspace: listed and ended. A token itself is told to its program alone. */

import * as z from "zod";
import { actorOf, isAdministrator, type PrincipalHere, requireSession } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { endConnectToken } from "../_shared/flows/end-connect-token.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { pageOf, timedKey, timedPageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, uuidOrNull } from "../_shared/http/shape.ts";
import { findGrant, listGrants, type StoredGrant } from "../_shared/oauth/grant-store.ts";
import { NOT_FOUND, ok, type Result } from "../_shared/outcome/result.ts";

const listShape = once(() => z.strictObject(timedPageShape()));
const endShape = once(() => z.strictObject({}));

/**
 * The routes of `/workspaces/<id>/connect-tokens`, under any roof. A person sees and ends their own; an administrator
 * everyone's, since each acts on the workspace.
 */
export function connectTokenRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/workspaces/:workspace/connect-tokens", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireSession,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape: { limit, cursor } }) => {
        const rows = await listGrants(tx, {
          workspaceId: principal.workspace.id,
          userId: isAdministrator(principal) ? null : principal.id,
          limit: limit + 1,
          after: cursor,
        });
        return ok(pageOf(rows, { limit, key: timedKey }));
      },
    });
    return answerResult(
      c,
      listed,
      ({ page, next_cursor }) =>
        answerJson(c, { ok: true, connect_tokens: page.map(tokenView), next_cursor }),
    );
  });

  app.delete("/workspaces/:workspace/connect-tokens/:token", async (c) => {
    const id = uuidOrNull(c.req.param("token"));
    const ended = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireSession,
      shape: () => readQuery(endShape, c.req.queries()),
      work: async (tx, { principal }): Promise<Result<void>> => {
        const workspaceId = principal.workspace.id;
        const grant = id === null ? null : await findGrant(tx, { workspaceId, id });
        if (grant === null || !mayEnd(grant, principal)) return { ok: false, refusal: NOT_FOUND };
        // One that had ended stays ended from then on.
        await endConnectToken(tx, { id: grant.id, actor: actorOf(principal), occasion: occasionOf(c) });
        return ok(undefined);
      },
    });
    return answerResult(c, ended, () => new Response(null, { status: 204 }));
  });

  return app;
}

function mayEnd({ user_id }: StoredGrant, principal: PrincipalHere): boolean {
  return user_id === principal.id || isAdministrator(principal);
}

function tokenView(grant: StoredGrant) {
  const { id, client_id, client_name, redirect_host, user_id, user_name } = grant;
  const { created_at, last_used_at, expires_at, revoked_at } = grant;
  return {
    id,
    client: { id: client_id, name: client_name },
    redirect_host,
    acts_as: { user_id, name: user_name },
    created_at,
    last_used_at,
    expires_at,
    revoked_at,
  };
}
