/**
 * What the system of a file says now: of an MCP server, which tools it has and what a call of each does. The one thing
 * here that asks another system, over the guarded way out, and only when it is asked for. Reads no secret.
 */

import type { FramedTool, McpTool } from "../../supabase/functions/_shared/definition/format.ts";
import { createEgress, type Egress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { runsOnCall } from "../../supabase/functions/_shared/gate/effect.ts";
import { type ToldTool } from "../../supabase/functions/_shared/inner-tools/inner-tool.ts";
import { listServerTools } from "../../supabase/functions/_shared/kinds/mcp-list.ts";

/** A tool that a server lists. */
export interface LiveTool {
  readonly name: string;
  readonly description: string | null;
  readonly runs: "on_call" | "after_approval";
}

export type LiveOutcome =
  | { readonly ok: true; readonly tools: readonly LiveTool[] }
  | { readonly ok: false; readonly reason: string; readonly says: string };

const TIMEOUT_MS = 30_000;

// Node has it since 22, and the runner runs on 20 too.
Promise.withResolvers ??= function withResolvers<T>() {
  let settle!: Pick<PromiseWithResolvers<T>, "resolve" | "reject">;
  const promise = new Promise<T>((resolve, reject) => settle = { resolve, reject });
  return { promise, ...settle };
} as typeof Promise.withResolvers;

/**
 * Asks the file's server for its tools, within 30 s and without the secret, which nothing here reads: a server that wants
 * one says so. Null for a file of another kind, whose calls are made on a workspace.
 */
export async function listLive(
  tool: FramedTool,
  { egress }: { egress?: Egress } = {},
): Promise<LiveOutcome | null> {
  if (tool.kind !== "mcp") return null;
  const way = egress ?? createEgress();
  const began = performance.now();
  try {
    const listed = await listServerTools(withoutSecret(tool), {
      egress: way,
      openCredentials: () => Promise.resolve({ ok: true, value: NO_CREDENTIALS }),
      timeLeftMs: () => Math.max(1, TIMEOUT_MS - (performance.now() - began)),
      now: () => new Date(),
    });
    if (listed.ok) return { ok: true, tools: listed.value.tools.map((told) => liveTool(tool, told)) };
    const { reason, detail = reason } = listed.refusal;
    return { ok: false, reason, says: tool.mcp.auth === undefined ? detail : `${detail} ${UNSENT}` };
  } finally {
    if (egress === undefined) await way.close();
  }
}

const UNSENT = "It was asked without the secret, which is pasted on a workspace and not read here.";

const NO_CREDENTIALS = {
  values: new Map(),
  names: new Map(),
  redact: { text: (text: string) => text, json: <T>(value: T) => value },
};

function withoutSecret(tool: McpTool): McpTool {
  const { url, headers = {} } = tool.mcp;
  const open = Object.entries(headers).filter(([, value]) => !value.includes("{{"));
  return { ...tool, mcp: { url, headers: Object.fromEntries(open) } };
}

/** As it is when it is listed for the first time on a workspace: what it says then is what is believed. */
function liveTool(tool: McpTool, { name, description, annotations }: ToldTool): LiveTool {
  const { readOnlyHint, destructiveHint } = annotations;
  const call = { args: { action: "call", tool: name } };
  const runs = runsOnCall({ tool, call, inner: { readOnlyHint, destructiveHint, quarantined: false } });
  return { name, description, runs: runs ? "on_call" : "after_approval" };
}
