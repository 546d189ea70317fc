/** The keys of a workspace: listed, issued, revoked. A key is told once, when it is issued. */

import * as z from "zod";
import { findKey, listKeys, type StoredKey } from "../_shared/auth/key-store.ts";
import { actorOf, requireAdministratorSession, requireSession } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { endKey, type IssuedKey, issueKey } from "../_shared/flows/manage-key.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { pageOf, timedKey, timedPageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { instantShape, nameShape, readQuery, readShape, uuidOrNull } from "../_shared/http/shape.ts";
import { NOT_FOUND, ok, refuse, type Result } from "../_shared/outcome/result.ts";

const listShape = once(() => z.strictObject(timedPageShape()));
const revokeShape = once(() => z.strictObject({}));

/** What a new key is asked with at `now`. */
function newKeyShape(now: Date) {
  const error = "an instant ahead, such as 2027-01-31T12:00:00Z, is wanted";
  return z.strictObject({
    name: nameShape(80),
    kind: z.enum(["raw", "reseller"], { error: "raw or reseller is wanted" }),
    expires_at: instantShape(error).refine((expiresAt) => expiresAt > now, { error }).nullish()
      .transform((expiresAt) => expiresAt ?? null),
  });
}

/** The routes of `/workspaces/<id>/keys`, under any roof. */
export function keyRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/workspaces/:workspace/keys", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireSession,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape: { limit, cursor } }) => {
        const of = { workspaceId: principal.workspace.id };
        const rows = await listKeys(tx, { of, limit: limit + 1, after: cursor });
        return ok(pageOf(rows, { limit, key: timedKey }));
      },
    });
    return answerResult(
      c,
      listed,
      ({ page, next_cursor }) => answerJson(c, { ok: true, keys: page.map(keyView), next_cursor }),
    );
  });

  app.post("/workspaces/:workspace/keys", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const issued = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireAdministratorSession,
      shape: () => body.ok ? readShape(() => newKeyShape(services.now()), body.value) : body,
      work: async (tx, { principal, shape: { name, kind, expires_at } }): Promise<Result<IssuedKey>> => {
        if (kind === "reseller") return RESELLER_KEY;
        const key = await issueKey(tx, {
          holder: { workspaceId: principal.workspace.id, userId: principal.id },
          name,
          expiresAt: expires_at,
          createdBy: principal.id,
          actor: actorOf(principal),
          occasion: occasionOf(c),
        });
        return key === null ? { ok: false, refusal: NOT_FOUND } : ok(key);
      },
    });
    return answerResult(
      c,
      issued,
      ({ key, stored }) => answerJson(c, { ok: true, key, ...keyView(stored) }, 201),
    );
  });

  app.delete("/workspaces/:workspace/keys/:key", async (c) => {
    const id = uuidOrNull(c.req.param("key"));
    const revoked = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireAdministratorSession,
      shape: () => readQuery(revokeShape, c.req.queries()),
      work: async (tx, { principal }): Promise<Result<void>> => {
        const key = id === null ? null : await findKey(tx, { id });
        if (key === null) return { ok: false, refusal: NOT_FOUND };
        // One that was revoked before stays revoked from then on.
        await endKey(tx, { id: key.id, actor: actorOf(principal), occasion: occasionOf(c) });
        return ok(undefined);
      },
    });
    return answerResult(c, revoked, () => new Response(null, { status: 204 }));
  });

  return app;
}

const RESELLER_KEY = refuse("admin_required", {
  detail: "A reseller key reaches every workspace of the account. An administrator of one cannot issue it.",
  hint: "Who runs the stack can: deno task keys issue --account ID --reseller.",
});

/** A key as the people of its workspace see it: never the key itself. */
function keyView(stored: StoredKey) {
  const { id, name, kind, user_id, user_name, created_by, created_at, last_used_at, expires_at, revoked_at } =
    stored;
  return {
    id,
    name,
    kind,
    acts_as: { user_id, name: user_name },
    created_by,
    created_at,
    last_used_at,
    expires_at,
    revoked_at,
  };
}
