/** `GET /log`, `/log/export` and `/log/days`: a workspace's log in pages, whole as NDJSON, and its calls counted by day. */

import * as z from "zod";
import { isHost, requireConnectorGrant, requireMember } from "../_shared/auth/principal.ts";
import { once } from "../_shared/definition/once.ts";
import {
  answerJson,
  answerResult,
  type App,
  createRoutes,
  type RequestContext,
} from "../_shared/http/app.ts";
import { asPrincipal } from "../_shared/http/as-principal.ts";
import { cursorShape, pageOf, pageShape } from "../_shared/http/list.ts";
import type { Services } from "../_shared/http/services.ts";
import { instantShape, readQuery, uuidOrNull, uuidShape } from "../_shared/http/shape.ts";
import { ACTOR_KINDS } from "../_shared/log/event.ts";
import type { LogFilter } from "../_shared/log/filter.ts";
import { countCallsByDay, listEvents, type LogLine } from "../_shared/log/store.ts";
import { type Reason, REASONS } from "../_shared/outcome/reason.ts";
import { ok, type Result } from "../_shared/outcome/result.ts";

const timeShape = once(() =>
  instantShape("an instant such as 2026-11-30T12:00:00Z is wanted").optional()
    .transform((instant) => instant ?? null)
);

const toolShape = once(() =>
  z.string().max(200, { error: "at most 200 characters are wanted" }).optional()
    .transform((tool) => tool ?? null)
);

const filterShape = once(() => ({
  workspace_id: uuidShape(),
  tool: toolShape(),
  principal: z.union([
    z.enum(ACTOR_KINDS).transform((kind) => ({ kind })),
    uuidShape().transform((id) => ({ id })),
  ], {
    error: `the id of a person or key is wanted, or one of ${ACTOR_KINDS.join(", ")}`,
  }).optional().transform((principal) => principal ?? null),
  outcome: z.string().refine(
    (outcome): outcome is "ok" | "not_ok" | Reason =>
      outcome === "ok" || outcome === "not_ok" || Object.hasOwn(REASONS, outcome),
    {
      error: "ok, not_ok or a reason is wanted",
    },
  ).optional().transform((outcome) => outcome ?? null),
  since: timeShape(),
  until: timeShape(),
}));
const pageOfLogShape = once(() =>
  z.strictObject({
    ...filterShape(),
    limit: pageShape().limit,
    cursor: cursorShape((after) => /^[0-9]{1,18}$/.test(after) ? after : null),
  })
);
const exportShape = once(() => z.strictObject(filterShape()));

/** Days that are counted where nobody says how many, and the most. */
const DEFAULT_DAYS = 14;
const MAX_DAYS = 90;
const NO_DAYS = `a number from 1 to ${MAX_DAYS} is wanted`;

const daysShape = once(() =>
  z.strictObject({
    workspace_id: uuidShape(),
    tool: toolShape(),
    days: z.string().regex(/^[0-9]{1,2}$/, { error: NO_DAYS, abort: true }).transform(Number)
      .refine((days) => days >= 1 && days <= MAX_DAYS, { error: NO_DAYS })
      .optional().transform((days) => days ?? DEFAULT_DAYS),
  })
);

/** Rows of an export that are read at once: what it takes of memory, whatever the log holds. */
const EXPORT_PAGE = 1_000;

/** The log's routes, under any roof. */
export function logRoutes(services: Services): App {
  const app = createRoutes();

  app.get("/log", async (c) => {
    const listed = await readLog(c, {
      services,
      shape: () => readQuery(pageOfLogShape, c.req.queries()),
      place: ({ limit, cursor }) => ({ limit: limit + 1, before: cursor }),
    });
    return answerResult(c, listed, ({ lines, shape: { limit } }) => {
      const { page, next_cursor } = pageOf(lines, { limit, key: ({ id }) => id });
      return answerJson(c, { ok: true, events: page.map(({ line }) => JSON.parse(line)), next_cursor });
    });
  });

  app.get("/log/export", async (c) => {
    const shape = () => readQuery(exportShape, c.req.queries());
    const readPage = (before: string | null) =>
      readLog(c, { services, shape, place: () => ({ limit: EXPORT_PAGE, before }) });
    const first = await readPage(null);
    return answerResult(
      c,
      first,
      ({ lines, shape: { workspace_id } }) =>
        new Response(ReadableStream.from(writeLines(lines, readPage)).pipeThrough(new TextEncoderStream()), {
          headers: {
            "content-type": "application/x-ndjson; charset=utf-8",
            "content-disposition": `attachment; filename="framed-log-${workspace_id}.ndjson"`,
          },
        }),
    );
  });

  app.get("/log/days", async (c) => {
    const counted = await asPrincipal(c, {
      services,
      workspaceId: uuidOrNull(c.req.query("workspace_id")),
      authority: requireMember,
      shape: () => readQuery(daysShape, c.req.queries()),
      work: async (tx, { principal, shape: { tool, days } }) =>
        ok(await countCallsByDay(tx, { workspaceId: principal.workspace.id, tool, days })),
    });
    return answerResult(c, counted, (days) => answerJson(c, { ok: true, days, time_zone: "UTC" }));
  });

  return app;
}

/** Lines of the log for a member of the workspace; without arguments for one who has no grant, without names for a host. */
async function readLog<S extends LogFilter>(
  c: RequestContext,
  { services, shape, place }: {
    services: Services;
    shape: () => Result<S>;
    place: (shape: S) => { limit: number; before: string | null };
  },
): Promise<Result<{ lines: LogLine[]; shape: S }>> {
  return await asPrincipal(c, {
    services,
    workspaceId: uuidOrNull(c.req.query("workspace_id")),
    authority: requireMember,
    shape,
    work: async (tx, { principal, shape }) =>
      ok({
        shape,
        lines: await listEvents(tx, {
          workspaceId: principal.workspace.id,
          filter: shape,
          redacted: !requireConnectorGrant(principal).ok,
          forHost: isHost(principal),
          ...place(shape),
        }),
      }),
  });
}

/**
 * The pages one after another, each asked for when the one before has gone out, and each as whoever asks then is: who
 * loses the right meanwhile gets no more. The transfer then breaks off, so that half a log never looks like a whole one.
 */
async function* writeLines(
  first: readonly LogLine[],
  readPage: (before: string) => Promise<Result<{ lines: LogLine[] }>>,
): AsyncGenerator<string> {
  let lines = first;
  while (lines.length > 0) {
    yield lines.map(({ line }) => `${line}\n`).join("");
    if (lines.length < EXPORT_PAGE) return;
    const next = await readPage(lines.at(-1)!.id);
    if (!next.ok) throw new Error(`the export cannot go on: ${next.refusal.reason}`);
    lines = next.value.lines;
  }
}
