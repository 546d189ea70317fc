-- What: of a raw key its own name beside its person's, wherever is written down who did something; and of a proposal that waits
--       already, that its row in the log is of a repeated one.
-- Why:  two keys of one administrator looked alike on what they ask for, and a program that asks again and again looked in the log
--       like many proposals. What was written before stays as it is.
-- Locks: none that a call waits for: comments on two tables, and three functions are replaced.

create or replace function framed.present_principal(presented jsonb, workspace uuid) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := (presented ->> 'user_id')::uuid;
  api_key framed.api_keys;
  token framed.connect_tokens;
  granted framed.connect_grants;
  membership framed.members;
  found_workspace framed.workspaces;
  kind text := 'session';
begin
  perform set_config('framed.workspace_id', coalesce(workspace::text, ''), true),
          set_config('framed.key_hash', coalesce(presented ->> 'key_hash', presented ->> 'token_hash', ''), true);
  if presented ? 'key_hash' then
    select * into api_key from framed.api_keys k
     where k.key_hash = framed.presented_key_hash()
       and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
    if not found then
      perform set_config('framed.workspace_id', '', true), set_config('framed.key_hash', '', true);
      return null;
    end if;
    person := api_key.user_id;
    kind := api_key.kind || '_key';
  elsif presented ? 'token_hash' then
    select * into token from framed.connect_tokens t
     where t.token_hash = framed.presented_key_hash() and t.kind = 'access' and t.expires_at > now();
    -- Its grant and its person are looked up where it is good, whatever workspace is asked for.
    perform set_config('framed.workspace_id', coalesce(token.workspace_id::text, ''), true);
    -- Made out for this stack, or it is nobody's here.
    select * into granted from framed.connect_grants g
     where g.id = token.grant_id and g.workspace_id = token.workspace_id and g.revoked_at is null
       and presented -> 'audiences' ? g.resource;
    select * into membership from framed.members m where m.workspace_id = granted.workspace_id and m.user_id = granted.user_id;
    if membership.user_id is null then
      perform set_config('framed.workspace_id', '', true), set_config('framed.key_hash', '', true);
      return null;
    end if;
    if granted.last_used_at is null or granted.last_used_at < now() - interval '1 minute' then
      update framed.connect_grants g set last_used_at = now()
       where g.id = (select l.id from framed.connect_grants l where l.id = granted.id for update skip locked);
    end if;
    person := granted.user_id;
    kind := 'connect_token';
  elsif person is null then
    perform set_config('framed.workspace_id', '', true);
    return null;
  end if;
  perform set_config('framed.user_id', coalesce(person::text, ''), true);

  if api_key.kind = 'raw' then
    -- A raw key lives as long as its person is an administrator where it was issued.
    select * into membership from framed.members m
     where m.workspace_id = api_key.workspace_id and m.user_id = person and m.role = 'admin';
    if not found then
      perform set_config('framed.workspace_id', '', true), set_config('framed.user_id', '', true), set_config('framed.key_hash', '', true);
      return null;
    end if;
    -- The key is good on one workspace: what comes after sees none of the others its person is a member of.
    perform set_config('framed.user_id', '', true);
    if api_key.workspace_id is distinct from workspace then membership := null; end if;
  elsif kind = 'connect_token' then
    -- So is a token, on the one its person chose.
    perform set_config('framed.user_id', '', true), set_config('framed.workspace_id', coalesce(workspace::text, ''), true);
    if granted.workspace_id is distinct from workspace then membership := null; end if;
  elsif person is not null and workspace is not null then
    select * into membership from framed.members m where m.workspace_id = workspace and m.user_id = person;
  end if;

  if api_key.id is not null and (api_key.last_used_at is null or api_key.last_used_at < now() - interval '1 minute') then
    update framed.api_keys k set last_used_at = now()
     where k.id = (select l.id from framed.api_keys l where l.id = api_key.id for update skip locked);
  end if;

  if workspace is not null then
    select * into found_workspace from framed.workspaces w where w.id = workspace
       and (membership.user_id is not null or (api_key.kind = 'reseller' and w.account_id = api_key.account_id));
  end if;
  -- Nothing of a workspace out of reach is visible to what runs after this in the same transaction.
  -- What acts as a person shares the bucket of the person, or whoever has many keys and tokens would be many callers.
  perform set_config('framed.bucket_id', coalesce(person, api_key.id)::text, true),
          set_config('framed.workspace_id', coalesce(found_workspace.id::text, ''), true);

  return jsonb_build_object(
    'kind', kind,
    'id', coalesce(api_key.id, granted.id, person),
    'name', coalesce(membership.name, api_key.name),
    'user_id', person,
    'account_id', coalesce(api_key.account_id, found_workspace.account_id),
    'workspace', case when found_workspace.id is not null then jsonb_build_object(
      'id', found_workspace.id, 'account_id', found_workspace.account_id, 'settings', found_workspace.settings,
      'role', membership.role, 'grants', coalesce(to_jsonb(membership.grants), '[]'::jsonb)) end)
    || case when api_key.kind = 'raw' then jsonb_build_object('key_name', api_key.name) else '{}'::jsonb end;
end
$$;
comment on function framed.present_principal(jsonb, uuid) is
  'Who presented {key_hash}, {token_hash, audiences} or {user_id} and how they stand to the workspace, of a raw key its own name too; null where the key or token is dead, unknown or made out for another place. Leaves the transaction speaking for that workspace, or for none where it is out of reach.';

create or replace function framed.open_call(presented jsonb, workspace uuid, tool_slug text, kept_digest text, foreseen jsonb, limits jsonb)
  returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  principal jsonb := framed.present_principal(presented, workspace);
  standing jsonb := principal -> 'workspace';
  connector framed.v2_connectors;
  is_known boolean;
  uses json;
  sealed json;
  lacks_value boolean;
  kept_read json;
  refused_by text;
  outcome text;
  wait double precision;
  also_refused integer;
begin
  if principal is null then return json_build_object('principal', null); end if;
  if jsonb_typeof(standing) = 'object' then
    -- A key with no person behind it sees what the keys of its account defined, and no more.
    select * into connector from framed.v2_connectors c
     where c.workspace_id = workspace and c.slug = tool_slug
       and (principal ->> 'kind' <> 'reseller_key' or (c.owner_user_id is null and c.owner_key_kind = 'reseller'
         and c.owner_account_id = (principal ->> 'account_id')::uuid));
    -- The names the tool uses and the values it may use, in one pass: every query of a call is time of every call.
    select json_agg(framed.use_json(u, s.sealed is not null) order by u.credential_key),
      json_agg(json_build_object('name', s.name, 'host', s.host, 'is_credential', s.is_credential, 'sealed', encode(s.sealed, 'hex'),
        'data_key_id', d.id, 'kid', d.kid, 'wrapped', encode(d.wrapped, 'hex'))) filter (where u.allowed_at is not null and d.id is not null),
      coalesce(bool_or(s.sealed is null or u.allowed_at is null), false)
      into uses, sealed, lacks_value
      from framed.v2_connector_secret_uses u
      join framed.v2_connector_secrets s on s.workspace_id = u.workspace_id and s.name = u.name
      left join framed.workspace_data_keys d on d.workspace_id = s.workspace_id and d.id = s.data_key_id
     where u.workspace_id = workspace and u.connector_id = connector.id;
    is_known := coalesce(connector.id = (foreseen ->> 'connector_id')::uuid and connector.version = (foreseen ->> 'version')::integer
      and connector.runs_as_read = (foreseen ->> 'runs_as_read')::boolean, false);
    if kept_digest is not null then
      select json_build_object('id', k.id, 'result', k.result, 'rows', k.row_count, 'read_at', k.read_at,
          'has_next', k.next_args is not null, 'next', k.next_args) into kept_read
        from framed.v2_kept_reads k
       where k.workspace_id = workspace and k.connector_id = connector.id and k.version = connector.version
         and k.call_digest = decode(kept_digest, 'hex');
    end if;
  end if;

  -- Taken when nothing is left to look up: who calls at once waits for a bucket's row no longer than a commit takes.
  wait := framed.take_call(framed.current_bucket_id(), (limits ->> 'principal_step')::double precision,
    (limits ->> 'principal_room')::double precision);
  if jsonb_typeof(standing) is distinct from 'object' then
    if wait > 0 then
      return json_build_object('principal', principal, 'refused_by', 'principal_limit', 'wait', wait);
    end if;
    return json_build_object('principal', principal);
  end if;
  if wait > 0 then
    refused_by := 'principal_limit';
    outcome := 'rate_limited';
  elsif principal ->> 'kind' <> 'reseller_key' and standing ->> 'role' <> 'admin' and not standing -> 'grants' ? 'use_connectors' then
    refused_by := 'authority';
    outcome := 'grant_missing';
  elsif foreseen ? 'bad_shape' then
    refused_by := 'shape';
    outcome := foreseen ->> 'bad_shape';
  elsif connector.id is null then
    refused_by := 'existence';
    outcome := 'not_found';
  elsif is_known and foreseen ? 'refused' then
    refused_by := 'definition';
    outcome := foreseen ->> 'refused';
  elsif is_known and foreseen ? 'opens_secrets' and lacks_value then
    refused_by := 'values';
    outcome := 'secret_missing';
  else
    wait := framed.take_workspace_call(workspace, limits, -wait);
    if wait > 0 then
      refused_by := 'workspace_limit';
      outcome := 'rate_limited';
    end if;
  end if;
  if refused_by is not null then
    -- A flood of calls over a limit must not become a flood of rows: most of them are only counted.
    if outcome = 'rate_limited' then also_refused := framed.note_refused(framed.current_bucket_id()); end if;
    if outcome <> 'rate_limited' or also_refused is not null then
      perform framed.append_event(workspace, (foreseen -> 'event') || jsonb_build_object(
        'principal', principal - array['user_id', 'account_id', 'workspace'],
        'outcome', outcome
      ) || case
        when refused_by in ('definition', 'values') then jsonb_build_object(
          'connector_id', connector.id, 'version', connector.version, 'detail', foreseen -> 'detail')
        when outcome = 'rate_limited' then jsonb_build_object('detail', jsonb_build_object('also_refused', also_refused))
        else '{}'::jsonb end);
    end if;
    return json_build_object('principal', principal, 'refused_by', refused_by, 'wait', wait,
      'tool', case when refused_by = 'values' then framed.connector_json(connector, null, null, uses) end);
  end if;

  return json_build_object('principal', principal, 'sealed', coalesce(sealed, '[]'::json), 'kept_read', kept_read,
    'tool', framed.connector_json(connector, case when not is_known then connector.file end, null, uses));
end
$$;
comment on function framed.open_call(jsonb, uuid, text, text, jsonb, jsonb) is
  'Everything one call needs: the principal, the tool, the sealed secrets it may use, and what was kept of the call where that is asked for. A call that is refused here has its log row with that: for a limit (at most one row a minute of a principal), for lack of authority, for its shape, for a tool that is not there for the caller, and as foreseen from a definition that is still the tool''s.';

create or replace function framed.propose(workspace uuid, approval jsonb, calls json, log_events jsonb, again boolean) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  standing framed.v2_approvals;
  at constant timestamptz := (approval ->> 'requested_at')::timestamptz;
  superseded uuid;
  is_repeated boolean;
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
  is_repeated := standing.id <> (approval ->> 'id')::uuid;
  -- The first is of the proposal itself, the others of what was looked at for it.
  perform framed.append_events(workspace,
    case when is_repeated then jsonb_set(log_events, '{0,detail,repeated}', 'true') else log_events end,
    jsonb_build_object('approval_id', standing.id), again);
  return json_build_object('repeated', is_repeated, 'approval', framed.approval_json(standing));
end
$$;
comment on function framed.propose(uuid, jsonb, json, jsonb, boolean) is
  'A proposal with its log row. The same one by the same caller, under the same definitions and still waiting, is the one that stands: {repeated, approval}.';

comment on column framed.log_events.principal is 'Who: {kind, id, name}, of a raw key key_name too.';
comment on column framed.v2_approvals.requested_by is 'Who asked: {kind, id, name}, of a raw key key_name too.';
