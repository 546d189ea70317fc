-- What: approvals, the calls they hold, and what is followed up after a write.
-- Why:  a call that changes something waits here for a person; what they approve is exactly what is sent, once. Every state
--       change is one guarded update, so two people, two processes or a process and the tick never both do it.
-- Locks: creates only.

create function framed.current_approval_id() returns uuid
  language sql stable
  return nullif(current_setting('framed.approval_id', true), '')::uuid;
comment on function framed.current_approval_id() is
  'The approval this transaction was asked for: where it is may be looked up before it is known whether the caller reaches that workspace.';

create table framed.v2_approvals (
  id uuid constraint v2_approvals_pkey primary key,
  workspace_id uuid not null constraint v2_approvals_workspace_fkey references framed.workspaces (id) on delete cascade,
  status text not null default 'awaiting_approval' constraint v2_approvals_status check (status in
    ('awaiting_approval', 'running', 'applied', 'failed', 'unknown', 'rejected', 'expired', 'superseded')),
  digest bytea not null constraint v2_approvals_digest_length check (octet_length(digest) = 32),
  proposal_key bytea not null constraint v2_approvals_proposal_key_length check (octet_length(proposal_key) = 32),
  needs text not null constraint v2_approvals_needs check (needs in ('member', 'admin')),
  rules jsonb not null default '[]',
  requested_by jsonb not null,
  requester_user_id uuid,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by jsonb,
  decided_at timestamptz,
  reject_reason text,
  superseded_by uuid,
  superseded_because text,
  outcome text,
  ended_at timestamptz,
  settled jsonb,
  sender uuid,
  lease_until timestamptz,
  constraint v2_approvals_in_workspace unique (workspace_id, id),
  constraint v2_approvals_superseded_by_fkey foreign key (workspace_id, superseded_by)
    references framed.v2_approvals (workspace_id, id),
  constraint v2_approvals_lease_while_running check ((status = 'running') or (lease_until is null)),
  constraint v2_approvals_decided check ((decided_at is null) = (decided_by is null))
);
comment on table framed.v2_approvals is 'A call, or a chain of calls, that waits for a person; the row is an approval from the start and stays.';
comment on column framed.v2_approvals.digest is 'SHA-256 over all that a person approves: caller, tools and versions, arguments, methods and hosts, secret names, inner digests, expiry.';
comment on column framed.v2_approvals.proposal_key is 'SHA-256 of caller and calls: the same proposal while this one waits is this one.';
comment on column framed.v2_approvals.rules is 'The rules that made it stricter: [{call, then, say}].';
comment on column framed.v2_approvals.requested_by is 'Who asked: {kind, id, name}.';
comment on column framed.v2_approvals.requester_user_id is 'The person behind who asked; null for a key with none behind it.';
comment on column framed.v2_approvals.outcome is 'How it ended, in words.';
comment on column framed.v2_approvals.sender is 'The process that sends its calls holds this until lease_until; nobody else claims one meanwhile.';
create unique index v2_approvals_one_waiting_idx on framed.v2_approvals (workspace_id, proposal_key) where status = 'awaiting_approval';
create index v2_approvals_newest_idx on framed.v2_approvals (workspace_id, requested_at desc, id desc);
create index v2_approvals_by_status_idx on framed.v2_approvals (workspace_id, status, requested_at desc, id desc);
create index v2_approvals_by_requester_idx on framed.v2_approvals (workspace_id, (requested_by ->> 'kind'), (requested_by ->> 'id'),
  requested_at desc, id desc);
create index v2_approvals_expiring_idx on framed.v2_approvals (expires_at) where status = 'awaiting_approval';
create index v2_approvals_leased_idx on framed.v2_approvals (lease_until) where status = 'running';

create table framed.v2_approval_calls (
  approval_id uuid not null,
  n integer not null constraint v2_approval_calls_n check (n between 0 and 19),
  workspace_id uuid not null,
  status text not null default 'waiting' constraint v2_approval_calls_status check (status in
    ('waiting', 'running', 'applied', 'failed', 'unknown', 'not_sent')),
  connector_id uuid not null,
  version integer not null,
  tool text not null,
  tool_name text not null,
  access text,
  method text,
  host text,
  args json not null,
  capability text,
  operation text,
  secret_names text[] not null default '{}',
  inner_digest text,
  may_destroy boolean not null default false,
  from_calls jsonb not null default '[]',
  preview json,
  sent_args json,
  began_at timestamptz,
  ended_at timestamptz,
  reason text,
  detail text,
  lost boolean not null default false,
  result json,
  result_id uuid constraint v2_approval_calls_result_unique unique,
  sealed_result bytea,
  sealed_key_id uuid,
  result_gone_at timestamptz,
  constraint v2_approval_calls_pkey primary key (approval_id, n),
  constraint v2_approval_calls_approval_fkey foreign key (workspace_id, approval_id)
    references framed.v2_approvals (workspace_id, id) on delete cascade,
  constraint v2_approval_calls_key_fkey foreign key (workspace_id, sealed_key_id)
    references framed.workspace_data_keys (workspace_id, id),
  constraint v2_approval_calls_sealed_all_or_nothing check ((sealed_result is null) = (sealed_key_id is null)),
  constraint v2_approval_calls_sealed_or_open check (result is null or sealed_result is null)
);
comment on table framed.v2_approval_calls is 'One exact call of an approval, in the order they are sent. Outlives the tool it speaks of.';
comment on column framed.v2_approval_calls.args is 'What was proposed; json, so that digits and the order of keys stay.';
comment on column framed.v2_approval_calls.sent_args is 'The arguments as they went out, filled from earlier calls; null where they are `args`, or nothing went out.';
comment on column framed.v2_approval_calls.from_calls is 'Which values come later, and from which call: [{path, call, result_path}].';
comment on column framed.v2_approval_calls.preview is 'What the preview answered when it was proposed: {tool, args, compare, ok, result | reason, read_at, digest}.';
comment on column framed.v2_approval_calls.lost is 'Whoever was sending it was given up; what they still know of its end counts.';
comment on column framed.v2_approval_calls.result is 'What leaves of the other system''s answer.';
comment on column framed.v2_approval_calls.sealed_result is 'The answer of a sensitive call, sealed, until result_gone_at.';
create index v2_approval_calls_waiting_idx on framed.v2_approval_calls (connector_id, version) where status = 'waiting';
create index v2_approval_calls_gone_idx on framed.v2_approval_calls (result_gone_at) where result_gone_at is not null;

create table framed.v2_findings (
  id uuid constraint v2_findings_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint v2_findings_workspace_fkey references framed.workspaces (id) on delete cascade,
  kind text not null constraint v2_findings_kind check (kind in ('follow_ups_waiting')),
  week text not null constraint v2_findings_week check (week ~ '^\d{4}-W\d{2}$'),
  found_at timestamptz not null,
  changed_at timestamptz not null,
  constraint v2_findings_in_workspace unique (workspace_id, id),
  constraint v2_findings_one_a_week unique (workspace_id, kind, week)
);
comment on table framed.v2_findings is 'Catch up: what a workspace is told by itself, one finding per kind and ISO week (UTC).';
create index v2_findings_newest_idx on framed.v2_findings (workspace_id, changed_at desc, id desc);

create table framed.v2_follow_ups (
  approval_id uuid constraint v2_follow_ups_pkey primary key,
  workspace_id uuid not null,
  call integer not null,
  connector_id uuid not null,
  tool text not null,
  status text not null default 'waiting' constraint v2_follow_ups_status check (status in ('waiting', 'done', 'stopped', 'given_up')),
  what text not null,
  until text not null,
  check_tool text not null,
  check_args json not null,
  done_when json not null,
  wrote_at timestamptz not null,
  alarm_at timestamptz not null,
  stop_at timestamptz not null,
  checks integer not null default 0 constraint v2_follow_ups_checks check (checks >= 0),
  last_check_at timestamptz,
  last_check_outcome text,
  next_check_at timestamptz,
  due_at timestamptz,
  lease uuid,
  alarmed_at timestamptz,
  finding_id uuid,
  stopped_by jsonb,
  ended_at timestamptz,
  constraint v2_follow_ups_approval_fkey foreign key (workspace_id, approval_id)
    references framed.v2_approvals (workspace_id, id) on delete cascade,
  constraint v2_follow_ups_finding_fkey foreign key (workspace_id, finding_id)
    references framed.v2_findings (workspace_id, id),
  constraint v2_follow_ups_alarm_before_stop check (wrote_at < alarm_at and alarm_at < stop_at),
  constraint v2_follow_ups_due_while_waiting check ((status = 'waiting') = (due_at is not null) and (status = 'waiting') = (next_check_at is not null)),
  constraint v2_follow_ups_stopped_by_someone check ((status = 'stopped') = (stopped_by is not null))
);
comment on table framed.v2_follow_ups is 'What is checked after an approved write until it is done in the other system; one per approval.';
comment on column framed.v2_follow_ups.check_args is 'Filled from the call that wrote: its arguments as they went out and its answer.';
comment on column framed.v2_follow_ups.next_check_at is 'By the schedule, as it is shown.';
comment on column framed.v2_follow_ups.due_at is 'When it can be claimed: its next check, or while a tick checks it the end of that tick''s lease.';
create index v2_follow_ups_due_idx on framed.v2_follow_ups (workspace_id, due_at) where status = 'waiting';
create index v2_follow_ups_alarm_idx on framed.v2_follow_ups (alarm_at) where status = 'waiting' and alarmed_at is null;
create index v2_follow_ups_stop_idx on framed.v2_follow_ups (stop_at) where status = 'waiting';
create index v2_follow_ups_finding_idx on framed.v2_follow_ups (finding_id) where finding_id is not null;

create table framed.v2_follow_up_turns (
  workspace_id uuid constraint v2_follow_up_turns_pkey primary key
    constraint v2_follow_up_turns_workspace_fkey references framed.workspaces (id) on delete cascade,
  due_at timestamptz not null
);
comment on table framed.v2_follow_up_turns is 'When each workspace with waiting follow-ups is looked at next: a workspace with many goes to the back of the line after its turn.';
create index v2_follow_up_turns_due_idx on framed.v2_follow_up_turns (due_at);

alter table framed.v2_approvals enable row level security;
alter table framed.v2_approval_calls enable row level security;
alter table framed.v2_findings enable row level security;
alter table framed.v2_follow_ups enable row level security;
alter table framed.v2_follow_up_turns enable row level security;

create policy v2_approvals_current on framed.v2_approvals for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_approvals_asked_for on framed.v2_approvals for select to framed_app
  using (id = (select framed.current_approval_id()));
create policy v2_approval_calls_current on framed.v2_approval_calls for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_findings_current on framed.v2_findings for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_follow_ups_current on framed.v2_follow_ups for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_follow_up_turns_current on framed.v2_follow_up_turns for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));

-- What was asked, by whom and for how long is nobody's to change; nothing is ever deleted from here.
grant select, insert, update (status, decided_by, decided_at, reject_reason, superseded_by, superseded_because, outcome, ended_at,
  settled, sender, lease_until) on framed.v2_approvals to framed_app;
grant select, insert, update (status, sent_args, began_at, ended_at, reason, detail, lost, result, result_id, sealed_result, sealed_key_id,
  result_gone_at) on framed.v2_approval_calls to framed_app;
grant select, insert, update (changed_at) on framed.v2_findings to framed_app;
grant select, insert, update (status, checks, last_check_at, last_check_outcome, next_check_at, due_at, lease, alarmed_at, finding_id,
  stopped_by, ended_at) on framed.v2_follow_ups to framed_app;
grant select, insert, update (due_at), delete on framed.v2_follow_up_turns to framed_app;
revoke all on function framed.current_approval_id() from public;
grant execute on function framed.current_approval_id() to framed_app;

create function framed.start_follow_up(workspace uuid, approval uuid, follow_up jsonb, wrote timestamptz) returns void
  language plpgsql set search_path = ''
as $$
declare
  first_check constant timestamptz := wrote + interval '2 hours';
begin
  insert into framed.v2_follow_ups (approval_id, workspace_id, call, connector_id, tool, what, until, check_tool, check_args, done_when,
    wrote_at, alarm_at, stop_at, next_check_at, due_at)
  select approval, workspace, f.call, f.connector_id, f.tool, f.what, f.until, f.check_tool, f.check_args, f.done_when, wrote,
    wrote + make_interval(hours => 24 * f.alarm_after_days), wrote + make_interval(hours => 24 * f.stop_after_days), first_check, first_check
  from jsonb_to_record(follow_up) as f(call integer, connector_id uuid, tool text, what text, until text, check_tool text, check_args json,
    done_when json, alarm_after_days integer, stop_after_days integer);
  insert into framed.v2_follow_up_turns as t (workspace_id, due_at) values (workspace, first_check)
  on conflict on constraint v2_follow_up_turns_pkey do update set due_at = least(t.due_at, excluded.due_at) where t.due_at > excluded.due_at;
end
$$;
comment on function framed.start_follow_up(uuid, uuid, jsonb, timestamptz) is
  'Starts what is to be followed up after a write of `wrote`: {call, connector_id, tool, what, until, check_tool, check_args, done_when, alarm_after_days, stop_after_days}. Days are of 24 hours.';
revoke all on function framed.start_follow_up(uuid, uuid, jsonb, timestamptz) from public;
grant execute on function framed.start_follow_up(uuid, uuid, jsonb, timestamptz) to framed_app;
