/** The people of a workspace: listed, added, changed, removed. */

import * as z from "zod";
import {
  actorOf,
  isAdministrator,
  requireAdministratorSession,
  requireSession,
} from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { removeMember, setMember } from "../_shared/flows/manage-member.ts";
import { answerJson, answerResult, type App, createRoutes, occasionOf } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { pageOf, timedKey, timedPageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { nameShape, readQuery, readShape, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { NOT_FOUND, ok } from "../_shared/outcome/result.ts";
import { listMembers, type StoredMember } from "../_shared/workspaces/member-store.ts";

const listShape = once(() => z.strictObject(timedPageShape()));
const removeShape = once(() => z.strictObject({}));
const personShape = once(() =>
  z.strictObject({
    user: uuidShape(),
    role: z.enum(["admin", "member"], { error: "admin or member is wanted" }),
    grants: z.array(z.enum(["use_connectors"], { error: "use_connectors is wanted" }), {
      error: "a list of grants is wanted",
    }).max(1, { error: "each grant once is wanted" }).optional().transform((grants) => grants ?? []),
    name: nameShape(200),
    email: z.string({ error: "an address is wanted" }).max(320, {
      error: "at most 320 characters are wanted",
    })
      .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { error: "an address such as noor@example.com is wanted" }),
  })
);

/** The routes of `/workspaces/<id>/members`, under any roof. */
export function memberRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/workspaces/:workspace/members", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireSession,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape: { limit, cursor } }) => {
        const rows = await listMembers(tx, {
          workspaceId: principal.workspace.id,
          limit: limit + 1,
          after: cursor === null ? null : { created_at: cursor.created_at, user_id: cursor.id },
        });
        const key = ({ created_at, user_id }: StoredMember) => timedKey({ created_at, id: user_id });
        return ok({ ...pageOf(rows, { limit, key }), withAddresses: isAdministrator(principal) });
      },
    });
    return answerResult(c, listed, ({ page, next_cursor, withAddresses }) =>
      answerJson(c, {
        ok: true,
        members: page.map((member) => withAddresses ? memberView(member) : withoutAddress(member)),
        next_cursor,
      }));
  });

  app.put("/workspaces/:workspace/members/:user", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const set = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireAdministratorSession,
      shape: () => body.ok ? readShape(personShape, { ...body.value, user: c.req.param("user") }) : body,
      work: (tx, { principal, shape: { user, ...person } }) =>
        setMember(tx, {
          workspaceId: principal.workspace.id,
          person: { userId: user, ...person },
          actor: actorOf(principal),
          occasion: occasionOf(c),
        }),
    });
    return answerResult(
      c,
      set,
      ({ member, added }) => answerJson(c, { ok: true, ...memberView(member) }, added ? 201 : 200),
    );
  });

  app.delete("/workspaces/:workspace/members/:user", async (c) => {
    const userId = uuidOrNull(c.req.param("user"));
    const removed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.param("workspace")),
      authority: requireAdministratorSession,
      shape: () => readQuery(removeShape, c.req.queries()),
      work: async (tx, { principal }) =>
        userId === null ? { ok: false, refusal: NOT_FOUND } : await removeMember(tx, {
          workspaceId: principal.workspace.id,
          userId,
          actor: actorOf(principal),
          occasion: occasionOf(c),
        }),
    });
    return answerResult(c, removed, () => new Response(null, { status: 204 }));
  });

  return app;
}

/** A person as administrators see them. */
function memberView(member: StoredMember) {
  return { ...withoutAddress(member), email: member.email };
}

function withoutAddress({ user_id, name, role, grants, created_at }: StoredMember) {
  return { user_id, name, role, grants, created_at };
}
