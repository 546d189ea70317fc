/** `POST /cron/tick`: what pg_cron, or the local stack in its place, calls every minute. */

import * as z from "zod";
import { once } from "../_shared/definition/once.ts";
import type { Egress } from "../_shared/egress/guarded-fetch.ts";
import { runTick } from "../_shared/flows/tick.ts";
import {
  answerJson,
  answerResult,
  type App,
  createHttpApp,
  createRoutes,
  type RequestContext,
} from "../_shared/http/app.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import type { Services } from "../_shared/http/services.ts";
import { instantShape, readShape } from "../_shared/http/shape.ts";
import { causeOf, stackOf } from "../_shared/outcome/cause.ts";
import { ok, refuse, type Result } from "../_shared/outcome/result.ts";
import type { Work } from "../_shared/outcome/work.ts";
import { type Again, askAgain, DEPTH_HEADER, goesOn, readDepth } from "./again.ts";
import { presentsCronSecret } from "./secret.ts";

/** What a function that ticks is given beside the services. */
export interface CronServices extends Services {
  readonly egress: Egress;
  /** Who may tick says it. Null lets nobody tick. */
  readonly cronSecret: string | null;
  /** Lets the caller say what time it is. Only the local stack gives this, and no environment does. */
  readonly takesNow?: boolean;
  /** How a tick that left work behind asks for another one. Left out, only the clock does. */
  readonly again?: Again;
}

const bodyShape = once(() => z.strictObject({}));
const localBodyShape = once(() =>
  z.strictObject({
    now: instantShape("an instant such as 2026-11-30T12:00:00Z is wanted").optional(),
  })
);

/** The function's own routes, under any roof. */
export function cronRoutes(services: CronServices): App {
  return createRoutes().post("/cron/tick", (c) => tick(c, services));
}

/** The function `cron`: its route, and the same without the function's name a second time. */
export function createApp(services: CronServices): App {
  const bare = () => createRoutes().post("/tick", (c) => tick(c, services));
  return createHttpApp("cron", services, [() => cronRoutes(services), bare]);
}

async function tick(c: RequestContext, services: CronServices): Promise<Response> {
  return answerResult(c, await decideAndRun(c, services), (work) => answerJson(c, { ok: true, ...work }));
}

async function decideAndRun(c: RequestContext, services: CronServices): Promise<Result<Work>> {
  if (!presentsCronSecret(c.req.header("authorization"), services.cronSecret)) {
    return refuse("unauthenticated", {
      detail: "This path takes the stack's cron secret, and nothing else lets a caller in.",
      hint: "Send it as Authorization: Bearer …; see docs/operate.md.",
    });
  }
  const body = await readJsonBody(c.req.raw, { orEmpty: true });
  if (!body.ok) return body;
  const shape = readShape(services.takesNow === true ? localBodyShape : bodyShape, body.value);
  if (!shape.ok) return shape;
  const { now } = shape.value as { now?: Date };
  const report = (event: string, error: unknown, about: Readonly<Record<string, string>>) =>
    console.error(JSON.stringify({
      level: "error",
      request_id: c.get("requestId"),
      event,
      ...about,
      cause: causeOf(error),
      stack: stackOf(error),
    }));
  const work = await runTick({
    db: services.db,
    egress: services.egress,
    keyRing: services.keyRing,
    consoleUrl: services.consoleUrl,
    now: now ?? services.now(),
    report: (error, about) => report("tick_failed", error, about),
  });
  const depth = readDepth(c.req.header(DEPTH_HEADER));
  if (services.again !== undefined && goesOn(work, depth)) {
    askAgain(services.again, {
      secret: services.cronSecret!,
      depth,
      now,
      report: (error) => report("tick_not_asked_again", error, {}),
    });
  }
  return ok(work);
}
