/** Tools and their versions in the database. Every query runs inside a transaction that speaks for the workspace. */

import { capabilitiesOf } from "../definition/capability.ts";
import type { JsonObject } from "../definition/json.ts";
import type { FramedTool } from "../definition/format.ts";
import type { PrincipalHere } from "../auth/principal.ts";
import type { Queryable } from "../db/client.ts";
import type { Transaction } from "../db/transaction.ts";
import { isVisibleTo } from "./ownership.ts";
import type { Owner, Tool } from "./tool.ts";

/** What a definition writes. */
export interface Definition {
  readonly tool: FramedTool;
  /** SHA-256 of the canonical file, lower-case hex. */
  readonly digest: string;
  readonly host: string | null;
  /** Whether the mark "runs as a read" is still about this very request. */
  readonly keepsRunsAsRead: boolean;
  readonly partnerProvided: boolean;
  readonly owner: Owner;
  readonly actor: object;
}

/** The tool under a slug. */
export async function findTool(
  tx: Transaction,
  { workspaceId, slug }: { workspaceId: string; slug: string },
): Promise<(Tool & { readonly digest: string }) | null> {
  const [row] = await tx<({ tool: Tool; digest: string } & Standing)[]>`
    select framed.tool_json(c) as tool, encode(c.digest, 'hex') as digest, framed.has_quarantine(c) as quarantined,
           framed.has_dead_host(c) as host_down
      from framed.v2_connectors c
     where c.workspace_id = ${workspaceId} and c.slug = ${slug}`;
  if (row === undefined) return null;
  const { tool, ...more } = row;
  return { ...tool, ...more };
}

/** The tool under a slug, where the caller sees it: to a reseller key, what its account did not define looks like nothing. */
export async function findToolVisibleTo(
  tx: Transaction,
  { principal, slug }: { principal: PrincipalHere; slug: string },
): Promise<(Tool & { readonly digest: string }) | null> {
  const tool = await findTool(tx, { workspaceId: principal.workspace.id, slug });
  return tool !== null && isVisibleTo(tool.owner, principal) ? tool : null;
}

/**
 * Lets changes to a workspace's tools and secrets happen one after another, until the transaction ends. They are rare, and
 * each looks at more than one row before it writes: a slug that is free, a name that belongs to no other host.
 */
export async function lockTools(tx: Transaction, { workspaceId }: { workspaceId: string }): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`framed.v2_connectors/${workspaceId}`}, 0))`;
}

/** A new tool, at version 1. */
export async function insertTool(
  tx: Transaction,
  { workspaceId, definition }: { workspaceId: string; definition: Definition },
): Promise<{ id: string; version: number }> {
  const { tool, owner } = definition;
  const [row] = await tx<{ id: string }[]>`
    insert into framed.v2_connectors (workspace_id, slug, name, description, kind, access, file, digest, host,
      declared_capabilities, follow_up, request_config, partner_provided, owner_user_id, owner_key_kind, owner_account_id)
    values (${workspaceId}, ${tool.slug}, ${tool.name}, ${tool.description}, ${tool.kind}, ${
    tool.access ?? null
  },
      ${JSON.stringify(tool)}::text::json, decode(${definition.digest}, 'hex'), ${definition.host},
      ${jsonOrNull(capabilitiesOf(tool))}::text::jsonb, ${jsonOrNull(tool.follow_up)}::text::jsonb,
      ${JSON.stringify({ defined_from: tool.format })}::text::jsonb, ${definition.partnerProvided},
      ${owner.user_id}, ${owner.key_kind}, ${owner.account_id})
    returning id`;
  const stored = { id: row!.id, version: 1 };
  await insertVersion(tx, { workspaceId, ...stored, definition });
  return stored;
}

/** Swaps the whole definition, bumps the version, keeps every earlier one, and drops what the old one had kept of reads. */
export async function replaceTool(
  tx: Transaction,
  { workspaceId, id, definition }: { workspaceId: string; id: string; definition: Definition },
): Promise<{ id: string; version: number }> {
  const { tool, owner } = definition;
  const [row] = await tx<{ version: number }[]>`
    update framed.v2_connectors set name = ${tool.name}, description = ${tool.description}, kind = ${tool.kind},
      access = ${tool.access ?? null}, file = ${
    JSON.stringify(tool)
  }::text::json, digest = decode(${definition.digest}, 'hex'),
      host = ${definition.host}, declared_capabilities = ${jsonOrNull(capabilitiesOf(tool))}::text::jsonb,
      follow_up = ${jsonOrNull(tool.follow_up)}::text::jsonb,
      request_config = ${JSON.stringify({ defined_from: tool.format })}::text::jsonb,
      runs_as_read = runs_as_read and ${definition.keepsRunsAsRead}, partner_provided = ${definition.partnerProvided},
      owner_user_id = ${owner.user_id}, owner_key_kind = ${owner.key_kind}, owner_account_id = ${owner.account_id},
      version = version + 1, updated_at = now()
    where workspace_id = ${workspaceId} and id = ${id}
    returning version`;
  const stored = { id, version: row!.version };
  await insertVersion(tx, { workspaceId, ...stored, definition });
  // What was read under another definition may hold fields that this one withholds.
  await tx`delete from framed.v2_kept_reads where workspace_id = ${workspaceId} and connector_id = ${id}`;
  await tx`delete from framed.v2_results where workspace_id = ${workspaceId} and connector_id = ${id}`;
  return stored;
}

/** Marks a tool as one that came with Framed. Only the owner of the database may: the role of the functions sets no origin. */
export async function markSeeded(
  tx: Queryable,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  await tx`update framed.v2_connectors set origin = 'seeded' where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Says whether the tool's request only reads. */
export async function markRunsAsRead(
  tx: Transaction,
  { workspaceId, id, value }: { workspaceId: string; id: string; value: boolean },
): Promise<void> {
  await tx`update framed.v2_connectors set runs_as_read = ${value} where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Removes a tool with its versions and kept reads. */
export async function deleteTool(
  tx: Transaction,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  await tx`delete from framed.v2_connectors where workspace_id = ${workspaceId} and id = ${id}`;
}

/** A tool in a list, with when it was last read. */
export interface ListedTool {
  readonly tool: Tool;
  readonly last_read_at: string | null;
}

/** Some tools of a list, in its order. */
export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** The last slug a search looked at, where it stopped there with tools left to look at; else null. */
  readonly stoppedAt: string | null;
}

/** The most tools that one page of a search looks at. */
const MAX_LOOKED_AT = 5_000;

/**
 * Tools by slug, after `after`, at most `limit`; with `ownerAccountId` only what a reseller key of that account defined.
 * With `query` those whose slug, name or description holds it, among the next 5,000: what a page costs does not grow with
 * the workspace.
 */
export async function listTools(
  tx: Transaction,
  { workspaceId, query, after, limit, ownerAccountId }: {
    workspaceId: string;
    query: string | null;
    after: string | null;
    limit: number;
    ownerAccountId: string | null;
  },
): Promise<ListedTools> {
  const ahead = tx`c.workspace_id = ${workspaceId} and c.slug > ${after ?? ""} ${
    ownerAccountId === null
      ? tx``
      : tx`and c.owner_user_id is null and c.owner_key_kind = 'reseller' and c.owner_account_id = ${ownerAccountId}::uuid`
  }`;
  const besides = tx`(select to_json(k.read_at) #>> '{}' from framed.v2_kept_reads k
    where k.workspace_id = c.workspace_id and k.connector_id = c.id and k.version = c.version
    order by k.read_at desc limit 1) as last_read_at, framed.has_quarantine(c) as quarantined,
    framed.has_dead_host(c) as host_down`;
  if (query === null) {
    const rows = await tx<ListedRow[]>`
      select framed.tool_json(c) as tool, ${besides} from framed.v2_connectors c where ${ahead} order by c.slug limit ${limit}`;
    return { tools: rows.map(toListed), stoppedAt: null };
  }
  // The last one that was looked at is told, found or not.
  const rows = await tx<(ListedRow & { slug: string; nth: number; is_found: boolean })[]>`
    select framed.tool_json(c, is_found) as tool, ${besides}, slug, nth, is_found from (
      select c.slug, row_number() over (order by c.slug)::integer as nth,
        strpos(lower(c.slug || ' ' || c.name || ' ' || c.description), lower(${query}::text)) > 0 as is_found
      from framed.v2_connectors c where ${ahead} order by c.slug limit ${MAX_LOOKED_AT}
    ) looked_at join framed.v2_connectors c using (slug)
    where ${ahead} and (is_found or nth = ${MAX_LOOKED_AT}) order by slug limit ${limit}`;
  const last = rows.at(-1);
  return {
    tools: rows.filter((row) => row.is_found).map(toListed),
    stoppedAt: last?.nth === MAX_LOOKED_AT ? last.slug : null,
  };
}

/** What is looked up of a tool's surroundings, for its status. */
type Standing = Required<Pick<Tool, "quarantined" | "host_down">>;
type ListedRow = ListedTool & Standing;

function toListed({ tool, last_read_at, quarantined, host_down }: ListedRow): ListedTool {
  return { tool: { ...tool, quarantined, host_down }, last_read_at };
}

/** What a tool last read. */
export interface LastRead {
  readonly args: JsonObject;
  /** Null of a single answer. */
  readonly rows: number | null;
  readonly first: unknown;
  readonly read_at: string;
}

/** The newest read that is kept under the tool's present definition; null where none is. */
export async function findLastRead(tx: Transaction, tool: Tool): Promise<LastRead | null> {
  const [row] = await tx<LastRead[]>`
    select args, row_count as rows, first_row as first, to_json(read_at) #>> '{}' as read_at from framed.v2_kept_reads
     where workspace_id = ${tool.workspace_id} and connector_id = ${tool.id} and version = ${tool.version}
     order by read_at desc limit 1`;
  return row ?? null;
}

async function insertVersion(
  tx: Transaction,
  { workspaceId, id, version, definition }: {
    workspaceId: string;
    id: string;
    version: number;
    definition: Definition;
  },
): Promise<void> {
  await tx`
    insert into framed.v2_connector_versions (connector_id, workspace_id, version, file, digest, defined_by)
    values (${id}, ${workspaceId}, ${version}, ${JSON.stringify(definition.tool)}::text::json,
      decode(${definition.digest}, 'hex'), ${JSON.stringify(definition.actor)}::text::jsonb)`;
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
