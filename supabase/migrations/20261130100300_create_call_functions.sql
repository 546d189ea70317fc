-- What: the hot path: who presented this and what may they reach (present_principal), everything a call needs (open_call),
--       and how it ended (close_call). One round trip each.
-- Why:  on the edge each round trip is real latency, and begin, set and commit are round trips too. Each function is owned by
--       framed_app and runs as it, so row security holds inside.
-- Locks: creates only.

create function framed.present_principal(presented jsonb, workspace uuid) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := (presented ->> 'user_id')::uuid;
  api_key framed.api_keys;
  membership framed.members;
  found_workspace framed.workspaces;
  kind text := 'session';
begin
  perform set_config('framed.workspace_id', coalesce(workspace::text, ''), true),
          set_config('framed.key_hash', coalesce(presented ->> 'key_hash', ''), true);
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
  -- A person's keys share the bucket of the person, or whoever issues many would be many callers.
  perform set_config('framed.bucket_id', coalesce(person, api_key.id)::text, true),
          set_config('framed.workspace_id', coalesce(found_workspace.id::text, ''), true);

  return jsonb_build_object(
    'kind', kind,
    'id', coalesce(api_key.id, person),
    'name', coalesce(membership.name, api_key.name),
    'user_id', person,
    'account_id', coalesce(api_key.account_id, found_workspace.account_id),
    'workspace', case when found_workspace.id is not null then jsonb_build_object(
      'id', found_workspace.id, 'account_id', found_workspace.account_id, 'settings', found_workspace.settings,
      'role', membership.role, 'grants', coalesce(to_jsonb(membership.grants), '[]'::jsonb)) end);
end
$$;
comment on function framed.present_principal(jsonb, uuid) is
  'Who presented {key_hash} or {user_id} and how they stand to the workspace; null where the key is dead or unknown. Leaves the transaction speaking for that workspace, or for none where it is out of reach.';

create function framed.connector_json(connector framed.v2_connectors, file json, owner_name text, uses json) returns json
  language sql stable
  return json_build_object(
    'id', connector.id, 'workspace_id', connector.workspace_id, 'slug', connector.slug, 'version', connector.version,
    'kind', connector.kind, 'file', file, 'host', connector.host, 'origin', connector.origin,
    'shared_across_account', connector.shared_across_account, 'partner_provided', connector.partner_provided,
    'runs_as_read', connector.runs_as_read, 'from_file', connector.request_config ? 'defined_from',
    'owner', json_build_object('user_id', connector.owner_user_id, 'key_kind', connector.owner_key_kind, 'account_id', connector.owner_account_id),
    'owner_name', owner_name, 'uses', coalesce(uses, '[]'::json));
comment on function framed.connector_json(framed.v2_connectors, json, text, json) is
  'A tool as the functions read it, from its parts: json, so that the file keeps the order of its keys.';

create function framed.use_json(u framed.v2_connector_secret_uses, is_set boolean) returns json
  language sql stable
  return json_build_object('credential_key', u.credential_key, 'name', u.name, 'host', u.host, 'set', is_set,
    'allowed', u.allowed_at is not null);
comment on function framed.use_json(framed.v2_connector_secret_uses, boolean) is 'A name that a tool uses, and never its value.';

create function framed.tool_json(connector framed.v2_connectors, with_file boolean default true) returns json
  language plpgsql stable set search_path = ''
as $$
begin
  return framed.connector_json(connector, case when with_file then connector.file end,
    (select m.name from framed.members m where m.workspace_id = connector.workspace_id and m.user_id = connector.owner_user_id),
    (select json_agg(framed.use_json(u, s.sealed is not null) order by u.credential_key)
       from framed.v2_connector_secret_uses u
       join framed.v2_connector_secrets s on s.workspace_id = u.workspace_id and s.name = u.name
      where u.connector_id = connector.id and u.workspace_id = connector.workspace_id));
end
$$;
comment on function framed.tool_json(framed.v2_connectors, boolean) is 'A tool with all that is told of it, its file only where it is wanted. Runs as whoever asks.';

create function framed.open_call(presented jsonb, workspace uuid, tool_slug text, kept_digest text, foreseen jsonb, limits jsonb)
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
        'principal', jsonb_build_object('kind', principal -> 'kind', 'id', principal -> 'id', 'name', principal -> 'name'),
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

create function framed.close_call(workspace uuid, log_event jsonb, remains jsonb, first_row text, whole_result text, again boolean)
  returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  connector uuid;
  kept json;
  is_written boolean := false;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  -- Whether the answer was lost or the call: the row tells, and all that belongs to it stands or falls with it.
  if again then
    perform from framed.log_events e where e.workspace_id = workspace and e.at > now() - interval '5 minutes'
      and e.request_id = log_event ->> 'request_id' and e.event = log_event ->> 'event';
    is_written := found;
  end if;
  if is_written then
    select json_strip_nulls(json_build_object('kept', true, 'rows', k.row_count, 'read_at', k.read_at)) into kept
      from framed.v2_kept_reads k
     where k.workspace_id = workspace and k.connector_id = (log_event ->> 'connector_id')::uuid
       and k.call_digest = decode(remains ->> 'call_digest', 'hex') and k.read_at = (remains ->> 'read_at')::timestamptz;
    return kept;
  end if;
  perform framed.append_event(workspace, log_event);
  if remains is null then return null; end if;

  -- The tool may have been replaced or removed while the other system answered: then there is nothing to keep it under.
  -- What is replaced right now is let in, and never shown: it carries the version it was read under.
  select c.id into connector from framed.v2_connectors c
   where c.workspace_id = workspace and c.id = (log_event ->> 'connector_id')::uuid and c.version = (log_event ->> 'version')::integer;
  if not found then return null; end if;

  -- What another system answered comes as text and goes in as json unread: it may hold escapes that no text of ours can.
  if remains ? 'result_id' then
    delete from framed.v2_results r where r.connector_id = connector and r.read_at < now() - interval '1 day';
    insert into framed.v2_results (id, workspace_id, connector_id, version, result, read_at)
    values ((remains ->> 'result_id')::uuid, workspace, connector, (log_event ->> 'version')::integer, whole_result::json,
      (remains ->> 'read_at')::timestamptz);
  end if;
  if not remains ? 'call_digest' then return null; end if;
  insert into framed.v2_kept_reads as k (workspace_id, connector_id, call_digest, operation, args, version, result, next_args,
    first_row, row_count, read_at)
  values (workspace, connector, decode(remains ->> 'call_digest', 'hex'), log_event ->> 'operation', (remains -> 'args')::json,
    (log_event ->> 'version')::integer, whole_result::json, (remains -> 'next')::json, first_row::json,
    (remains ->> 'row_count')::integer, (remains ->> 'read_at')::timestamptz)
  on conflict on constraint v2_kept_reads_call_unique do update
    set version = excluded.version, result = excluded.result, next_args = excluded.next_args, first_row = excluded.first_row,
        row_count = excluded.row_count, read_at = excluded.read_at
    where (k.version, k.read_at) <= (excluded.version, excluded.read_at)
  returning json_strip_nulls(json_build_object('kept', true, 'rows', k.row_count, 'read_at', k.read_at)) into kept;
  return kept;
end
$$;
comment on function framed.close_call(uuid, jsonb, jsonb, text, text, boolean) is
  'One log row and what the call leaves behind, its kept read and its whole answer, in one transaction. Tells what was kept. With `again` only what was not written before.';

-- An owner needs create on the schema for as long as it takes to become the owner.
grant create on schema framed to framed_app;
alter function framed.present_principal(jsonb, uuid) owner to framed_app;
alter function framed.connector_json(framed.v2_connectors, json, text, json) owner to framed_app;
alter function framed.use_json(framed.v2_connector_secret_uses, boolean) owner to framed_app;
alter function framed.tool_json(framed.v2_connectors, boolean) owner to framed_app;
alter function framed.open_call(jsonb, uuid, text, text, jsonb, jsonb) owner to framed_app;
alter function framed.close_call(uuid, jsonb, jsonb, text, text, boolean) owner to framed_app;
revoke create on schema framed from framed_app;
revoke all on function framed.present_principal(jsonb, uuid), framed.connector_json(framed.v2_connectors, json, text, json),
  framed.use_json(framed.v2_connector_secret_uses, boolean), framed.tool_json(framed.v2_connectors, boolean), framed.open_call(jsonb, uuid, text, text, jsonb, jsonb),
  framed.close_call(uuid, jsonb, jsonb, text, text, boolean) from public;
-- The owner of the schema connects and calls these; it reaches them as a member of framed_app.
do $$
begin
  execute format('grant execute on function framed.present_principal(jsonb, uuid), framed.tool_json(framed.v2_connectors, boolean), framed.open_call(jsonb, uuid, text, text, jsonb, jsonb), '
    'framed.close_call(uuid, jsonb, jsonb, text, text, boolean) to %I', current_user);
end
$$;
