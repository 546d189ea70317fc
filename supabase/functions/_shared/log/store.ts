/** Appends to the log and reads it. Rows are never changed or deleted from here. */

import { onlyRow, type Queryable } from "../db/client.ts";
import type { Transaction } from "../db/transaction.ts";
import type { LogEvent } from "./event.ts";
import type { LogFilter } from "./filter.ts";

/** Appends one event of the workspace; it stands or falls with the change it tells of. */
export async function appendEvent(
  tx: Queryable,
  { workspaceId, event }: { workspaceId: string; event: LogEvent },
): Promise<void> {
  onlyRow(await tx`select framed.append_event(${workspaceId}::uuid, ${JSON.stringify(event)}::text::jsonb)`);
}

/** A row as one line of JSON, in the shape of `LoggedEvent`. */
export interface LogLine {
  readonly id: string;
  readonly line: string;
}

/**
 * Up to `limit` rows of the workspace, newest first, older than `before`. The database writes the JSON, so that an
 * export of many rows costs the process little.
 *
 * Rows that are appended meanwhile have higher ids and move nothing. With `redacted`, `args` and `chain` are null, since
 * from a hash and everything else that it covers arguments could be guessed; and of an approval's `detail` the words are
 * left out that people and tools give, which may quote arguments. `forHost` leaves out the names of secrets and of hosts,
 * and the hash that they could be guessed from.
 */
export async function listEvents(
  tx: Transaction,
  { workspaceId, filter, before, limit, redacted, forHost }: {
    workspaceId: string;
    filter: LogFilter;
    before: string | null;
    limit: number;
    redacted: boolean;
    forHost: boolean;
  },
): Promise<LogLine[]> {
  return [
    ...await tx<LogLine[]>`
    select e.id::text as id, ${redacted ? lineRedacted(tx, forHost) : lineWithChain(tx, forHost)} as line
      from framed.log_events e
      ${
      redacted
        ? tx``
        : tx`left join framed.log_links l on l.workspace_id = e.workspace_id and l.event_id = e.id`
    }
     where e.workspace_id = ${workspaceId} ${conditions(tx, filter)}
       ${before === null ? tx`` : tx`and e.id < ${before}::bigint`}
     order by e.id desc limit ${limit}`,
  ];
}

function conditions(tx: Queryable, { tool, principal, outcome, since, until }: LogFilter) {
  return tx`
    ${tool === null ? tx`` : tx`and e.tool = ${tool}`}
    ${
    principal === null
      ? tx``
      : "id" in principal
      ? tx`and e.principal ->> 'id' = ${principal.id}`
      : tx`and e.principal ->> 'kind' = ${principal.kind}`
  }
    ${
    outcome === null
      ? tx``
      : outcome === "not_ok"
      ? tx`and e.outcome <> 'ok'`
      : tx`and e.outcome = ${outcome}`
  }
    ${since === null ? tx`` : tx`and e.at >= ${since.toISOString()}::timestamptz`}
    ${until === null ? tx`` : tx`and e.at < ${until.toISOString()}::timestamptz`}`;
}

/** A row `e` of the log as everyone reads it and as the chain hashes it; the one place that says which members it has. */
export function eventLine(sql: Queryable, last = sql`'args', e.args`, detail = sql`e.detail`) {
  return sql`json_build_object('id', e.id::text, 'workspace_id', e.workspace_id,
    'at', to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'event', e.event, 'request_id', e.request_id,
    'principal', e.principal, 'tool', e.tool, 'tool_id', e.connector_id, 'version', e.version, 'operation', e.operation,
    'outcome', e.outcome, 'detail', ${detail}, 'total_ms', e.total_ms, 'queue_ms', e.queue_ms, 'database_ms', e.database_ms,
    'upstream_ms', e.upstream_ms, 'answer_bytes', e.answer_bytes, ${last})::text`;
}

function lineRedacted(tx: Transaction, forHost: boolean) {
  return eventLine(
    tx,
    tx`'args', null, 'chain', null`,
    tx`case when e.event like 'approval.%' then e.detail - 'reason' - 'because' - 'note'
      ${forHost ? namelessDetail(tx) : tx``} else e.detail end`,
  );
}

function lineWithChain(tx: Transaction, forHost: boolean) {
  return eventLine(
    tx,
    tx`'args', e.args, 'chain', case when l.hash is not null ${
      forHost ? tx`and ${isNameless(tx)}` : tx``
    } then json_build_object('seal', l.seal, 'previous_hash', encode(l.previous_hash, 'hex'), 'hash', encode(l.hash, 'hex')) end`,
    forHost ? tx`case ${namelessDetail(tx)} else e.detail end` : tx`e.detail`,
  );
}

/** Whether nothing in the row tells how a tool works. */
function isNameless(tx: Transaction) {
  return tx`e.event not like 'secret.%' and e.event not like 'webhook.%'`;
}

function namelessDetail(tx: Transaction) {
  return tx`when not (${isNameless(tx)}) then e.detail - 'name' - 'host'`;
}

/** How the calls of one day ended. */
export interface CallsOfDay {
  /** `2026-12-01`, in UTC. */
  readonly day: string;
  readonly ok: number;
  readonly not_ok: number;
}

/**
 * Ids that the first one of a day may be ahead of others of that day: they are given out together with the instant, though
 * not in one step, so that two rows of the same moment can stand the other way round.
 */
const ID_SLACK = 10_000;

/**
 * The calls of the workspace in the last `days` days, today by the database's clock among them: one entry a day, the oldest
 * first. Days are of UTC. With `tool`, a slug that was named, only its calls.
 *
 * The calls of a tool are looked up by its slug from the id on that the first day begins with: an index on their instants
 * would be one more to write with every call, and to build while nobody may call.
 */
export async function countCallsByDay(
  tx: Transaction,
  { workspaceId, tool, days }: { workspaceId: string; tool: string | null; days: number },
): Promise<CallsOfDay[]> {
  const since = tx`(date_trunc('day', now(), 'utc') - ${days - 1} * interval '24 hours')`;
  return [
    ...await tx<CallsOfDay[]>`
    with counted as (
      select (e.at at time zone 'utc')::date as day, (count(*) filter (where e.outcome = 'ok'))::integer as ok,
             (count(*) filter (where e.outcome <> 'ok'))::integer as not_ok
        from framed.log_events e
       where e.workspace_id = ${workspaceId} and e.event = 'tool.called' and e.at >= ${since}
         ${
      tool === null ? tx`` : tx`and e.tool = ${tool} and e.id >= (
           select f.id - ${ID_SLACK}::bigint from framed.log_events f
            where f.workspace_id = ${workspaceId} and f.at >= ${since} order by f.at limit 1)`
    }
       group by 1)
    select to_char(d.at at time zone 'utc', 'YYYY-MM-DD') as day, coalesce(c.ok, 0) as ok, coalesce(c.not_ok, 0) as not_ok
      from generate_series(${since}, now(), interval '24 hours') as d (at)
      left join counted c on c.day = (d.at at time zone 'utc')::date
     order by d.at`,
  ];
}
