/** What a tool was: every definition it had, who made it so and when. */

import * as z from "zod";
import { allowAnyoneHere, isHost } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import { answerJson, answerResult, type App, createRoutes } from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { cursorShape, pageOf, pageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { readQuery, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { NOT_FOUND, ok } from "../_shared/outcome/result.ts";
import { findToolVisibleTo } from "../_shared/tools/store.ts";
import { findVersion, listVersions } from "../_shared/tools/version-store.ts";

/** A version as it is written in a path or a cursor; no tool has more. */
const VERSION = /^[1-9][0-9]{0,8}$/;

const listShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    limit: pageShape().limit,
    cursor: cursorShape((after) => VERSION.test(after) ? Number(after) : null),
  })
);
const oneShape = once(() => z.strictObject({ workspace_id: uuidShape() }));

/** The routes of a tool's versions, under any roof. */
export function versionRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/tools/:slug/versions", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: allowAnyoneHere,
      shape: () => readQuery(listShape, c.req.queries()),
      work: async (tx, { principal, shape: { limit, cursor } }) => {
        const tool = await findToolVisibleTo(tx, { principal, slug: c.req.param("slug") });
        if (tool === null) return { ok: false, refusal: NOT_FOUND };
        const rows = await listVersions(tx, { tool, before: cursor, limit: limit + 1 });
        return ok(pageOf(rows, { limit, key: ({ version }) => String(version) }));
      },
    });
    return answerResult(
      c,
      listed,
      ({ page, next_cursor }) => answerJson(c, { ok: true, versions: page, next_cursor }),
    );
  });

  app.get("/tools/:slug/versions/:version", async (c) => {
    const named = c.req.param("version");
    const found = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: allowAnyoneHere,
      shape: () => readQuery(oneShape, c.req.queries()),
      work: async (tx, { principal }) => {
        const tool = await findToolVisibleTo(tx, { principal, slug: c.req.param("slug") });
        const version = tool === null || !VERSION.test(named)
          ? null
          : await findVersion(tx, { tool, version: Number(named) });
        return version === null
          ? { ok: false, refusal: NOT_FOUND }
          : ok({ version, forHost: isHost(principal) });
      },
    });
    return answerResult(
      c,
      found,
      ({ version: { file, ...version }, forHost }) =>
        answerJson(c, { ok: true, ...version, ...(forHost ? {} : { tool: file }) }),
    );
  });

  return app;
}
