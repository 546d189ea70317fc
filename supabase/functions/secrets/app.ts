/** What an administrator does with a secret on a tool: paste, remove, allow. A value goes in and never comes out. */

import * as z from "zod";
import { type PrincipalHere, requireAdministratorSession } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import type { Transaction } from "../_shared/db/transaction.ts";
import { allowSecret, pasteSecret, removeSecret } from "../_shared/flows/keep-secret.ts";
import {
  answerResult,
  type App,
  createHttpApp,
  createRoutes,
  occasionOf,
  type RequestContext,
} from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, readShape, uuidOrNull, uuidShape, versionShape } from "../_shared/http/shape.ts";
import type { Result } from "../_shared/outcome/result.ts";

const pasteShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    value: z.string({ error: "the value is wanted, as a text" }),
    version: versionShape(),
  })
);
const allowShape = once(() => z.strictObject({ workspace_id: uuidShape(), version: versionShape() }));
const removeShape = once(() => z.strictObject({ workspace_id: uuidShape() }));

/** The function's own routes, under any roof. */
export function secretRoutes(services: Services): App {
  const app = createRoutes();
  app.put("/tools/:slug/secrets/:name", async (c) => {
    const body = await readJsonBody(c.req.raw);
    return change(c, {
      services,
      workspaceId: body.ok ? uuidOrNull(body.value.workspace_id) : null,
      shape: () => body.ok ? readShape(pasteShape, body.value) : body,
      work: (tx, { on, shape }) =>
        pasteSecret(tx, {
          ...on,
          keyRing: services.keyRing,
          value: shape.value,
          version: shape.version ?? null,
        }),
    });
  });
  app.delete("/tools/:slug/secrets/:name", (c) => {
    return change(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      shape: () => readQuery(removeShape, c.req.queries()),
      work: (tx, { on }) => removeSecret(tx, { ...on, version: null }),
    });
  });
  app.post("/tools/:slug/secrets/:name/allow", async (c) => {
    const body = await readJsonBody(c.req.raw);
    return change(c, {
      services,
      workspaceId: body.ok ? uuidOrNull(body.value.workspace_id) : null,
      shape: () => body.ok ? readShape(allowShape, body.value) : body,
      work: (tx, { on, shape }) => allowSecret(tx, { ...on, version: shape.version ?? null }),
    });
  });
  return app;
}

/** The function `secrets`. */
export function createApp(services: Services): App {
  return createHttpApp("secrets", services, [secretRoutes]);
}

interface OnTool {
  readonly principal: PrincipalHere;
  readonly slug: string;
  readonly name: string;
  readonly occasion: ReturnType<typeof occasionOf>;
}

async function change<S>(
  c: RequestContext,
  { services, workspaceId, shape, work }: {
    services: Services;
    workspaceId: string | null;
    shape: () => Result<S>;
    work: (tx: Transaction, context: { on: OnTool; shape: S }) => Promise<Result<void>>;
  },
): Promise<Response> {
  const { slug = "", name = "" } = c.req.param() as { slug?: string; name?: string };
  const changed = await asPrincipal(c, {
    services,
    workspaceId,
    authority: requireAdministratorSession,
    shape,
    work: (tx, context) =>
      work(tx, {
        on: { principal: context.principal, slug, name, occasion: occasionOf(c) },
        shape: context.shape,
      }),
  });
  return answerResult(c, changed, () => new Response(null, { status: 204 }));
}
