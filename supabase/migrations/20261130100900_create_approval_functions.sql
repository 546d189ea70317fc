-- What: what every step of an approval is made of, and the first ones: proposing, and looking an approval up to show or decide it;
--       one round trip each.
-- Why:  the same proposal twice at once is one approval, and where an approval is may be looked up by its id alone without telling
--       who is out of reach that it is there. The steps that decide and send are in the migration after this one.
-- Locks: creates only.

create function framed.current_requester_key_id() returns uuid
  language sql stable
  return nullif(current_setting('framed.requester_key_id', true), '')::uuid;
comment on function framed.current_requester_key_id() is 'The key that asked for the approval at hand: whether it still lives may be looked up.';
create policy api_keys_requester on framed.api_keys for select to framed_app
  using (id = (select framed.current_requester_key_id()));
revoke all on function framed.current_requester_key_id() from public;
grant execute on function framed.current_requester_key_id() to framed_app;

create function framed.append_events(workspace uuid, log_events jsonb, about jsonb, again boolean) returns void
  language plpgsql set search_path = ''
as $$
declare
  log_event jsonb;
begin
  -- Told again after a lost answer, the rows of that time stand already: all of them, or none.
  if again and exists (select from framed.log_events e where e.workspace_id = workspace and e.at > now() - interval '5 minutes'
    and e.request_id = log_events #>> '{0,request_id}' and e.event = log_events #>> '{0,event}')
  then
    return;
  end if;
  for log_event in select value from jsonb_array_elements(log_events) loop
    perform framed.append_event(workspace, log_event || jsonb_build_object('detail', coalesce(log_event -> 'detail', '{}'::jsonb) || about));
  end loop;
end
$$;
comment on function framed.append_events(uuid, jsonb, jsonb, boolean) is
  'Log rows of one request, with `about` in the detail of each; with `again` only where they do not stand yet. Runs as whoever asks.';

create function framed.requester_stands(approval framed.v2_approvals) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  asked_as constant text := approval.requested_by ->> 'kind';
  is_alive boolean := true;
begin
  if asked_as in ('raw_key', 'reseller_key') then
    perform set_config('framed.requester_key_id', approval.requested_by ->> 'id', true);
    select k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
        and (k.kind <> 'reseller' or exists (select from framed.workspaces w where w.id = approval.workspace_id and w.account_id = k.account_id))
      into is_alive from framed.api_keys k where k.id = framed.current_requester_key_id();
    perform set_config('framed.requester_key_id', '', true);
  end if;
  if asked_as = 'connect_token' then
    select g.revoked_at is null and g.expires_at > now() into is_alive
      from framed.connect_grants g where g.workspace_id = approval.workspace_id and g.id = (approval.requested_by ->> 'id')::uuid;
  end if;
  if not coalesce(is_alive, false) then return false; end if;
  if asked_as = 'reseller_key' then return true; end if;
  return exists (select from framed.members m where m.workspace_id = approval.workspace_id and m.user_id = approval.requester_user_id
    and (m.role = 'admin' or asked_as <> 'raw_key' and 'use_connectors' = any (m.grants)));
end
$$;
comment on function framed.requester_stands(framed.v2_approvals) is
  'Whether who asked could still ask: their key or token lives, and the person behind is still let use tools here.';

create function framed.follow_up_json(approval uuid, workspace uuid) returns json
  language sql stable
  return (select json_build_object('status', f.status, 'what', f.what, 'until', f.until, 'checks', f.checks, 'last_check_at', f.last_check_at,
      'last_check_outcome', f.last_check_outcome, 'next_check_at', f.next_check_at, 'alarmed_at', f.alarmed_at, 'wrote_at', f.wrote_at,
      'stopped_by', f.stopped_by, 'ended_at', f.ended_at, 'call', f.call)
    from framed.v2_follow_ups f where f.approval_id = approval and f.workspace_id = workspace);
comment on function framed.follow_up_json(uuid, uuid) is 'Where the follow-up of an approval stands; null where it has none. Runs as whoever asks.';

create function framed.approval_json(approval framed.v2_approvals, with_results boolean default true) returns json
  language plpgsql stable set search_path = ''
as $$
begin
  return json_build_object(
    'id', approval.id, 'workspace_id', approval.workspace_id, 'status', approval.status, 'digest', encode(approval.digest, 'hex'),
    'needs', approval.needs, 'rules', approval.rules, 'requested_by', approval.requested_by,
    'requester_user_id', approval.requester_user_id, 'requested_at', approval.requested_at, 'expires_at', approval.expires_at,
    'decided_by', approval.decided_by, 'decided_at', approval.decided_at, 'reject_reason', approval.reject_reason,
    'superseded_by', approval.superseded_by, 'superseded_because', approval.superseded_because, 'outcome', approval.outcome,
    'ended_at', approval.ended_at, 'settled', approval.settled,
    'waits_for', case when approval.status = 'awaiting_approval' then (
      select coalesce(json_agg(distinct u.name order by u.name), '[]'::json)
        from framed.v2_approval_calls c
        join framed.v2_connector_secret_uses u on u.workspace_id = c.workspace_id and u.connector_id = c.connector_id
        join framed.v2_connector_secrets s on s.workspace_id = u.workspace_id and s.name = u.name
       where c.approval_id = approval.id and c.workspace_id = approval.workspace_id and s.sealed is null) else '[]'::json end,
    'calls', (select json_agg(json_build_object('n', c.n, 'status', c.status, 'connector_id', c.connector_id, 'version', c.version,
        'tool', c.tool, 'tool_name', c.tool_name, 'access', c.access, 'method', c.method, 'host', c.host, 'args', c.args,
        'capability', c.capability, 'operation', c.operation, 'secret_names', c.secret_names, 'inner_digest', c.inner_digest,
        'may_destroy', c.may_destroy, 'from_calls', c.from_calls, 'preview', c.preview, 'sent_args', c.sent_args, 'began_at', c.began_at,
        'ended_at', c.ended_at, 'reason', c.reason, 'detail', c.detail, 'result', case when with_results then c.result end,
        'result_id', case when with_results then c.result_id end,
        'sealed_result', case when with_results and c.sealed_result is not null and c.result_gone_at > now() then json_build_object('sealed', encode(c.sealed_result, 'hex'),
          'data_key_id', d.id, 'kid', d.kid, 'wrapped', encode(d.wrapped, 'hex')) end,
        'result_gone_at', c.result_gone_at) order by c.n)
      from framed.v2_approval_calls c
      left join framed.workspace_data_keys d on d.workspace_id = c.workspace_id and d.id = c.sealed_key_id
     where c.approval_id = approval.id and c.workspace_id = approval.workspace_id),
    'follow_up', framed.follow_up_json(approval.id, approval.workspace_id));
end
$$;
comment on function framed.approval_json(framed.v2_approvals, boolean) is 'An approval with its calls, the names of values they wait for, and where its follow-up stands; a list leaves out what the calls answered, which may be megabytes of each. Runs as whoever asks.';

create function framed.opened_tool(workspace uuid, connector framed.v2_connectors) returns json
  language plpgsql stable set search_path = ''
as $$
begin
  if connector.id is null then return null; end if;
  return json_build_object('tool', framed.tool_json(connector), 'data_key', (
      select json_build_object('data_key_id', d.id, 'kid', d.kid, 'wrapped', encode(d.wrapped, 'hex'))
        from framed.workspace_data_keys d where d.workspace_id = workspace), 'sealed', (
    select coalesce(json_agg(json_build_object('name', s.name, 'host', s.host, 'is_credential', s.is_credential, 'sealed', encode(s.sealed, 'hex'),
        'data_key_id', d.id, 'kid', d.kid, 'wrapped', encode(d.wrapped, 'hex'))), '[]'::json)
      from framed.v2_connector_secret_uses u
      join framed.v2_connector_secrets s on s.workspace_id = u.workspace_id and s.name = u.name
      join framed.workspace_data_keys d on d.workspace_id = s.workspace_id and d.id = s.data_key_id
     where u.workspace_id = workspace and u.connector_id = connector.id and u.allowed_at is not null));
end
$$;
comment on function framed.opened_tool(uuid, framed.v2_connectors) is
  'A tool with its file, the values it may use, still sealed, and the key that seals for its workspace: {tool, sealed, data_key}. Null for none. Runs as whoever asks.';

create function framed.open_lookups(workspace uuid, slugs text[]) returns json
  language plpgsql security definer set search_path = ''
as $$
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  return (select coalesce(json_object_agg(c.slug, framed.opened_tool(workspace, c)), '{}'::json)
    from framed.v2_connectors c where c.workspace_id = workspace and c.slug = any (slugs));
end
$$;
comment on function framed.open_lookups(uuid, text[]) is 'The tools of a workspace that others look something up with, by slug; what is not there is left out.';

create function framed.open_chain(presented jsonb, workspace uuid, slugs text[], foreseen jsonb, limits jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  opened json;
  principal jsonb;
begin
  -- Who calls, their limits and leave, and the log row of a refusal: as for one call of the first tool.
  opened := framed.open_call(presented, workspace, slugs[1], null, foreseen, limits);
  principal := (opened -> 'principal')::jsonb;
  if opened ->> 'refused_by' is not null or jsonb_typeof(principal -> 'workspace') is distinct from 'object' then return opened; end if;
  return json_build_object('principal', principal, 'tools', (
    select json_object_agg(c.slug, framed.opened_tool(workspace, c)) from framed.v2_connectors c
     where c.workspace_id = workspace and c.slug = any (slugs)
       and (principal ->> 'kind' <> 'reseller_key' or (c.owner_user_id is null and c.owner_key_kind = 'reseller'
         and c.owner_account_id = (principal ->> 'account_id')::uuid))));
end
$$;
comment on function framed.open_chain(jsonb, uuid, text[], jsonb, jsonb) is
  'Who proposes a chain, and its tools by slug with their files; what is not there for the caller is left out. Refuses as framed.open_call does for the first of them.';

create function framed.insert_approval(workspace uuid, approval jsonb, calls json) returns void
  language plpgsql set search_path = ''
as $$
begin
  insert into framed.v2_approvals (id, workspace_id, digest, proposal_key, needs, rules, requested_by, requester_user_id, requested_at, expires_at)
  select a.id, workspace, decode(a.digest, 'hex'), decode(a.proposal_key, 'hex'), a.needs, a.rules, a.requested_by, a.requester_user_id,
    a.requested_at, a.expires_at
  from jsonb_to_record(approval) as a(id uuid, digest text, proposal_key text, needs text, rules jsonb, requested_by jsonb,
    requester_user_id uuid, requested_at timestamptz, expires_at timestamptz);
  insert into framed.v2_approval_calls (approval_id, n, workspace_id, connector_id, version, tool, tool_name, access, method, host, args,
    capability, operation, secret_names, inner_digest, may_destroy, from_calls, preview)
  select (approval ->> 'id')::uuid, c.n, workspace, c.connector_id, c.version, c.tool, c.tool_name, c.access, c.method, c.host, c.args,
    c.capability, c.operation, coalesce(c.secret_names, '{}'), c.inner_digest, coalesce(c.may_destroy, false), coalesce(c.from_calls, '[]'::jsonb), c.preview
  from json_to_recordset(calls) as c(n integer, connector_id uuid, version integer, tool text, tool_name text, access text, method text,
    host text, args json, capability text, operation text, secret_names text[], inner_digest text, may_destroy boolean, from_calls jsonb,
    preview json);
end
$$;
comment on function framed.insert_approval(uuid, jsonb, json) is 'One approval that waits, with its calls. Runs as whoever asks.';

create function framed.lock_proposal(workspace uuid, proposal_key text) returns void
  language sql set search_path = ''
  begin atomic
    select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(workspace::text || proposal_key, 0));
  end;
comment on function framed.lock_proposal(uuid, text) is
  'Whoever makes an approval that waits under this key holds it to the end of the transaction: one waits at a time.';

create function framed.propose(workspace uuid, approval jsonb, calls json, log_events jsonb, again boolean) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  standing framed.v2_approvals;
  at constant timestamptz := (approval ->> 'requested_at')::timestamptz;
  superseded uuid;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  -- Whoever proposes the same at the same time waits here, and then finds it.
  perform framed.lock_proposal(workspace, approval ->> 'proposal_key');
  select * into standing from framed.v2_approvals a
   where a.workspace_id = workspace and a.proposal_key = decode(approval ->> 'proposal_key', 'hex') and a.status = 'awaiting_approval'
   for update;
  if found then
    if standing.expires_at <= at then
      perform framed.expire_approval(standing, at);
      standing := null;
    elsif exists (
      select from json_to_recordset(calls) as c(n integer, connector_id uuid, version integer)
        full join (select * from framed.v2_approval_calls s where s.approval_id = standing.id) s on s.n = c.n
       where s.connector_id is distinct from c.connector_id or s.version is distinct from c.version)
    then
      -- The same words under another definition are another proposal: the old one is for nobody to approve any more.
      update framed.v2_approvals a set status = 'superseded', ended_at = at, superseded_because = 'The tool was defined anew and the call proposed again.'
       where a.id = standing.id;
      update framed.v2_approval_calls c set status = 'not_sent' where c.approval_id = standing.id and c.status = 'waiting';
      superseded := standing.id;
      standing := null;
    end if;
  end if;
  if standing.id is null then
    perform framed.insert_approval(workspace, approval, calls);
    if superseded is not null then
      update framed.v2_approvals a set superseded_by = (approval ->> 'id')::uuid where a.id = superseded;
    end if;
    perform framed.note_approval_waiting(workspace, (approval ->> 'id')::uuid, at);
    select * into standing from framed.v2_approvals a where a.id = (approval ->> 'id')::uuid and a.workspace_id = workspace;
  end if;
  perform framed.append_events(workspace, log_events, jsonb_build_object('approval_id', standing.id), again);
  return json_build_object('repeated', standing.id <> (approval ->> 'id')::uuid, 'approval', framed.approval_json(standing));
end
$$;
comment on function framed.propose(uuid, jsonb, json, jsonb, boolean) is
  'A proposal with its log row. The same one by the same caller, under the same definitions and still waiting, is the one that stands: {repeated, approval}.';

create function framed.open_approval(presented jsonb, asked_for uuid, limits jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  approval framed.v2_approvals;
  principal jsonb;
  wait double precision;
begin
  perform set_config('framed.approval_id', coalesce(asked_for::text, ''), true), set_config('framed.workspace_id', '', true);
  select * into approval from framed.v2_approvals a where a.id = asked_for;
  principal := framed.present_principal(presented, approval.workspace_id);
  perform set_config('framed.approval_id', '', true);
  if principal is null then return json_build_object('principal', null); end if;
  if limits is not null then
    wait := framed.take_call(framed.current_bucket_id(), (limits ->> 'principal_step')::double precision,
      (limits ->> 'principal_room')::double precision);
    if wait > 0 then return json_build_object('principal', principal, 'limited_by', 'principal', 'wait', wait); end if;
  end if;
  if jsonb_typeof(principal -> 'workspace') is distinct from 'object' then return json_build_object('principal', principal); end if;
  if limits is not null then
    wait := framed.take_workspace_call(approval.workspace_id, limits, -wait);
    if wait > 0 then return json_build_object('principal', principal, 'limited_by', 'workspace', 'wait', wait); end if;
  end if;
  return json_build_object('principal', principal, 'approval', framed.approval_json(approval)) ;
end
$$;
comment on function framed.open_approval(jsonb, uuid, jsonb) is
  'Who asks for an approval by its id alone, and the approval where the caller reaches its workspace: one out of reach looks as one that does not exist. Without limits nothing is counted.';

create function framed.open_decision(presented jsonb, asked_for uuid, limits jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  opened json := framed.open_approval(presented, asked_for, limits);
  approval framed.v2_approvals;
begin
  if opened -> 'approval' is null then return opened; end if;
  select * into approval from framed.v2_approvals a where a.id = asked_for and a.workspace_id = framed.current_workspace_id();
  return json_build_object('principal', opened -> 'principal', 'approval', opened -> 'approval',
    'requester_stands', framed.requester_stands(approval),
    'tools', (select coalesce(json_object_agg(c.id, framed.opened_tool(approval.workspace_id, c)), '{}'::json) from framed.v2_connectors c
      where c.workspace_id = approval.workspace_id
        and c.id in (select s.connector_id from framed.v2_approval_calls s where s.approval_id = approval.id)),
    'lookups', (select coalesce(json_object_agg(c.slug, framed.opened_tool(approval.workspace_id, c)), '{}'::json) from framed.v2_connectors c
      where c.workspace_id = approval.workspace_id
        and c.slug in (select s.preview ->> 'tool' from framed.v2_approval_calls s where s.approval_id = approval.id)));
end
$$;
comment on function framed.open_decision(jsonb, uuid, jsonb) is
  'framed.open_approval with all that a decision is held against: the tools as they are now, whether who asked still could, and what previews look up with.';

grant create on schema framed to framed_app;
alter function framed.open_lookups(uuid, text[]) owner to framed_app;
alter function framed.open_chain(jsonb, uuid, text[], jsonb, jsonb) owner to framed_app;
alter function framed.propose(uuid, jsonb, json, jsonb, boolean) owner to framed_app;
alter function framed.open_approval(jsonb, uuid, jsonb) owner to framed_app;
alter function framed.open_decision(jsonb, uuid, jsonb) owner to framed_app;
revoke create on schema framed from framed_app;

revoke all on function framed.append_events(uuid, jsonb, jsonb, boolean), framed.requester_stands(framed.v2_approvals),
  framed.lock_proposal(uuid, text), framed.follow_up_json(uuid, uuid), framed.approval_json(framed.v2_approvals, boolean), framed.opened_tool(uuid, framed.v2_connectors),
  framed.insert_approval(uuid, jsonb, json), framed.open_lookups(uuid, text[]), framed.open_chain(jsonb, uuid, text[], jsonb, jsonb),
  framed.propose(uuid, jsonb, json, jsonb, boolean), framed.open_approval(jsonb, uuid, jsonb), framed.open_decision(jsonb, uuid, jsonb) from public;
grant execute on function framed.append_events(uuid, jsonb, jsonb, boolean), framed.requester_stands(framed.v2_approvals),
  framed.lock_proposal(uuid, text), framed.follow_up_json(uuid, uuid), framed.approval_json(framed.v2_approvals, boolean), framed.opened_tool(uuid, framed.v2_connectors),
  framed.insert_approval(uuid, jsonb, json) to framed_app;
-- The owner of the schema connects and calls these; it reaches them as a member of framed_app.
do $$
begin
  execute format('grant execute on function framed.open_lookups(uuid, text[]), framed.open_chain(jsonb, uuid, text[], jsonb, jsonb), '
    'framed.propose(uuid, jsonb, json, jsonb, boolean), framed.open_approval(jsonb, uuid, jsonb), '
    'framed.open_decision(jsonb, uuid, jsonb) to %I', current_user);
end
$$;
