-- What: the steps of an approval from its decision to its end: deciding, claiming a call, ending it, making way, settling, expiring;
--       one round trip each.
-- Why:  the decision, its log row, the outcome and the follow-up stand or fall together on either side of a send, and each
--       step is one guarded change of state: whoever comes second changes nothing and is told who was first.
-- Locks: creates only.

create function framed.claim_call(approval framed.v2_approvals, call integer, filled json, at timestamptz) returns json
  language plpgsql set search_path = ''
as $$
declare
  claimed framed.v2_approval_calls;
  connector framed.v2_connectors;
  opened json;
begin
  select * into claimed from framed.v2_approval_calls c where c.approval_id = approval.id and c.n = call for update;
  if claimed.status is distinct from 'waiting' then return json_build_object('changed', 'claimed'); end if;
  -- What is being replaced right now is waited for.
  select * into connector from framed.v2_connectors c
   where c.workspace_id = approval.workspace_id and c.id = claimed.connector_id for share;
  if connector.id is null then return json_build_object('changed', 'tool_gone'); end if;
  if connector.version <> claimed.version then return json_build_object('changed', 'tool'); end if;
  if not framed.requester_stands(approval) then return json_build_object('changed', 'requester'); end if;
  if exists (select from framed.v2_connector_secret_uses u join framed.v2_connector_secrets s on s.workspace_id = u.workspace_id and s.name = u.name
    where u.workspace_id = approval.workspace_id and u.connector_id = connector.id and (s.sealed is null or u.allowed_at is null))
  then
    return json_build_object('changed', 'values');
  end if;
  opened := framed.opened_tool(approval.workspace_id, connector);
  update framed.v2_approval_calls c set status = 'running', began_at = at, sent_args = filled
   where c.approval_id = approval.id and c.n = call and c.status = 'waiting';
  return opened;
end
$$;
comment on function framed.claim_call(framed.v2_approvals, integer, json, timestamptz) is
  'Claims one call that waits, after one more look that all a person approved still holds: what framed.opened_tool gives, or {changed} and nothing was claimed. Runs as whoever asks.';

create function framed.claimed_again(approval framed.v2_approvals, call integer) returns json
  language plpgsql stable set search_path = ''
as $$
begin
  return (select framed.opened_tool(approval.workspace_id, t) from framed.v2_approval_calls c
    join framed.v2_connectors t on t.workspace_id = c.workspace_id and t.id = c.connector_id and t.version = c.version
   where c.approval_id = approval.id and c.n = call and c.status = 'running');
end
$$;
comment on function framed.claimed_again(framed.v2_approvals, integer) is
  'What claim_call gave for a call that is claimed already: for who claimed it and lost the answer. Null where none is. Runs as whoever asks.';

create function framed.decider_stands(workspace uuid, by_whom jsonb, needs text) returns boolean
  language sql stable set search_path = ''
  begin atomic
    select exists (select from framed.members m where m.workspace_id = workspace and m.user_id = (by_whom ->> 'id')::uuid
      and (m.role = 'admin' or (needs <> 'admin' and 'use_connectors' = any (m.grants))));
  end;
comment on function framed.decider_stands(uuid, jsonb, text) is
  'Whether this person may decide here what needs a member or an administrator. Runs as whoever asks.';

create function framed.begin_approval(workspace uuid, asked_for uuid, decision jsonb, log_events jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  approval framed.v2_approvals;
  at constant timestamptz := (decision ->> 'at')::timestamptz;
  claimed json;
begin
  -- A claim that is answered for is on the disk, whatever the database is set to: one that is lost would be sent again.
  perform set_config('framed.workspace_id', workspace::text, true), set_config('synchronous_commit', 'on', true);
  select * into approval from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for for update;
  -- Asked again after a lost answer: this very process has it, and cannot have sent anything yet.
  if approval.status = 'running' and approval.sender = (decision ->> 'sender')::uuid then
    return json_build_object('approval', framed.approval_json(approval), 'claimed', framed.claimed_again(approval, 0));
  end if;
  -- Rejected by this very decision: the same again.
  if decision ? 'reject_reason' and approval.status = 'rejected' and approval.decided_by = decision -> 'by' and approval.decided_at = at then
    return json_build_object('approval', framed.approval_json(approval));
  end if;
  if approval.status is distinct from 'awaiting_approval' or approval.digest <> decode(decision ->> 'digest', 'hex') or approval.expires_at <= at then
    return json_build_object('approval', framed.approval_json(approval), 'changed', 'decided');
  end if;
  -- Whoever lost the right to decide since they were looked up decides nothing.
  if not framed.decider_stands(workspace, decision -> 'by', decision ->> 'needs') then
    return json_build_object('changed', 'decider');
  end if;
  if decision ? 'reject_reason' then
    update framed.v2_approvals a set status = 'rejected', decided_by = decision -> 'by', decided_at = at, ended_at = at,
        reject_reason = nullif(decision ->> 'reject_reason', ''), outcome = 'Rejected. Nothing was sent.'
     where a.id = asked_for and a.status = 'awaiting_approval' returning * into approval;
    update framed.v2_approval_calls c set status = 'not_sent' where c.approval_id = asked_for and c.status = 'waiting';
    perform framed.append_events(workspace, log_events, jsonb_build_object('approval_id', asked_for), false);
    return json_build_object('approval', framed.approval_json(approval));
  end if;
  if (decision ->> 'sends')::boolean then
    claimed := framed.claim_call(approval, 0, null, at);
    if claimed ->> 'changed' is not null then return claimed; end if;
  end if;
  -- Not sent at once, it is for the tick to send: its lease is over from the start.
  update framed.v2_approvals a set status = 'running', decided_by = decision -> 'by', decided_at = at, sender = (decision ->> 'sender')::uuid,
      lease_until = case when claimed is null then at else at + make_interval(secs => (decision ->> 'lease_seconds')::double precision) end
   where a.id = asked_for and a.status = 'awaiting_approval' returning * into approval;
  perform framed.append_events(workspace, log_events, jsonb_build_object('approval_id', asked_for), false);
  return json_build_object('approval', framed.approval_json(approval), 'claimed', claimed);
end
$$;
comment on function framed.begin_approval(uuid, uuid, jsonb, jsonb) is
  'Approves or rejects what still waits under the digest that was seen, with its log row; approved, its first call is claimed in the same step. {changed} where something else came first: nothing was done then.';

create function framed.end_call(workspace uuid, asked_for uuid, call integer, ended jsonb, result_text text, log_event jsonb, next jsonb,
  filled text, follow_up jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  approval framed.v2_approvals;
  before framed.v2_approval_calls;
  at constant timestamptz := (ended ->> 'at')::timestamptz;
  is_late boolean;
  claimed json;
begin
  perform set_config('framed.workspace_id', workspace::text, true), set_config('synchronous_commit', 'on', true);
  select * into approval from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for for update;
  select * into before from framed.v2_approval_calls c where c.approval_id = asked_for and c.n = call for update;
  -- Who took too long has been given up, and still knows best what became of its own call, unless a person has settled it.
  is_late := before.status = 'unknown' and before.lost and ended ->> 'status' <> 'unknown' and approval.settled is null;
  if not coalesce(is_late or before.status = 'running' and (approval.lease_until <= at or not coalesce((ended ->> 'lost')::boolean, false)), false)
  then
    -- Asked again after a lost answer, however late that arrives: all of it was done then. Where this very process got the next
    -- call with that, it cannot have sent it yet.
    if approval.status = 'running' and (next ->> 'sends')::boolean and approval.sender = (next ->> 'sender')::uuid
      and before.status = ended ->> 'status' and before.ended_at = at
    then
      claimed := framed.claimed_again(approval, (next ->> 'n')::integer);
    end if;
    return json_build_object('approval', framed.approval_json(approval, false), 'claimed', claimed);
  end if;
  update framed.v2_approval_calls c set status = ended ->> 'status', ended_at = at, reason = ended ->> 'reason',
      detail = ended ->> 'detail', lost = coalesce((ended ->> 'lost')::boolean, false),
      result = case when ended ->> 'sealed' is null then result_text::json end, result_id = (ended ->> 'result_id')::uuid,
      sealed_result = decode(ended ->> 'sealed', 'hex'), sealed_key_id = (ended ->> 'data_key_id')::uuid,
      result_gone_at = (ended ->> 'gone_at')::timestamptz
   where c.approval_id = asked_for and c.n = call;
  perform framed.append_event(workspace, log_event);
  -- What turns out not to have happened is not followed up.
  if is_late and ended ->> 'status' = 'failed' then
    update framed.v2_follow_ups f set status = 'stopped', ended_at = at, due_at = null, next_check_at = null, lease = null,
        stopped_by = jsonb_build_object('kind', 'follow_up', 'id', workspace, 'name', 'follow-up')
     where f.workspace_id = workspace and f.approval_id = asked_for and f.call = end_call.call and f.status = 'waiting';
  end if;
  if ended ? 'skipped' then
    update framed.v2_approval_calls c set reason = ended #>> '{skipped,reason}', detail = ended #>> '{skipped,detail}'
     where c.approval_id = asked_for and c.n = call + 1 and c.status = 'waiting';
  end if;
  if approval.status = 'running' and next is not null and ended ->> 'status' = 'applied' then
    if not (next ->> 'sends')::boolean then
      -- There is no time left to send it in this request: the tick does.
      update framed.v2_approvals a set lease_until = at where a.id = asked_for returning * into approval;
      return json_build_object('approval', framed.approval_json(approval));
    end if;
    claimed := framed.claim_call(approval, (next ->> 'n')::integer, filled::json, at);
    if claimed ->> 'changed' is null then
      update framed.v2_approvals a set sender = (next ->> 'sender')::uuid,
          lease_until = at + make_interval(secs => (next ->> 'lease_seconds')::double precision)
       where a.id = asked_for returning * into approval;
      return json_build_object('approval', framed.approval_json(approval, false), 'claimed', claimed);
    end if;
    update framed.v2_approval_calls c set reason = case claimed ->> 'changed' when 'values' then 'secret_missing' when 'requester' then 'grant_missing'
        else 'tool_changed' end
     where c.approval_id = asked_for and c.n = (next ->> 'n')::integer and c.status = 'waiting';
  end if;
  perform framed.end_approval(approval, at, ended ->> 'outcome', follow_up);
  select * into approval from framed.v2_approvals a where a.id = asked_for and a.workspace_id = workspace;
  return json_build_object('approval', framed.approval_json(approval));
end
$$;
comment on function framed.end_call(uuid, uuid, integer, jsonb, text, jsonb, jsonb, text, jsonb) is
  'How a claimed call ended, with its log row; then the next call is claimed, or the approval ends with its follow-up: all in one step. Told twice it is written once.';

create function framed.end_approval(approval framed.v2_approvals, at timestamptz, said text, follow_up jsonb) returns void
  language plpgsql set search_path = ''
as $$
declare
  ended_as text;
begin
  update framed.v2_approval_calls c set status = 'not_sent' where c.approval_id = approval.id and c.status = 'waiting';
  select case when bool_or(c.status = 'unknown') then 'unknown' when bool_and(c.status = 'applied') then 'applied' else 'failed' end
    into ended_as from framed.v2_approval_calls c where c.approval_id = approval.id;
  update framed.v2_approvals a set status = ended_as, outcome = said, ended_at = at, lease_until = null
   where a.id = approval.id and (a.status = 'running' or (a.status = 'unknown' and a.status <> ended_as)) and a.settled is null;
  if found and follow_up is not null and not exists (select from framed.v2_follow_ups f where f.approval_id = approval.id)
  then
    perform framed.start_follow_up(approval.workspace_id, approval.id, follow_up, at);
  end if;
  if found then
    perform framed.append_event(approval.workspace_id, jsonb_build_object('event', 'approval.ended', 'request_id', 'approval_' || approval.id,
      'principal', approval.requested_by, 'outcome', 'ok', 'total_ms', 0,
      'detail', jsonb_build_object('approval_id', approval.id, 'status', ended_as)));
  end if;
end
$$;
comment on function framed.end_approval(framed.v2_approvals, timestamptz, text, jsonb) is
  'Ends an approval by what became of its calls; those that wait are not sent. Runs as whoever asks.';

create function framed.renew_approval(workspace uuid, asked_for uuid, because text, fresh jsonb, calls json, at timestamptz, log_events jsonb)
  returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  stale framed.v2_approvals;
  taken uuid;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  -- Whoever proposes the same at the same time waits here, as for framed.propose, and then finds the fresh one.
  if fresh is not null then perform framed.lock_proposal(workspace, fresh ->> 'proposal_key'); end if;
  -- Also what was approved and lies where its sender left it, while nothing of it was begun.
  update framed.v2_approvals a set status = 'superseded', superseded_because = because, ended_at = at, lease_until = null
   where a.workspace_id = workspace and a.id = asked_for and (a.status = 'awaiting_approval' or (
      a.status = 'running' and a.lease_until <= at
      and not exists (select from framed.v2_approval_calls c where c.approval_id = asked_for and c.status <> 'waiting')))
  returning * into stale;
  if not found then
    select * into stale from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for;
    return json_build_object('approval', framed.approval_json(stale));
  end if;
  update framed.v2_approval_calls c set status = 'not_sent' where c.approval_id = asked_for and c.status = 'waiting';
  if fresh is not null then
    select a.id into taken from framed.v2_approvals a
     where a.workspace_id = workspace and a.proposal_key = decode(fresh ->> 'proposal_key', 'hex') and a.status = 'awaiting_approval';
    if taken is null then
      perform framed.insert_approval(workspace, fresh, calls);
      perform framed.note_approval_waiting(workspace, (fresh ->> 'id')::uuid, at);
      taken := (fresh ->> 'id')::uuid;
    end if;
    update framed.v2_approvals a set superseded_by = taken where a.id = asked_for returning * into stale;
  end if;
  perform framed.append_events(workspace, log_events,
    jsonb_build_object('approval_id', asked_for, 'superseded_by', taken, 'because', because), false);
  return json_build_object('approval', framed.approval_json(stale));
end
$$;
comment on function framed.renew_approval(uuid, uuid, text, jsonb, json, timestamptz, jsonb) is
  'Supersedes what waits, with a fresh one for a fresh look where there is one, and its log row. What does not wait any more stays as it is.';

create function framed.list_stale(of_workspace uuid, of_connector uuid, at_most integer) returns table (workspace_id uuid, id uuid)
  language plpgsql set search_path = '' set plan_cache_mode = force_custom_plan
as $$
begin
  return query
    with recursive pairs as (
      (select c.connector_id, c.version, c.workspace_id from framed.v2_approval_calls c
        where c.status = 'waiting' and (of_connector is null or c.connector_id = of_connector)
          and (of_workspace is null or c.workspace_id = of_workspace)
        order by c.connector_id, c.version limit 1)
      union all
      select n.connector_id, n.version, n.workspace_id from pairs p cross join lateral (
        select c.connector_id, c.version, c.workspace_id from framed.v2_approval_calls c
         where c.status = 'waiting' and (c.connector_id, c.version) > (p.connector_id, p.version)
           and (of_connector is null or c.connector_id = of_connector)
           and (of_workspace is null or c.workspace_id = of_workspace)
         order by c.connector_id, c.version limit 1) n
    ), stale as (
      select distinct a.workspace_id, a.id, a.requested_at from pairs p
        left join framed.v2_connectors t on t.workspace_id = p.workspace_id and t.id = p.connector_id
        cross join lateral (
          select s.workspace_id, s.id, s.requested_at from framed.v2_approval_calls c
            join framed.v2_approvals s on s.workspace_id = c.workspace_id and s.id = c.approval_id and s.status = 'awaiting_approval'
           where c.status = 'waiting' and c.connector_id = p.connector_id and c.version = p.version limit at_most) a
       where t.version is distinct from p.version
    )
    select l.workspace_id, l.id from (
      select s.*, row_number() over (partition by s.workspace_id order by s.requested_at, s.id) as nth from stale s) l
     order by l.nth, l.requested_at, l.id limit at_most;
end
$$;
comment on function framed.list_stale(uuid, uuid, integer) is
  'Approvals that wait for a tool under another version than its present one, or for one that is gone, the first of every workspace first: of one workspace or tool where they are named. Goes from tool to tool over what waits, and over nothing that ended. Run as the owner.';

create function framed.open_abandoned(workspace uuid, asked_for uuid) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  approval framed.v2_approvals;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  select * into approval from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for;
  if not found then return null; end if;
  return json_build_object('approval', framed.approval_json(approval), 'requester_stands', framed.requester_stands(approval),
    'account_id', (select w.account_id from framed.workspaces w where w.id = workspace),
    'settings', (select w.settings from framed.workspaces w where w.id = workspace),
    'decider', (select json_build_object('role', m.role, 'grants', m.grants) from framed.members m
      where m.workspace_id = workspace and m.user_id = (approval.decided_by ->> 'id')::uuid),
    'tools', (select coalesce(json_object_agg(c.id, framed.opened_tool(workspace, c)), '{}'::json) from framed.v2_connectors c
      where c.workspace_id = workspace
        and c.id in (select s.connector_id from framed.v2_approval_calls s where s.approval_id = asked_for)));
end
$$;
comment on function framed.open_abandoned(uuid, uuid) is
  'An approval with its tools as they are now, and how who decided stands to the workspace: for whoever takes it up where another left it.';

create function framed.claim_abandoned(workspace uuid, asked_for uuid, next jsonb, filled text, at timestamptz) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  approval framed.v2_approvals;
  claimed json;
begin
  perform set_config('framed.workspace_id', workspace::text, true), set_config('synchronous_commit', 'on', true);
  select * into approval from framed.v2_approvals a
   where a.workspace_id = workspace and a.id = asked_for and a.status = 'running' for update;
  -- Asked again after a lost answer: this very process has it, and cannot have sent anything yet.
  if approval.sender = (next ->> 'sender')::uuid then
    claimed := framed.claimed_again(approval, (next ->> 'n')::integer);
    if claimed is null then return json_build_object('changed', 'claimed'); end if;
    return json_build_object('approval', framed.approval_json(approval), 'claimed', claimed);
  end if;
  if not found or approval.lease_until > at
    or exists (select from framed.v2_approval_calls c where c.approval_id = asked_for and c.status in ('running', 'unknown', 'failed')) then
    return json_build_object('changed', 'claimed');
  end if;
  claimed := framed.claim_call(approval, (next ->> 'n')::integer, filled::json, at);
  if claimed ->> 'changed' is null then
    update framed.v2_approvals a set sender = (next ->> 'sender')::uuid,
        lease_until = at + make_interval(secs => (next ->> 'lease_seconds')::double precision)
     where a.id = asked_for returning * into approval;
    return json_build_object('approval', framed.approval_json(approval), 'claimed', claimed);
  end if;
  return claimed;
end
$$;
comment on function framed.claim_abandoned(uuid, uuid, jsonb, text, timestamptz) is
  'Claims the next call of an approval that was approved and whose sender is gone; {changed} where another has it, or it does not hold any more.';

create function framed.stop_approval(workspace uuid, asked_for uuid, call integer, because jsonb, at timestamptz) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  approval framed.v2_approvals;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  select * into approval from framed.v2_approvals a
   where a.workspace_id = workspace and a.id = asked_for and a.status = 'running' for update;
  if found and not exists (select from framed.v2_approval_calls c where c.approval_id = asked_for and c.status = 'running') then
    update framed.v2_approval_calls c set reason = because ->> 'reason', detail = because ->> 'detail'
     where c.approval_id = asked_for and c.n = call and c.status = 'waiting';
    perform framed.end_approval(approval, at, because ->> 'outcome', nullif(because -> 'follow_up', 'null'));
  end if;
  select * into approval from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for;
  return json_build_object('approval', framed.approval_json(approval));
end
$$;
comment on function framed.stop_approval(uuid, uuid, integer, jsonb, timestamptz) is
  'Ends an approval of which no call is under way, at the call that cannot be sent any more, with the follow-up of what landed before it.';

create function framed.settle_approval(workspace uuid, asked_for uuid, settlement jsonb, log_event jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  approval framed.v2_approvals;
  at constant timestamptz := (settlement ->> 'at')::timestamptz;
  is_whole boolean;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  select * into approval from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for for update;
  if approval.status is distinct from 'unknown' then
    -- Asked again after a lost answer, it was settled then.
    if approval.settled -> 'by' = settlement -> 'by' and approval.settled -> 'at' = settlement -> 'at' then
      return json_build_object('approval', framed.approval_json(approval));
    end if;
    return json_build_object('approval', framed.approval_json(approval), 'changed', 'settled');
  end if;
  -- As for a decision.
  if not framed.decider_stands(workspace, settlement -> 'by', approval.needs) then
    return json_build_object('changed', 'decider');
  end if;
  update framed.v2_approval_calls c set status = settlement ->> 'outcome' where c.approval_id = asked_for and c.status = 'unknown';
  -- A call that was never sent behind one that was: not all that was approved came to be.
  select bool_and(c.status = 'applied') into is_whole from framed.v2_approval_calls c where c.approval_id = asked_for;
  update framed.v2_approvals a set status = case when is_whole then 'applied' else 'failed' end, ended_at = at,
      settled = jsonb_build_object('by', settlement -> 'by', 'at', settlement -> 'at', 'note', settlement -> 'note'),
      outcome = 'A person settled what nobody could tell as ' || (settlement ->> 'outcome') || '.'
        || case when settlement ->> 'outcome' = 'applied' and not is_whole then ' What came after it was not sent.' else '' end
   where a.id = asked_for returning * into approval;
  -- What did not happen is not followed up.
  if settlement ->> 'outcome' = 'failed' then
    update framed.v2_follow_ups f set status = 'stopped', stopped_by = settlement -> 'by', ended_at = at, due_at = null, next_check_at = null
     where f.approval_id = asked_for and f.status = 'waiting';
  end if;
  perform framed.append_event(workspace, log_event);
  return json_build_object('approval', framed.approval_json(approval));
end
$$;
comment on function framed.settle_approval(uuid, uuid, jsonb, jsonb) is 'A person says what became of an unknown write, with its log row; {changed} where it is not unknown, or that person may not decide it any more.';

create function framed.expire_approval(approval framed.v2_approvals, at timestamptz) returns void
  language plpgsql set search_path = ''
as $$
begin
  update framed.v2_approvals a set status = 'expired', ended_at = at, outcome = 'Nobody decided in time. Nothing was sent.'
   where a.id = approval.id and a.status = 'awaiting_approval';
  if not found then return; end if;
  update framed.v2_approval_calls c set status = 'not_sent' where c.approval_id = approval.id and c.status = 'waiting';
  perform framed.append_event(approval.workspace_id, jsonb_build_object('event', 'approval.expired', 'request_id', 'approval_' || approval.id,
    'principal', approval.requested_by, 'outcome', 'approval_expired', 'total_ms', 0,
    'detail', jsonb_build_object('approval_id', approval.id)));
end
$$;
comment on function framed.expire_approval(framed.v2_approvals, timestamptz) is 'Expires one that waits, with its log row. Runs as whoever asks.';

create function framed.expire_approvals(at timestamptz, at_most integer) returns integer
  language plpgsql set search_path = ''
as $$
declare
  expired integer := 0;
  due framed.v2_approvals;
begin
  for due in
    select a.* from framed.v2_approvals a where a.status = 'awaiting_approval' and a.expires_at <= at
     order by a.expires_at limit at_most for update skip locked
  loop
    perform framed.expire_approval(due, at);
    expired := expired + 1;
  end loop;
  return expired;
end
$$;
comment on function framed.expire_approvals(timestamptz, integer) is
  'Expires up to so many approvals whose time is over, with their log rows; tells how many. Run by the tick as the owner, over all workspaces.';

grant create on schema framed to framed_app;
alter function framed.begin_approval(uuid, uuid, jsonb, jsonb) owner to framed_app;
alter function framed.end_call(uuid, uuid, integer, jsonb, text, jsonb, jsonb, text, jsonb) owner to framed_app;
alter function framed.renew_approval(uuid, uuid, text, jsonb, json, timestamptz, jsonb) owner to framed_app;
alter function framed.open_abandoned(uuid, uuid) owner to framed_app;
alter function framed.claim_abandoned(uuid, uuid, jsonb, text, timestamptz) owner to framed_app;
alter function framed.stop_approval(uuid, uuid, integer, jsonb, timestamptz) owner to framed_app;
alter function framed.settle_approval(uuid, uuid, jsonb, jsonb) owner to framed_app;
revoke create on schema framed from framed_app;

revoke all on function framed.decider_stands(uuid, jsonb, text), framed.claim_call(framed.v2_approvals, integer, json, timestamptz),
  framed.claimed_again(framed.v2_approvals, integer), framed.end_approval(framed.v2_approvals, timestamptz, text, jsonb),
  framed.expire_approval(framed.v2_approvals, timestamptz), framed.begin_approval(uuid, uuid, jsonb, jsonb),
  framed.end_call(uuid, uuid, integer, jsonb, text, jsonb, jsonb, text, jsonb),
  framed.renew_approval(uuid, uuid, text, jsonb, json, timestamptz, jsonb), framed.open_abandoned(uuid, uuid),
  framed.claim_abandoned(uuid, uuid, jsonb, text, timestamptz), framed.stop_approval(uuid, uuid, integer, jsonb, timestamptz),
  framed.settle_approval(uuid, uuid, jsonb, jsonb), framed.expire_approvals(timestamptz, integer),
  framed.list_stale(uuid, uuid, integer) from public;
grant execute on function framed.decider_stands(uuid, jsonb, text), framed.claim_call(framed.v2_approvals, integer, json, timestamptz),
  framed.claimed_again(framed.v2_approvals, integer), framed.end_approval(framed.v2_approvals, timestamptz, text, jsonb),
  framed.expire_approval(framed.v2_approvals, timestamptz) to framed_app;
-- The owner of the schema connects and calls these; it reaches them as a member of framed_app.
do $$
begin
  execute format('grant execute on function framed.begin_approval(uuid, uuid, jsonb, jsonb), '
    'framed.end_call(uuid, uuid, integer, jsonb, text, jsonb, jsonb, text, jsonb), '
    'framed.renew_approval(uuid, uuid, text, jsonb, json, timestamptz, jsonb), framed.open_abandoned(uuid, uuid), '
    'framed.claim_abandoned(uuid, uuid, jsonb, text, timestamptz), '
    'framed.stop_approval(uuid, uuid, integer, jsonb, timestamptz), framed.settle_approval(uuid, uuid, jsonb, jsonb) to %I', current_user);
end
$$;
