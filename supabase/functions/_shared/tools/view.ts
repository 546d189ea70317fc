/** A tool as `define`, lists and read-back tell of it. Pure. Holds names of secrets, never a value. */

import { operationsOf } from "../definition/call-request.ts";
import { runsOnCall } from "../gate/effect.ts";
import { isLive, type Tool, toolStatus, waitsFor } from "./tool.ts";

/** What `define`, the list and read-back say alike. */
export function toolSummary(tool: Tool) {
  return {
    access: tool.file.access ?? null,
    version: tool.version,
    live: isLive(tool.kind),
    status: toolStatus(tool),
    runs: runsOf(tool),
  };
}

/** What is said of a tool that was just stored: its name, how it stands, and what it waits for. */
export function storedTool(tool: Tool) {
  return {
    tool: tool.slug,
    id: tool.id,
    name: tool.file.name,
    kind: tool.kind,
    ...toolSummary(tool),
    waits_for: waitsFor(tool.uses),
  };
}

/** The same as a host gets it: how many values the tool waits for, never their names. */
export function storedToolForHost(tool: Tool) {
  const stored = storedTool(tool);
  return { ...stored, waits_for: stored.waits_for.length };
}

/**
 * `on_call` where everything the tool can be asked runs at once. An mcp tool decides call by call; of it only the list
 * of its server's tools does.
 */
export function runsOf({ file, runs_as_read }: Tool): "on_call" | "after_approval" {
  const runs = operationsOf(file).every((call) => runsOnCall({ tool: file, call, runsAsRead: runs_as_read }));
  return runs ? "on_call" : "after_approval";
}

/** A row of the list. */
export function listedTool(tool: Tool, lastReadAt: string | null) {
  const { access, live, status, runs } = toolSummary(tool);
  return {
    tool: tool.slug,
    name: tool.file.name,
    description: tool.file.description,
    kind: tool.kind,
    host: tool.host,
    access,
    runs,
    live,
    status,
    waits_for: waitsFor(tool.uses),
    arguments: tool.file.arguments ?? null,
    last_read_at: lastReadAt,
  };
}

/** The same row as a host gets it: how many values the tool waits for, never their names, and not where a call goes. */
export function listedToolForHost(tool: Tool, lastReadAt: string | null) {
  const { host: _host, ...row } = listedTool(tool, lastReadAt);
  return { ...row, waits_for: row.waits_for.length };
}

/** The names a tool uses: under which keys, whether a value is there, whether this tool may use it, and the one host it goes to. */
export function secretViews(tool: Tool) {
  const views = new Map(tool.uses.map(({ name, set, allowed, host }) => {
    const keys = tool.uses.filter((use) => use.name === name).map((use) => use.credential_key);
    return [name, { name, keys, set, allowed, host }];
  }));
  return [...views.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Whose the tool is, in words that name no address. */
export function ownerView(tool: Tool) {
  const { user_id, key_kind } = tool.owner;
  return user_id === null ? { kind: key_kind, name: null } : { kind: "person", name: tool.owner_name };
}
