/** What each host tool does, on the flows that answer over HTTP too: its arguments in, the same body or refusal out. */

import * as z from "zod";
import { placeOfApproval } from "../approvals/store.ts";
import { allowAnyoneHere, type Presented, requireConnectorGrant } from "../auth/principal.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { once } from "../definition/once.ts";
import { answerCall, type AnswerMeans } from "../flows/answer-call.ts";
import { listToolsFor, type ToolsAsked } from "../flows/list-tools.ts";
import type { Occasion } from "../flows/occasion.ts";
import { readResult } from "../flows/read-result.ts";
import { listApprovalsFor, showApproval, viewApproval } from "../flows/show-approval.ts";
import { asAnyone, asPresented } from "../http/as-principal.ts";
import { callRequestOf } from "../http/call-shape.ts";
import { DEFAULT_LIMIT, pageOf, pageShape, timedKey, timedPageShape } from "../http/list.ts";
import { UNAUTHENTICATED } from "../http/presented.ts";
import type { CallServices } from "../http/services.ts";
import { readArguments, uuidOrNull } from "../http/shape.ts";
import { ok, type Result } from "../outcome/result.ts";
import { readHandle } from "../results/handle.ts";
import { listedToolForHost } from "../tools/view.ts";
import { listReachedWorkspaces } from "../workspaces/store.ts";
import { type HostToolName, SHAPES } from "./host-tools.ts";
import { PROPOSE } from "./tell.ts";
import type { FindOnlyWorkspace } from "./which-workspace.ts";

/** What host tools are run with. */
export interface HostMeans extends CallServices, AnswerMeans {
  readonly findOnlyWorkspace: FindOnlyWorkspace;
}

/** Who asks, and how the answer is waited for. */
export interface HostCall {
  readonly presented: Presented;
  readonly occasion: Occasion;
  readonly signal?: AbortSignal;
  /** Told once a call of a tool is let in. */
  readonly onAdmitted?: () => void;
}

/**
 * The body that the tool answers, or what refuses it: `unauthenticated` also where nobody stands behind what was presented.
 *
 * `args` are refused as they came where the text they were written in can be read in more than one way.
 */
export async function runHostTool(
  means: HostMeans,
  { tool, args, call }: { tool: HostToolName; args: Result<JsonValue>; call: HostCall },
): Promise<Result<JsonObject>> {
  switch (tool) {
    case "framed_list":
      return await list(means, { args, call });
    case "framed_read": {
      const answered = await callATool(means, { args, call, onlyReads: true });
      // Over HTTP nothing only reads, so that there is no hint to it.
      return answered.ok || answered.refusal.reason !== "approval_required"
        ? answered
        : { ok: false, refusal: { ...answered.refusal, hint: PROPOSE } };
    }
    case "framed_tool":
      return await callATool(means, { args, call });
    case "framed_result":
      return await readOn(means, { args, call });
    case "framed_approval":
      return await tellOfApproval(means, { args, call });
    default:
      tool satisfies never;
      throw new TypeError("unknown host tool");
  }
}

interface Asked {
  readonly args: Result<JsonValue>;
  readonly call: HostCall;
}

async function callATool(
  means: HostMeans,
  { args, call, onlyReads = false }: Asked & { onlyReads?: boolean },
): Promise<Result<JsonObject>> {
  const shape = read(SHAPES.framed_tool, args);
  const place = await workspaceOf(means, { args, call });
  const request = shape.ok ? place.ok ? ok(callRequestOf(shape.value)) : place : shape;
  const answered = await answerCall(means, {
    ...call,
    workspaceId: place.ok ? place.value : null,
    slug: shape.ok ? shape.value.tool : "",
    request,
    toHost: true,
    onlyReads,
  });
  return answered ?? UNAUTHENTICATED;
}

async function list(means: HostMeans, asked: Asked): Promise<Result<JsonObject>> {
  const shape = read(SHAPES.framed_list, asked.args);
  // Without a shape it is nobody's list: who may not ask is told so first.
  const of = shape.ok ? shape.value.of : "tools";
  switch (of) {
    case "tools":
      return await listTheTools(means, asked);
    case "workspaces":
      return await listWorkspaces(means, asked);
    case "approvals":
      return await listApprovals(means, asked);
    default:
      of satisfies never;
      throw new TypeError("unknown list");
  }
}

async function listTheTools(means: HostMeans, { args, call }: Asked): Promise<Result<JsonObject>> {
  const place = await workspaceOf(means, { args, call });
  const listed = await asPresented(call.presented, {
    services: means,
    workspaceId: place.ok ? place.value : null,
    authority: allowAnyoneHere,
    shape: (): Result<Omit<ToolsAsked, "limit">> => {
      const shape = read(SHAPES.framed_list, args);
      if (!shape.ok) return shape;
      if (!place.ok) return place;
      const cursor = read(textCursor, ok(cursorOf(shape.value)));
      return cursor.ok ? ok({ query: shape.value.query ?? null, after: cursor.value.cursor }) : cursor;
    },
    work: async (tx, { principal, shape }) => {
      const { tools, stoppedAt } = await listToolsFor(tx, { principal, ...shape, limit: DEFAULT_LIMIT + 1 });
      return ok(pageOf(tools, { limit: DEFAULT_LIMIT, key: ({ tool }) => tool.slug, stoppedAt }));
    },
  });
  if (!listed.ok) return listed;
  const { page, next_cursor } = listed.value;
  return ok({
    ok: true,
    tools: page.map(({ tool, last_read_at }) => listedToolForHost(tool, last_read_at) as JsonObject),
    next_cursor,
  });
}

async function listWorkspaces(means: HostMeans, { args, call }: Asked): Promise<Result<JsonObject>> {
  const listed = await asAnyone(call.presented, {
    services: means,
    async work(tx, principal) {
      const shape = read(SHAPES.framed_list, args);
      if (!shape.ok) return shape;
      const cursor = read(timedCursor, ok(cursorOf(shape.value)));
      if (!cursor.ok) return cursor;
      const rows = await listReachedWorkspaces(tx, {
        principal,
        limit: DEFAULT_LIMIT + 1,
        after: cursor.value.cursor,
      });
      return ok(pageOf(rows, { limit: DEFAULT_LIMIT, key: timedKey }));
    },
  });
  if (!listed.ok) return listed;
  const { page, next_cursor } = listed.value;
  const workspaces = page.map(({ id, name, role, grants }) => ({ id, name, role, grants: [...grants] }));
  return ok({ ok: true, workspaces, next_cursor });
}

async function listApprovals(means: HostMeans, { args, call }: Asked): Promise<Result<JsonObject>> {
  const place = await workspaceOf(means, { args, call });
  const listed = await asPresented(call.presented, {
    services: means,
    workspaceId: place.ok ? place.value : null,
    authority: allowAnyoneHere,
    shape: () => {
      const shape = read(SHAPES.framed_list, args);
      if (!shape.ok) return shape;
      return place.ok ? read(textCursor, ok(cursorOf(shape.value))) : place;
    },
    work: async (tx, { principal, shape }) => {
      const asked = { status: null, after: shape.cursor, limit: DEFAULT_LIMIT + 1 };
      const rows = await listApprovalsFor(tx, { principal, ...asked });
      return ok({ principal, ...pageOf(rows, { limit: DEFAULT_LIMIT, key: placeOfApproval }) });
    },
  });
  if (!listed.ok) return listed;
  const { principal, page, next_cursor } = listed.value;
  const approvals = await Promise.all(
    page.map((approval) => viewApproval(means, { principal, approval, isHost: true, isListed: true })),
  );
  return ok({ ok: true, approvals, next_cursor });
}

async function tellOfApproval(means: HostMeans, { args, call }: Asked): Promise<Result<JsonObject>> {
  const shape = read(SHAPES.framed_approval, args);
  const id = shape.ok ? shape.value.approval_id : null;
  const shown = await showApproval(means, { presented: call.presented, id, isHost: true });
  if (shown === null) return UNAUTHENTICATED;
  if (!shape.ok) return !shown.ok && shown.refusal.reason === "rate_limited" ? shown : shape;
  return shown.ok ? ok({ ok: true, ...shown.value }) : shown;
}

async function readOn(means: HostMeans, { args, call }: Asked): Promise<Result<JsonObject>> {
  const shape = read(SHAPES.framed_result, args);
  const place = shape.ok ? readHandle(shape.value.result_handle) : null;
  const page = await asPresented(call.presented, {
    services: means,
    workspaceId: place?.workspaceId ?? null,
    authority: requireConnectorGrant,
    shape: () => shape,
    work: (tx, { principal, shape: { path, offset = 0, limit = DEFAULT_LIMIT } }) =>
      readResult(tx, { principal, place, asked: { path, offset, limit }, keyRing: means.keyRing }),
  });
  return page.ok ? ok({ ok: true, ...page.value, items: [...page.value.items] }) : page;
}

/** The workspace that is named, or the only one within reach; null where none that could exist is. */
async function workspaceOf(means: HostMeans, { args, call }: Asked): Promise<Result<string | null>> {
  const named = args.ok ? (args.value as { workspace_id?: unknown } | null)?.workspace_id : undefined;
  return named === undefined ? await means.findOnlyWorkspace(call.presented) : ok(uuidOrNull(named));
}

function read<T>(shape: () => z.ZodType<T>, args: Result<JsonValue>): Result<T> {
  return args.ok ? readArguments(shape, args.value) : args;
}

function cursorOf({ cursor }: { cursor?: string | undefined }): JsonObject {
  return cursor === undefined ? {} : { cursor };
}

const textCursor = once(() => z.object({ cursor: pageShape().cursor }));
const timedCursor = once(() => z.object({ cursor: timedPageShape().cursor }));
