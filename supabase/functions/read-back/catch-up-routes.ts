/** `GET /catch-up`: what a workspace is told by itself. */

import * as z from "zod";
import { requireConnectorGrant, requireMember } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { type Finding, listFindings } from "../_shared/follow-ups/store.ts";
import { answerJson, answerResult, type App, createRoutes } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { pageOf, timedKey, timedPageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { ok } from "../_shared/outcome/result.ts";

const shape = once(() => z.strictObject({ workspace_id: uuidShape(), ...timedPageShape() }));

/** The route of Catch up, under any roof. */
export function catchUpRoutes(services: Services): App {
  return createRoutes().get("/catch-up", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: requireMember,
      shape: () => readQuery(shape, c.req.queries()),
      work: async (tx, { principal, shape: { cursor, limit } }) => {
        const findings = await listFindings(tx, {
          workspaceId: principal.workspace.id,
          after: cursor,
          limit: limit + 1,
          redacted: !requireConnectorGrant(principal).ok,
        });
        const key = ({ changed_at, id }: Finding) => timedKey({ created_at: changed_at, id });
        return ok(pageOf(findings, { limit, key }));
      },
    });
    return answerResult(
      c,
      listed,
      ({ page, next_cursor }) =>
        answerJson(c, {
          ok: true,
          findings: page.map(({ id, kind, week, ...finding }) => ({
            id,
            kind,
            week,
            title: titleOf(finding.total),
            ...finding,
          })),
          next_cursor,
        }),
    );
  });
}

function titleOf(total: number): string {
  return total === 1
    ? "An approved call waited too long for what should follow it"
    : `${total} approved calls waited too long for what should follow them`;
}
