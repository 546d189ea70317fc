/** The request a change belongs to, who makes it, and the log row that tells of it. */

import { actorOf, type Principal } from "../auth/principal.ts";
import type { JsonValue } from "../definition/json.ts";
import { clipArgs, type EventName, type LogEvent } from "../log/event.ts";
import type { Tool } from "../tools/tool.ts";

/** Whose request this is, for the log. */
export interface Occasion {
  readonly requestId: string;
  /** Whole milliseconds since the request arrived. */
  readonly elapsedMs: () => number;
}

/** Who changes something, and on what occasion. */
export interface Change {
  readonly actor: LogEvent["principal"];
  readonly occasion: Occasion;
}

/** The log row of a change to `tool` that went through. */
export function changeEvent(
  event: EventName,
  { principal, tool, occasion, detail }: {
    principal: Principal;
    tool: Pick<Tool, "slug" | "id" | "version">;
    occasion: Occasion;
    detail?: { readonly [key: string]: string };
  },
): LogEvent {
  return {
    event,
    request_id: occasion.requestId,
    principal: actorOf(principal),
    tool: tool.slug,
    connector_id: tool.id,
    version: tool.version,
    operation: null,
    args: null,
    outcome: "ok",
    ...(detail === undefined ? {} : { detail }),
    total_ms: occasion.elapsedMs(),
  };
}

/** The log row of a change to the workspace itself, its people or its keys. */
export function workspaceEvent(
  event: EventName,
  { actor, occasion, detail }: Change & { detail: { readonly [key: string]: JsonValue } },
): LogEvent {
  return {
    event,
    request_id: occasion.requestId,
    principal: actor,
    tool: null,
    connector_id: null,
    version: null,
    operation: null,
    args: null,
    outcome: "ok",
    detail: clipArgs(detail),
    total_ms: occasion.elapsedMs(),
  };
}
