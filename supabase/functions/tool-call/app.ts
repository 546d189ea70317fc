/** One use of a tool, what its reads kept, and the pages of a long answer. Reads run; what changes something is proposed to a person. */

import * as z from "zod";
import { requireConnectorGrant } from "../_shared/auth/principal.ts";
import { createDefinitions, type Definitions } from "../_shared/calls/definitions.ts";
import type { JsonObject } from "../_shared/definition/json.ts";
import { once } from "../_shared/definition/once.ts";
import { answerCall } from "../_shared/flows/answer-call.ts";
import { MAX_CALLS, proposeChain } from "../_shared/flows/propose-chain.ts";
import { readResult } from "../_shared/flows/read-result.ts";
import {
  answerJson,
  answerResult,
  type App,
  createHttpApp,
  createRoutes,
  occasionOf,
  type RequestContext,
} from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { ASKED_ONCE, callFields, callRequestOf, resultPathShape } from "../_shared/http/call-shape.ts";
import { pageOf, pageShape } from "../_shared/http/list.ts";
import { readPresented, UNAUTHENTICATED } from "../_shared/http/presented.ts";
import type { CallServices } from "../_shared/http/services.ts";
import { readQuery, readShape, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { NOT_FOUND, ok, type Result } from "../_shared/outcome/result.ts";
import { readHandle } from "../_shared/results/handle.ts";
import { listedRead, listKeptReads, placeOfRead } from "../_shared/results/store.ts";
import { findToolVisibleTo } from "../_shared/tools/store.ts";

export type { CallServices };

const bodyShape = once(() =>
  z.strictObject({ workspace_id: uuidShape(), ...callFields() }).refine(ASKED_ONCE.holds, ASKED_ONCE.says)
);

const chainShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    calls: z.array(
      z.strictObject({
        tool: z.string({ error: "the name of a tool is wanted" }).min(1, {
          error: "the name of a tool is wanted",
        })
          .max(200, { error: "at most 200 characters are wanted" }),
        args: callFields().args,
        capability: callFields().capability,
        operation: callFields().operation,
      }),
      { error: "a list of calls is wanted" },
    ).min(1, { error: "at least one call is wanted" }).max(MAX_CALLS, {
      error: `at most ${MAX_CALLS} calls are wanted`,
    }),
  })
);

const readsShape = once(() => z.strictObject({ workspace_id: uuidShape(), ...pageShape() }));

const resultShape = once(() =>
  z.strictObject({
    path: resultPathShape(),
    offset: z.string().regex(/^[0-9]{1,9}$/, { error: "a whole number from 0 is wanted" }).transform(Number)
      .optional().transform((offset) => offset ?? 0),
    limit: pageShape().limit,
  })
);

/** The function's own routes, under any roof. */
export function toolCallRoutes(services: CallServices): App {
  const app = createRoutes();
  const definitions = createDefinitions();
  const { egress, telemetry } = services;
  const calling = { ...services, egress: telemetry?.traceEgress(egress) ?? egress };
  app.post("/tools/:slug/call", async (c) => {
    const called = await call(c, { services: calling, definitions });
    return answerResult(c, called, (answer) => answerJson(c, answer, answer.ran === false ? 202 : 200));
  });
  app.post("/tools/calls", async (c) => {
    const proposed = await proposeCalls(c, calling);
    return answerResult(c, proposed, (answer) => answerJson(c, answer, 202));
  });
  app.get("/tools/:slug/reads", async (c) => {
    const listed = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: requireConnectorGrant,
      shape: () => readQuery(readsShape, c.req.queries()),
      work: async (tx, { principal, shape: { cursor, limit } }) => {
        const tool = await findToolVisibleTo(tx, { principal, slug: c.req.param("slug") });
        if (tool === null) return { ok: false, refusal: NOT_FOUND };
        const rows = await listKeptReads(tx, { tool, after: cursor, limit: limit + 1 });
        return ok(pageOf(rows, { limit, key: placeOfRead }));
      },
    });
    return answerResult(
      c,
      listed,
      ({ page, next_cursor }) => answerJson(c, { ok: true, reads: page.map(listedRead), next_cursor }),
    );
  });
  app.get("/results/:handle", async (c) => {
    const place = readHandle(c.req.param("handle"));
    const read = await asPrincipal(c, {
      services,
      workspaceId: place?.workspaceId ?? null,
      authority: requireConnectorGrant,
      shape: () => readQuery(resultShape, c.req.queries()),
      work: (tx, { principal, shape: asked }) =>
        readResult(tx, { principal, place, asked, keyRing: services.keyRing }),
    });
    return answerResult(c, read, (page) => answerJson(c, { ok: true, ...page }));
  });
  return app;
}

/** The function `tool-call`. */
export function createApp(services: CallServices): App {
  return createHttpApp("tool-call", services, [() => toolCallRoutes(services)]);
}

/** A chain of calls, proposed as one. */
async function proposeCalls(c: RequestContext, services: CallServices): Promise<Result<JsonObject>> {
  const body = await readJsonBody(c.req.raw);
  const presented = await readPresented(c.req.raw.headers, services);
  if (!presented.ok) return presented;
  const shape = body.ok ? readShape(chainShape, body.value) : body;
  const proposed = await proposeChain(services, {
    presented: presented.value,
    workspaceId: body.ok ? uuidOrNull(body.value.workspace_id) : null,
    calls: shape.ok
      ? ok(shape.value.calls.map(({ tool, ...call }) => ({ slug: tool, call: callRequestOf(call).call })))
      : shape,
    occasion: occasionOf(c),
  });
  return proposed ?? UNAUTHENTICATED;
}

/** Decides in the order every request is decided in, on two round trips to the store: one before and one after. */
async function call(
  c: RequestContext,
  { services, definitions }: { services: CallServices; definitions: Definitions },
): Promise<Result<JsonObject>> {
  const body = await readJsonBody(c.req.raw);
  const presented = await readPresented(c.req.raw.headers, services);
  if (!presented.ok) return presented;
  const shape = body.ok ? readShape(bodyShape, body.value) : body;
  const answered = await answerCall({ ...services, definitions }, {
    presented: presented.value,
    workspaceId: body.ok ? uuidOrNull(body.value.workspace_id) : null,
    slug: c.req.param("slug") ?? "",
    request: shape.ok ? ok(callRequestOf(shape.value)) : shape,
    occasion: occasionOf(c),
  });
  return answered ?? UNAUTHENTICATED;
}
