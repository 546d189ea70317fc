-- What: the log: one row for each call and for each change to a tool, a secret or a key.
-- Why:  who did what, how it ended and how long it took, with no credential in it. Append only: the role can
--       neither change nor delete a row.
-- Locks: creates only.

create table framed.log_events (
  id bigint generated always as identity constraint log_events_pkey primary key,
  workspace_id uuid not null constraint log_events_workspace_fkey references framed.workspaces (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  event text not null,
  request_id text not null,
  principal jsonb not null,
  tool text,
  connector_id uuid,
  version integer,
  operation text,
  args jsonb,
  outcome text not null,
  detail jsonb not null default '{}',
  total_ms integer not null constraint log_events_total_ms check (total_ms >= 0),
  queue_ms integer constraint log_events_queue_ms check (queue_ms >= 0),
  database_ms integer constraint log_events_database_ms check (database_ms >= 0),
  upstream_ms integer constraint log_events_upstream_ms check (upstream_ms >= 0),
  answer_bytes bigint constraint log_events_answer_bytes check (answer_bytes >= 0)
);
comment on table framed.log_events is 'Append only. Rows outlive the tools they speak of, so connector_id is no foreign key.';
comment on column framed.log_events.event is 'One of the closed list in _shared/log/event.ts.';
comment on column framed.log_events.principal is 'Who: {kind, id, name}.';
comment on column framed.log_events.args is 'The call''s arguments, long values clipped, anything shaped like a credential taken out.';
comment on column framed.log_events.outcome is 'ok, or the reason of the refusal.';
comment on column framed.log_events.total_ms is 'From the arrival of the request until the row was written.';
comment on column framed.log_events.queue_ms is 'Waited for a turn at the other system.';
comment on column framed.log_events.database_ms is 'What the call needed from the store before it ran, with the wait for a connection; writing the row cannot be in the row.';
comment on column framed.log_events.upstream_ms is 'From the turn at the other system until its answer was whole, or until it was given up.';
comment on column framed.log_events.answer_bytes is 'What the other system answered, decoded.';
create index log_events_newest_idx on framed.log_events (workspace_id, id desc);
create index log_events_tool_idx on framed.log_events (workspace_id, tool, id desc);
create index log_events_at_idx on framed.log_events (workspace_id, at);

alter table framed.log_events enable row level security;
create policy log_events_read on framed.log_events for select to framed_app
  using (workspace_id = (select framed.current_workspace_id()));
create policy log_events_append on framed.log_events for insert to framed_app
  with check (workspace_id = (select framed.current_workspace_id()));
-- Neither id nor at: a row is of the moment it is appended, whoever appends it.
grant select, insert (workspace_id, event, request_id, principal, tool, connector_id, version, operation, args, outcome, detail,
  total_ms, queue_ms, database_ms, upstream_ms, answer_bytes) on framed.log_events to framed_app;

create function framed.append_event(workspace uuid, log_event jsonb) returns void
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
end
$$;
comment on function framed.append_event(uuid, jsonb) is
  'The one way the functions append to the log: a row of the workspace, as whoever asks. The moment is the clock''s, and nobody''s to say.';
revoke all on function framed.append_event(uuid, jsonb) from public;
grant execute on function framed.append_event(uuid, jsonb) to framed_app;
