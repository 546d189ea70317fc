-- What: what the tick does with follow-ups: claiming the checks that are due, recording what each found, the alarm and the end.
-- Why:  a claim has to be fair to workspaces whatever one of them has waiting, cost as little among a million rows as among
--       ten thousand, and never be made twice; what a check found, its log row and what it settles stand or fall together.
-- Locks: creates only.

create function framed.claim_due_checks(at timestamptz, at_most integer, lease_seconds double precision) returns json
  language plpgsql set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  held constant uuid := gen_random_uuid();
  leased_until constant timestamptz := at + make_interval(secs => lease_seconds);
  line uuid[];
  active uuid[];
  claimed uuid[] := '{}';
  taken uuid[];
  taken_of uuid[];
  part integer;
  is_more boolean;
begin
  -- A turn that another tick has, or that a write is just joining, is the other's: nobody waits for anybody.
  select array_agg(t.workspace_id order by t.due_at, t.workspace_id) into line from (
    select workspace_id, due_at from framed.v2_follow_up_turns where due_at <= at
     order by due_at, workspace_id limit at_most for update skip locked) t;
  if line is null then return json_build_object('lease', held, 'checks', '[]'::json, 'more', false); end if;

  -- An equal part of what is left for each that may have more, until nothing is left or nobody has more.
  active := line;
  while cardinality(claimed) < at_most and cardinality(active) > 0 loop
    part := greatest((at_most - cardinality(claimed)) / cardinality(active), 1);
    select array_agg(d.approval_id), array_agg(d.workspace_id) into taken, taken_of from (
      select f.approval_id, w.workspace_id from unnest(active) with ordinality w(workspace_id, nth) cross join lateral (
        select f.approval_id from framed.v2_follow_ups f
         where f.workspace_id = w.workspace_id and f.status = 'waiting' and f.due_at <= at
         order by f.due_at limit part for update skip locked) f
       order by w.nth limit at_most - cardinality(claimed)) d;
    exit when taken is null;
    update framed.v2_follow_ups f set due_at = leased_until, lease = held where f.approval_id = any (taken);
    select coalesce(array_agg(w.workspace_id order by w.nth), '{}') into active from unnest(active) with ordinality w(workspace_id, nth)
     where cardinality(array_positions(taken_of, w.workspace_id)) = part;
    claimed := claimed || taken;
  end loop;

  -- Who was served goes to the back of the line, or waits until its next is due; who has none waiting leaves it.
  with waits as (
    select w.workspace_id, (select min(f.due_at) from framed.v2_follow_ups f
      where f.workspace_id = w.workspace_id and f.status = 'waiting') as due_at
    from unnest(line) w(workspace_id)
  ), gone as (
    delete from framed.v2_follow_up_turns t using waits w where t.workspace_id = w.workspace_id and w.due_at is null
  ), moved as (
    update framed.v2_follow_up_turns t set due_at = greatest(w.due_at, at) from waits w
     where t.workspace_id = w.workspace_id and w.due_at is not null
  )
  select cardinality(line) = at_most or coalesce(bool_or(w.due_at <= at), false) into is_more from waits w;

  return json_build_object('lease', held, 'more', is_more, 'checks', (
    select coalesce(json_agg(json_build_object('approval_id', f.approval_id, 'workspace_id', f.workspace_id, 'tool', f.check_tool,
        'args', f.check_args, 'done_when', f.done_when, 'wrote_at', f.wrote_at, 'check_for', f.next_check_at)
        order by f.nth, array_position(line, f.workspace_id)), '[]'::json)
      from (select *, row_number() over (partition by workspace_id order by next_check_at) as nth
        from framed.v2_follow_ups where approval_id = any (claimed)) f));
end
$$;
comment on function framed.claim_due_checks(timestamptz, integer, double precision) is
  'Claims up to so many due checks for so many seconds, an equal part for each workspace whose turn it is: {lease, checks, more}, the first of each workspace first. Run by the tick as the owner, over all workspaces.';

create function framed.release_checks(approvals jsonb, held uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  with released as (
    update framed.v2_follow_ups f set due_at = f.next_check_at, lease = null
      from jsonb_array_elements_text(approvals) a(id) where f.approval_id = a.id::uuid and f.lease = held and f.status = 'waiting'
    returning f.workspace_id, f.due_at
  ), earliest as (
    select workspace_id, min(due_at) as due_at from released group by workspace_id
  )
  update framed.v2_follow_up_turns t set due_at = e.due_at from earliest e
   where t.workspace_id = e.workspace_id and t.due_at > e.due_at;
end
$$;
comment on function framed.release_checks(jsonb, uuid) is
  'Gives back claimed checks that were not begun, so that they are due as before. Run by the tick as the owner.';

create function framed.close_check(workspace uuid, asked_for uuid, held uuid, ended jsonb, log_event jsonb, again boolean) returns boolean
  language plpgsql security definer set search_path = ''
as $$
declare
  at constant timestamptz := (ended ->> 'at')::timestamptz;
  next_check constant timestamptz := (ended ->> 'next_check_at')::timestamptz;
  is_done constant boolean := next_check is null;
  approval framed.v2_approvals;
  write_call integer;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  -- Whether the answer was lost or what was asked: the row tells, and all that belongs to it stands or falls with it.
  if again then
    perform from framed.log_events e where e.workspace_id = workspace and e.at > now() - interval '5 minutes'
      and e.request_id = log_event ->> 'request_id' and e.event = log_event ->> 'event';
    if found then return true; end if;
  end if;
  -- The other system was asked, whoever has the check by now.
  perform framed.append_event(workspace, log_event);
  -- Before the follow-up, as whoever else changes both has it.
  if is_done then
    select * into approval from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for for update;
  end if;
  update framed.v2_follow_ups f set checks = f.checks + 1, last_check_at = at, last_check_outcome = ended ->> 'outcome', lease = null,
      next_check_at = next_check, due_at = next_check, status = case when is_done then 'done' else 'waiting' end,
      ended_at = case when is_done then at end
   where f.workspace_id = workspace and f.approval_id = asked_for and f.lease = held and f.status = 'waiting'
  returning f.call into write_call;
  if not found then return false; end if;
  if is_done then
    if approval.status = 'unknown' then
      update framed.v2_approval_calls c set status = 'applied', ended_at = at
       where c.workspace_id = workspace and c.approval_id = asked_for and c.n = write_call and c.status = 'unknown';
      if found then perform framed.end_approval(approval, at, ended ->> 'landed', null); end if;
    end if;
  else
    -- The workspace's turn may be later than that, where the claim knew of the lease only.
    update framed.v2_follow_up_turns t set due_at = next_check where t.workspace_id = workspace and t.due_at > next_check;
  end if;
  return true;
end
$$;
comment on function framed.close_check(uuid, uuid, uuid, jsonb, jsonb, boolean) is
  'What a claimed check found, with its log row: {at, outcome, next_check_at, landed}, done where there is no next. Done, a write of which nobody knew is applied. False where the follow-up has ended meanwhile, or another has the check: then only the log row stands. With `again` only what was not written before.';

create function framed.stop_follow_up(workspace uuid, asked_for uuid, by_whom jsonb, at timestamptz, log_event jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  is_stopped boolean;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  update framed.v2_follow_ups f set status = 'stopped', stopped_by = by_whom, ended_at = at, next_check_at = null, due_at = null, lease = null
   where f.workspace_id = workspace and f.approval_id = asked_for and f.status = 'waiting';
  is_stopped := found;
  if is_stopped then perform framed.append_event(workspace, log_event); end if;
  return json_build_object('stopped', is_stopped, 'approval', (
    select framed.approval_json(a) from framed.v2_approvals a where a.workspace_id = workspace and a.id = asked_for));
end
$$;
comment on function framed.stop_follow_up(uuid, uuid, jsonb, timestamptz, jsonb) is
  'Stops a follow-up that waits, with its log row: {stopped, approval}. What a check under way finds is not recorded any more.';

create function framed.raise_alarms(at timestamptz, of_week text, at_most integer) returns integer
  language plpgsql set search_path = ''
as $$
declare
  alarmed integer := 0;
  raised framed.v2_follow_ups;
  told uuid[] := '{}';
begin
  for raised in
    with due as (
      select f.approval_id, f.workspace_id from framed.v2_follow_ups f
       where f.status = 'waiting' and f.alarmed_at is null and f.alarm_at <= at and f.next_check_at > at
       order by f.alarm_at limit at_most for update skip locked
    ), findings as (
      -- In one order, so that two ticks wait for each other at most in one direction.
      insert into framed.v2_findings as f (workspace_id, kind, week, found_at, changed_at)
      select distinct d.workspace_id, 'follow_ups_waiting', of_week, at, at from due d order by d.workspace_id
      on conflict on constraint v2_findings_one_a_week do update set changed_at = greatest(f.changed_at, excluded.changed_at)
      returning f.id, f.workspace_id
    ), joined as (
      update framed.v2_follow_ups f set alarmed_at = at, finding_id = n.id from due d join findings n on n.workspace_id = d.workspace_id
       where f.approval_id = d.approval_id returning f.*
    )
    select j.* from joined j order by j.workspace_id, j.wrote_at
  loop
    alarmed := alarmed + 1;
    perform framed.append_event(raised.workspace_id,
      framed.follow_up_event(raised, 'follow_up.alarmed', jsonb_build_object('finding_id', raised.finding_id)));
    if raised.finding_id <> all (told) then
      told := told || raised.finding_id;
      perform framed.note_finding(raised.workspace_id, raised.finding_id, at);
    end if;
  end loop;
  return alarmed;
end
$$;
comment on function framed.raise_alarms(timestamptz, text, integer) is
  'Up to so many follow-ups that have waited too long, and have no check due that might find them done, join their workspace''s finding of the week, once each, with their log rows; tells how many. Run by the tick as the owner, over all workspaces.';

create function framed.give_up_follow_ups(at timestamptz, at_most integer) returns integer
  language plpgsql set search_path = ''
as $$
declare
  given_up integer;
begin
  with due as (
    select f.approval_id from framed.v2_follow_ups f
     where f.status = 'waiting' and f.stop_at <= at and f.next_check_at > at and f.alarmed_at is not null
     order by f.stop_at limit at_most for update skip locked
  ), ended as (
    update framed.v2_follow_ups f set status = 'given_up', ended_at = at, next_check_at = null, due_at = null, lease = null
      from due d where f.approval_id = d.approval_id returning f.*
  )
  select count(framed.append_event(e.workspace_id, framed.follow_up_event(e, 'follow_up.given_up', '{}')) is null) into given_up from ended e;
  return given_up;
end
$$;
comment on function framed.give_up_follow_ups(timestamptz, integer) is
  'Ends up to so many follow-ups whose time is over, after their last due check and their alarm, with their log rows; tells how many. Run by the tick as the owner, over all workspaces.';

create function framed.follow_up_event(follow_up framed.v2_follow_ups, event text, detail jsonb) returns jsonb
  language sql stable
  return jsonb_build_object('event', event, 'request_id', 'follow_up_' || follow_up.approval_id,
    'principal', jsonb_build_object('kind', 'follow_up', 'id', follow_up.workspace_id, 'name', 'follow-up'),
    'tool', follow_up.tool, 'connector_id', follow_up.connector_id, 'outcome', 'ok', 'total_ms', 0,
    'detail', jsonb_build_object('approval_id', follow_up.approval_id) || detail);
comment on function framed.follow_up_event(framed.v2_follow_ups, text, jsonb) is
  'The log row of what becomes of a follow-up by itself.';

grant create on schema framed to framed_app;
alter function framed.close_check(uuid, uuid, uuid, jsonb, jsonb, boolean) owner to framed_app;
alter function framed.stop_follow_up(uuid, uuid, jsonb, timestamptz, jsonb) owner to framed_app;
revoke create on schema framed from framed_app;
revoke all on function framed.claim_due_checks(timestamptz, integer, double precision), framed.release_checks(jsonb, uuid),
  framed.close_check(uuid, uuid, uuid, jsonb, jsonb, boolean), framed.stop_follow_up(uuid, uuid, jsonb, timestamptz, jsonb),
  framed.raise_alarms(timestamptz, text, integer),
  framed.give_up_follow_ups(timestamptz, integer), framed.follow_up_event(framed.v2_follow_ups, text, jsonb) from public;
-- The owner of the schema connects and calls these; it reaches them as a member of framed_app.
do $$
begin
  execute format('grant execute on function framed.close_check(uuid, uuid, uuid, jsonb, jsonb, boolean), '
    'framed.stop_follow_up(uuid, uuid, jsonb, timestamptz, jsonb) to %I', current_user);
end
$$;
