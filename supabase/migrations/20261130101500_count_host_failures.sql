-- What: which of a tool's last calls could not reach its host, and whether there are enough of them to say that the host is down.
-- Why:  what a process knows of a dead host, the others do not; and people see that a tool cannot run before they call it.
--       It is kept with the log row of a call, in its statement, and only where it changes: a call that has an answer after others
--       that had one writes nothing more. Nothing here waits for another call or for who defines, replaces or removes the tool:
--       a failure is a row of its own, not a number that everybody changes, and what somebody else holds is passed over.
-- Locks: v2_connectors, against changes of tools and not against calls, for a moment. Gives up after five seconds of waiting for
--        it: run it again then. One function is replaced.

set local lock_timeout = '5s';

create table framed.v2_host_failures (
  id bigint generated always as identity constraint v2_host_failures_pkey primary key,
  workspace_id uuid not null,
  connector_id uuid not null,
  host text not null,
  failed_at timestamptz not null default now(),
  constraint v2_host_failures_connector_fkey foreign key (workspace_id, connector_id)
    references framed.v2_connectors (workspace_id, id) on delete cascade
);
comment on table framed.v2_host_failures is
  'Calls of a tool since the last answer of its host that could not reach it: as many as it takes to call the host down, or a few more of calls at the same time.';
comment on column framed.v2_host_failures.host is
  'v2_connectors.host as it was then: a tool that was defined anew with another host has not failed there.';
create index v2_host_failures_connector_idx on framed.v2_host_failures (workspace_id, connector_id);

alter table framed.v2_host_failures enable row level security;
create policy v2_host_failures_current on framed.v2_host_failures for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
-- The update is for its right to lock a row: none is changed.
grant select, insert (workspace_id, connector_id, host), delete, update (failed_at) on framed.v2_host_failures to framed_app;

create function framed.has_dead_host(connector framed.v2_connectors) returns boolean
  language sql stable
  return connector.host is not null and 3 <= (
    select count(*) from framed.v2_host_failures f
     where f.workspace_id = connector.workspace_id and f.connector_id = connector.id and f.host = connector.host);
comment on function framed.has_dead_host(framed.v2_connectors) is
  'Whether the last three calls of the tool, or more, could not reach its host. Runs as whoever asks.';

create function framed.note_host(workspace uuid, connector uuid, of_version integer, answered boolean) returns void
  language plpgsql set search_path = ''
as $$
declare
  called framed.v2_connectors;
begin
  if answered and not exists (
    select from framed.v2_host_failures f where f.workspace_id = workspace and f.connector_id = connector)
  then
    return;
  end if;
  -- Of a tool that is being removed nothing is noted; what was called under another definition says nothing of this one.
  select * into called from framed.v2_connectors c
   where c.workspace_id = workspace and c.id = connector and c.version = of_version for key share skip locked;
  if called.host is null then return; end if;
  if answered then
    delete from framed.v2_host_failures f where f.id in (
      select h.id from framed.v2_host_failures h where h.workspace_id = workspace and h.connector_id = connector
         for update skip locked);
  elsif not framed.has_dead_host(called) then
    insert into framed.v2_host_failures (workspace_id, connector_id, host) values (workspace, connector, called.host);
  end if;
end
$$;
comment on function framed.note_host(uuid, uuid, integer, boolean) is
  'Notes that a call of the tool in this version had an answer of its host, or could not reach it. Waits for nobody. Runs as whoever asks.';

create or replace function framed.append_event(workspace uuid, log_event jsonb) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- The transaction has its number before the row has its id: what seals the log tells by it which ids can still come.
  perform pg_current_xact_id();
  insert into framed.log_events (workspace_id, event, request_id, principal, tool, connector_id, version, operation, args, outcome,
    detail, total_ms, queue_ms, database_ms, upstream_ms, answer_bytes)
  select workspace, e.event, e.request_id, e.principal, e.tool, e.connector_id, e.version, e.operation, e.args, e.outcome,
    coalesce(e.detail, '{}'::jsonb), e.total_ms, e.queue_ms, e.database_ms, e.upstream_ms, e.answer_bytes
  from jsonb_to_record(log_event) as e(event text, request_id text, principal jsonb, tool text, connector_id uuid, version integer,
    operation text, args jsonb, outcome text, detail jsonb, total_ms integer, queue_ms integer, database_ms integer,
    upstream_ms integer, answer_bytes bigint);
  if log_event ? 'host_answered' then
    perform framed.note_host(workspace, (log_event ->> 'connector_id')::uuid, (log_event ->> 'version')::integer,
      (log_event ->> 'host_answered')::boolean);
  end if;
end
$$;
comment on function framed.append_event(uuid, jsonb) is
  'The one way the functions append to the log: a row of the workspace, as whoever asks. The moment is the clock''s, and nobody''s to say. With `host_answered` it is noted of the tool''s host what the call told of it.';

revoke all on function framed.has_dead_host(framed.v2_connectors), framed.note_host(uuid, uuid, integer, boolean) from public;
grant execute on function framed.has_dead_host(framed.v2_connectors), framed.note_host(uuid, uuid, integer, boolean) to framed_app;
