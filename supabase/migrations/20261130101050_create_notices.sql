-- What: the webhook of a workspace and the notices that are told to it: that an approval or a finding waits.
-- Why:  people decide in time only about what they know of. A notice is noted in the transaction of what waits, so that
--       none is lost; the tick tells it once its delay has passed, if it still waits then.
-- Locks: creates only.

create table framed.v2_webhooks (
  workspace_id uuid constraint v2_webhooks_pkey primary key
    constraint v2_webhooks_workspace_fkey references framed.workspaces (id) on delete cascade,
  sealed bytea,
  data_key_id uuid,
  secret_made_at timestamptz,
  last_delivered_at timestamptz,
  last_failed_at timestamptz,
  last_failure text,
  failing_since timestamptz,
  gone_at timestamptz,
  due_at timestamptz,
  lease uuid,
  lease_until timestamptz,
  constraint v2_webhooks_data_key_fkey foreign key (workspace_id, data_key_id)
    references framed.workspace_data_keys (workspace_id, id),
  constraint v2_webhooks_sealed_all_or_nothing
    check ((sealed is null) = (data_key_id is null) and (sealed is null) = (secret_made_at is null)),
  constraint v2_webhooks_lease_ends check ((lease is null) = (lease_until is null))
);
comment on table framed.v2_webhooks is
  'How a workspace''s webhook fares and what its messages are signed with. Where it is and its delay are in the workspace''s settings; the row stays when it is removed.';
comment on column framed.v2_webhooks.sealed is 'The signing secret, sealed for its workspace; null where no webhook is set, and nothing is noted then.';
comment on column framed.v2_webhooks.failing_since is 'The first failure since the last delivery; null where the last message was delivered.';
comment on column framed.v2_webhooks.gone_at is 'When it answered 410: nothing is noted or sent until it is set anew.';
comment on column framed.v2_webhooks.due_at is 'When the next of its messages can be sent; null where nothing waits.';
comment on column framed.v2_webhooks.lease is 'The tick whose turn it is, until lease_until; no other sends to it meanwhile.';
create index v2_webhooks_well_due_idx on framed.v2_webhooks (due_at) where failing_since is null;
create index v2_webhooks_failing_due_idx on framed.v2_webhooks (due_at) where failing_since is not null;

create table framed.v2_notices (
  id uuid constraint v2_notices_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint v2_notices_webhook_fkey references framed.v2_webhooks (workspace_id) on delete cascade,
  kind text not null constraint v2_notices_kind check (kind in ('approval_waiting', 'follow_ups_waiting')),
  subject uuid not null,
  status text not null default 'waiting' constraint v2_notices_status check (status in ('waiting', 'delivered', 'dropped', 'failed')),
  noted_at timestamptz not null,
  due_at timestamptz not null,
  message_id uuid,
  message_at timestamptz,
  attempts integer not null default 0 constraint v2_notices_attempts check (attempts >= 0),
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  last_status text,
  ended_at timestamptz,
  constraint v2_notices_one_a_subject unique (workspace_id, kind, subject),
  constraint v2_notices_next_while_waiting
    check ((status = 'waiting') = (next_attempt_at is not null) and (status = 'waiting') = (ended_at is null)),
  constraint v2_notices_message_all_or_nothing check ((message_id is null) = (message_at is null))
);
comment on table framed.v2_notices is 'That a thing waits, to be told to the workspace''s webhook once, and what became of it.';
comment on column framed.v2_notices.subject is 'The approval or the finding. Holds nothing else of it, and neither does what is sent.';
comment on column framed.v2_notices.message_id is 'The message it is told with, made at the first attempt: every retry has the same, which is how a receiver knows it.';
comment on column framed.v2_notices.last_status is 'What the last attempt came to, or why it ended without one: an HTTP status or a reason.';
create index v2_notices_waiting_idx on framed.v2_notices (workspace_id, kind, next_attempt_at) where status = 'waiting';
create index v2_notices_newest_idx on framed.v2_notices (workspace_id, noted_at desc, id desc);
create index v2_notices_ended_idx on framed.v2_notices (ended_at) where ended_at is not null;

alter table framed.v2_webhooks enable row level security;
alter table framed.v2_notices enable row level security;
create policy v2_webhooks_current on framed.v2_webhooks for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_notices_current on framed.v2_notices for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
-- What a workspace's own requests change. How a delivery went is written by the owner's tick.
grant select, insert (workspace_id), update (sealed, data_key_id, secret_made_at, last_delivered_at, last_failed_at, last_failure,
  failing_since, gone_at, due_at, lease, lease_until) on framed.v2_webhooks to framed_app;
grant select, insert (workspace_id, kind, subject, noted_at, due_at, next_attempt_at), update (status, noted_at, due_at, message_id,
  message_at, attempts, next_attempt_at, last_attempt_at, last_status, ended_at) on framed.v2_notices to framed_app;

create function framed.next_notice_at(workspace uuid) returns timestamptz
  language sql stable
begin atomic
  select min(of_kind.next_at) from (
    select coalesce(min(n.next_attempt_at) filter (where n.message_id is not null), min(n.next_attempt_at)) as next_at
      from framed.v2_notices n where n.workspace_id = workspace and n.status = 'waiting' group by n.kind) of_kind;
end;
comment on function framed.next_notice_at(uuid) is
  'When the workspace''s webhook can be told something next: of a kind that has a message under way, when that is tried again.';

create function framed.note_waiting(workspace uuid, notice_kind text, waiting uuid, at timestamptz) returns void
  language plpgsql set search_path = ''
as $$
declare
  due timestamptz;
begin
  select at + make_interval(mins => (w.settings #>> '{notify,delay_minutes}')::integer) into due from framed.workspaces w
   where w.id = workspace and jsonb_typeof(w.settings -> 'notify') = 'object';
  if not found then return; end if;
  -- Always the webhook before its notices, here and in whatever else takes both. Its row is held until this commits: a tick
  -- that works out when it is due next would otherwise miss what is not there yet.
  update framed.v2_webhooks h set due_at = least(h.due_at, due)
   where h.workspace_id = workspace and h.sealed is not null and h.gone_at is null;
  if not found then return; end if;
  insert into framed.v2_notices as n (workspace_id, kind, subject, noted_at, due_at, next_attempt_at)
  values (workspace, notice_kind, waiting, at, due, due)
  -- Nothing of it waited when it was to be told, and now something does.
  on conflict on constraint v2_notices_one_a_subject do update
    set status = 'waiting', noted_at = excluded.noted_at, due_at = excluded.due_at, next_attempt_at = excluded.next_attempt_at,
      message_id = null, message_at = null, attempts = 0, last_status = null, ended_at = null
    where n.status = 'dropped';
end
$$;
comment on function framed.note_waiting(uuid, text, uuid, timestamptz) is
  'Notes that something waits since `at`, to be told after the workspace''s delay. Does nothing where no webhook is set or it is gone.';

create function framed.note_approval_waiting(workspace uuid, approval uuid, at timestamptz) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform framed.note_waiting(workspace, 'approval_waiting', approval, at);
end
$$;
comment on function framed.note_approval_waiting(uuid, uuid, timestamptz) is
  'In the transaction that makes an approval: notes that it waits since `at`.';

create function framed.note_finding(workspace uuid, finding uuid, at timestamptz) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform framed.note_waiting(workspace, 'follow_ups_waiting', finding, at);
end
$$;
comment on function framed.note_finding(uuid, uuid, timestamptz) is
  'In the transaction that gives an alarm: notes that its finding waits since `at`. A finding is told once.';

revoke all on function framed.next_notice_at(uuid), framed.note_waiting(uuid, text, uuid, timestamptz),
  framed.note_approval_waiting(uuid, uuid, timestamptz), framed.note_finding(uuid, uuid, timestamptz) from public;
grant execute on function framed.next_notice_at(uuid), framed.note_waiting(uuid, text, uuid, timestamptz),
  framed.note_approval_waiting(uuid, uuid, timestamptz), framed.note_finding(uuid, uuid, timestamptz) to framed_app;
