/** Decisions: one, or exactly those that were shown, each with a result of its own. */

import * as z from "zod";
import { once } from "../_shared/definition/once.ts";
import { decide, type Decision } from "../_shared/flows/decide.ts";
import type { Occasion } from "../_shared/flows/occasion.ts";
import { viewApproval } from "../_shared/flows/show-approval.ts";
import {
  answerJson,
  answerResult,
  type App,
  createRoutes,
  occasionOf,
  refusalOfError,
} from "../_shared/http/app.ts";
import { readJsonBody } from "../_shared/http/body.ts";
import { readPresented, UNAUTHENTICATED } from "../_shared/http/presented.ts";
import type { CallServices } from "../_shared/http/services.ts";
import { readShape, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import type { Presented } from "../_shared/auth/principal.ts";
import type { JsonObject } from "../_shared/definition/json.ts";
import { problemBody } from "../_shared/outcome/problem-body.ts";
import { NOT_FOUND, ok, refuse, type Result } from "../_shared/outcome/result.ts";

/** The most decisions of one request. */
const MAX_DECISIONS = 200;
/** Decisions of one request that are made at once. */
const AT_ONCE = 4;
/**
 * Once the store was away in a request that is this old, in milliseconds, it is asked for no further decision: each would
 * wait for it anew, and the answer is due within a minute.
 */
const AWAY_WITHIN_MS = 40_000;

const decisionFields = once(() => ({
  decision: z.enum(["approve", "reject"], { error: "approve or reject is wanted" }),
  digest: z.string({ error: "the digest of what was seen is wanted" }).regex(/^[0-9a-f]{64}$/i, {
    error: "the digest of what was seen is wanted: 64 hex digits",
  }),
  reason: z.string({ error: "a text is wanted" }).trim().max(1_000, {
    error: "at most 1,000 characters are wanted",
  }).optional(),
}));

const NO_DECISION: Result<Decision> = { ok: false, refusal: NOT_FOUND };
const NO_TIME_LEFT = refuse("store_unavailable", {
  detail: "The store was away, and no time was left to ask it for this one. Nothing was decided.",
  hint: "Decide it again in a moment.",
});
const NO_REASON = { path: ["reason"], error: "only a rejection has a reason; leave it out" };
const decisionShape = once(() => z.strictObject(decisionFields()).refine(hasItsReason, NO_REASON));
const decisionsShape = once(() =>
  z.strictObject({
    decisions: z.array(
      z.strictObject({ id: uuidShape(), ...decisionFields() }).refine(hasItsReason, NO_REASON),
      { error: "a list of decisions is wanted" },
    ).min(1, { error: "at least one decision is wanted" }).max(MAX_DECISIONS, {
      error: `at most ${MAX_DECISIONS} decisions are wanted`,
    }).refine((decisions) => new Set(decisions.map(({ id }) => id)).size === decisions.length, {
      error: "an approval is named twice; each is decided once",
    }),
  })
);

function hasItsReason({ decision, reason }: { decision: string; reason?: string | undefined }): boolean {
  return decision === "reject" || reason === undefined;
}

/** The routes that decide, under any roof. */
export function decisionRoutes(services: CallServices): App {
  const app = createRoutes();
  const { egress, telemetry } = services;
  const deciding = { ...services, egress: telemetry?.traceEgress(egress) ?? egress };

  app.post("/approvals/:id/decision", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const presented = await readPresented(c.req.raw.headers, services);
    const decided = !presented.ok ? presented : await decideAndShow(deciding, {
      presented: presented.value,
      id: uuidOrNull(c.req.param("id")),
      decision: body.ok ? readShape(decisionShape, body.value) : body,
      occasion: occasionOf(c),
      isCounted: true,
    });
    return answerResult(c, decided, (approval) => answerJson(c, { ok: true, ...approval }));
  });

  app.post("/approvals/decisions", async (c) => {
    const body = await readJsonBody(c.req.raw);
    const presented = await readPresented(c.req.raw.headers, services);
    if (!presented.ok) return answerResult(c, presented, () => c.body(null));
    const occasion = occasionOf(c);
    const shape = body.ok ? readShape(decisionsShape, body.value) : body;
    if (!shape.ok || !("user_id" in presented.value)) {
      // Who may not decide anything is told that, whatever they ask; of nobody's approval it is decided just so far.
      const asked = { presented: presented.value, id: null, occasion, isCounted: true };
      const refused = await decideAndShow(deciding, { ...asked, decision: shape.ok ? NO_DECISION : shape });
      return answerResult(c, refused, () => c.body(null));
    }
    let wasAway = false;
    // One that breaks is that one's own: the others are decided, and told about, all the same.
    const decideOne = async (
      { id, ...decision }: Decision & { id: string },
      { isCounted }: { isCounted: boolean },
    ): Promise<Result<JsonObject>> => {
      if (wasAway && occasion.elapsedMs() >= AWAY_WITHIN_MS) return NO_TIME_LEFT;
      try {
        return await decideAndShow(deciding, {
          presented: presented.value,
          id,
          decision: ok(decision),
          occasion,
          isCounted,
        });
      } catch (error) {
        const refusal = refusalOfError(c, error);
        wasAway ||= refusal.reason === "store_unavailable";
        return { ok: false, refusal };
      }
    };
    const [first, ...rest] = shape.value.decisions;
    const decidedFirst = await decideOne(first!, { isCounted: true });
    if (!decidedFirst.ok && decidedFirst.refusal.reason === "rate_limited") {
      return answerResult(c, decidedFirst, () => c.body(null));
    }
    const decidedRest = await inTurns(rest, (one) => decideOne(one, { isCounted: false }));
    const results = [decidedFirst, ...decidedRest].map((decided, at): JsonObject => {
      const { id } = shape.value.decisions[at]!;
      return decided.ok ? { id, ok: true, approval: decided.value } : {
        id,
        ok: false,
        problem: problemBody(decided.refusal, occasion.requestId) as unknown as JsonObject,
      };
    });
    return answerJson(c, { ok: true, results });
  });
  return app;
}

async function decideAndShow(
  services: CallServices,
  { presented, id, decision, occasion, isCounted }: {
    presented: Presented;
    id: string | null;
    decision: Result<Decision>;
    occasion: Occasion;
    isCounted: boolean;
  },
): Promise<Result<JsonObject>> {
  const decided = await decide(services, { presented, id, decision, occasion, isCounted });
  if (decided === null) return UNAUTHENTICATED;
  if (!decided.ok) return decided;
  return { ok: true, value: await viewApproval(services, { ...decided.value, isHost: false }) };
}

/** What `work`, which never throws, makes of each, a few at once, in their order. Resolves when nothing is under way. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  async function takeTurns(): Promise<void> {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, takeTurns));
  return results;
}
