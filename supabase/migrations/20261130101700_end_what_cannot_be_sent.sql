-- What: an approval that was approved and left to the tick ends, whatever comes in its way: what breaks while it is taken up is tried
--       again later and so often only, and what was never begun is not claimed once it has expired, or once whoever approved it
--       may not approve it any more. What is followed up comes from the definition that was approved.
-- Why:  one that broke was tried first every minute and for ever, ahead of others of its workspace; and one that was approved long
--       ago could be sent on terms that held no more.
-- Locks: v2_approvals, exclusively, for an instant: a column with a constant default. Gives up after five seconds of waiting for it,
--        so that calls do not queue up behind: run it again then.

set local lock_timeout = '5s';

alter table framed.v2_approvals add column tries integer not null default 0;
comment on column framed.v2_approvals.tries is 'How often something broke while it was taken up where its sender had left it.';
comment on column framed.v2_approvals.lease_until is
  'While running: nobody but its sender claims a call before this; and where it broke when it was taken up, it is tried again no earlier.';

create or replace function framed.open_abandoned(workspace uuid, asked_for uuid) returns json
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
        and c.id in (select s.connector_id from framed.v2_approval_calls s where s.approval_id = asked_for)),
    'approved_files', (select coalesce(json_object_agg(v.connector_id, v.file), '{}'::json) from framed.v2_connector_versions v
      join framed.v2_connectors c on c.workspace_id = v.workspace_id and c.id = v.connector_id and c.version <> v.version
      where approval.status = 'running' and v.workspace_id = workspace and (v.connector_id, v.version) in (
        select s.connector_id, s.version from framed.v2_approval_calls s where s.approval_id = asked_for)));
end
$$;
comment on function framed.open_abandoned(uuid, uuid) is
  'An approval with its tools as they are now, of those that were defined anew the file that was approved, and how who decided stands to the workspace: for whoever takes it up where another left it.';

create or replace function framed.claim_abandoned(workspace uuid, asked_for uuid, next jsonb, filled text, at timestamptz) returns json
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
  -- As for a decision, while nothing of it was begun; what was begun goes on.
  if (next ->> 'n')::integer = 0 then
    if approval.expires_at <= at then return json_build_object('changed', 'expired'); end if;
    if not framed.decider_stands(workspace, approval.decided_by, approval.needs) then
      return json_build_object('changed', 'decider');
    end if;
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
  'Claims the next call of an approval that was approved and whose sender is gone; {changed} where another has it, or it does not hold any more: its first call not once the approval has expired, or whoever approved it may not decide it now.';

create function framed.put_off_approval(workspace uuid, asked_for uuid, because jsonb, most_tries integer, at timestamptz) returns void
  language plpgsql set search_path = ''
as $$
declare
  approval framed.v2_approvals;
begin
  -- Not where it was claimed before it broke: what becomes of that is for whoever holds the lease.
  update framed.v2_approvals a set tries = a.tries + 1, lease_until = at + interval '1 minute' * 2 ^ least(a.tries, most_tries - 1)
   where a.workspace_id = workspace and a.id = asked_for and a.status = 'running' and a.lease_until <= at returning * into approval;
  if not found or approval.tries < most_tries then return; end if;
  perform framed.stop_approval(workspace, asked_for,
    (select min(c.n) from framed.v2_approval_calls c where c.approval_id = asked_for and c.status = 'waiting'), because, at);
end
$$;
comment on function framed.put_off_approval(uuid, uuid, jsonb, integer, timestamptz) is
  'Of an approval that broke while it was taken up: it is due again after a minute, then after twice as long each time; after so many tries it ends as framed.stop_approval ends it, where no call of it is under way. Run by the tick as the owner.';
revoke all on function framed.put_off_approval(uuid, uuid, jsonb, integer, timestamptz) from public;
