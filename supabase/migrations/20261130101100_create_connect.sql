-- What: what signing in to Connect leaves behind (clients, requests for consent, grants, codes, tokens), the steps that
--       change it, and a third way to say who calls: a Connect token.
-- Why:  a person's own AI acts as the person who consented, on the one workspace they chose. Everything that opens
--       something is stored as SHA-256 only; every step from one state to the next is one guarded update, so that a code
--       or a refresh token that is used twice at once gives one token.
-- Locks: creates only; present_principal is replaced, which waits for no call.

create function framed.presented_client_id() returns uuid
  language sql stable
  return nullif(current_setting('framed.client_id', true), '')::uuid;
comment on function framed.presented_client_id() is 'The registered client this transaction is about: may read and add that one.';

create table framed.connect_clients (
  id uuid constraint connect_clients_pkey primary key,
  name text not null constraint connect_clients_name_length check (char_length(name) between 1 and 80),
  redirect_uris jsonb not null constraint connect_clients_redirects
    check (jsonb_typeof(redirect_uris) = 'array' and jsonb_array_length(redirect_uris) between 1 and 20),
  created_at timestamptz not null default now(),
  consented_at timestamptz
);
comment on table framed.connect_clients is 'Programs that registered to ask people for consent. Anyone may register; it gives nothing.';
comment on column framed.connect_clients.consented_at is 'When a person last let it in. The tick forgets those that nobody lets in.';
create index connect_clients_forget_idx on framed.connect_clients (coalesce(consented_at, created_at));

create table framed.connect_requests (
  request_hash bytea constraint connect_requests_pkey primary key constraint connect_requests_hash_length check (octet_length(request_hash) = 32),
  client_id text not null constraint connect_requests_client_length check (char_length(client_id) between 1 and 2048),
  client_name text not null constraint connect_requests_name_length check (char_length(client_name) between 1 and 80),
  redirect_uri text not null constraint connect_requests_redirect_length check (char_length(redirect_uri) between 1 and 2048),
  redirect_state text constraint connect_requests_state_length check (char_length(redirect_state) <= 4096),
  code_challenge text not null constraint connect_requests_challenge check (code_challenge ~ '^[A-Za-z0-9_-]{43}$'),
  resource text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  user_id uuid,
  decided_at timestamptz
);
comment on table framed.connect_requests is 'A client''s request that waits for a person''s consent: of no workspace yet, reached by who holds its id.';
comment on column framed.connect_requests.user_id is 'The first person who looked at it signed in: from then on nobody else''s.';
create index connect_requests_forget_idx on framed.connect_requests (expires_at);

create table framed.connect_grants (
  id uuid constraint connect_grants_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint connect_grants_workspace_fk references framed.workspaces (id) on delete cascade,
  user_id uuid not null,
  client_id text not null constraint connect_grants_client_length check (char_length(client_id) between 1 and 2048),
  client_name text not null constraint connect_grants_name_length check (char_length(client_name) between 1 and 80),
  redirect_host text not null constraint connect_grants_redirect_length check (char_length(redirect_host) between 1 and 2048),
  resource text not null,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  last_used_at timestamptz,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_because text constraint connect_grants_because check (revoked_because in ('person', 'client', 'reuse', 'member')),
  constraint connect_grants_in_workspace unique (id, workspace_id),
  constraint connect_grants_revoked check ((revoked_at is null) = (revoked_because is null))
);
comment on table framed.connect_grants is 'What a person let a client do on a workspace: act as them. All tokens that come of it live and end with it.';
comment on column framed.connect_grants.activated_at is 'When its code was redeemed; one that never was has no token.';
comment on column framed.connect_grants.expires_at is 'Of the newest refresh token: each use moves it on.';
comment on column framed.connect_grants.last_used_at is 'To the minute: written at most once a minute.';
comment on column framed.connect_grants.revoked_because is 'Who ended it: a person, the client itself, a code or refresh token used twice, the loss of membership.';
create index connect_grants_workspace_idx on framed.connect_grants (workspace_id, created_at, id);
create index connect_grants_forget_idx on framed.connect_grants (expires_at);

create table framed.connect_codes (
  code_hash bytea constraint connect_codes_pkey primary key constraint connect_codes_hash_length check (octet_length(code_hash) = 32),
  workspace_id uuid not null,
  grant_id uuid not null,
  redirect_uri text not null,
  code_challenge text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint connect_codes_grant_fk foreign key (grant_id, workspace_id) references framed.connect_grants (id, workspace_id) on delete cascade
);
comment on table framed.connect_codes is 'What the client gets by way of the person''s browser, good once and for a minute.';
create index connect_codes_grant_idx on framed.connect_codes (grant_id);

create table framed.connect_tokens (
  token_hash bytea constraint connect_tokens_pkey primary key constraint connect_tokens_hash_length check (octet_length(token_hash) = 32),
  kind text not null constraint connect_tokens_kind check (kind in ('access', 'refresh')),
  workspace_id uuid not null,
  grant_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz constraint connect_tokens_used check (used_at is null or kind = 'refresh'),
  constraint connect_tokens_grant_fk foreign key (grant_id, workspace_id) references framed.connect_grants (id, workspace_id) on delete cascade
);
comment on table framed.connect_tokens is 'Access and refresh tokens of a grant. A refresh token is used once and kept, so that a second use is seen.';
create index connect_tokens_grant_idx on framed.connect_tokens (grant_id);
create index connect_tokens_forget_idx on framed.connect_tokens (expires_at);

alter table framed.connect_clients enable row level security;
alter table framed.connect_requests enable row level security;
alter table framed.connect_grants enable row level security;
alter table framed.connect_codes enable row level security;
alter table framed.connect_tokens enable row level security;

create policy connect_clients_presented on framed.connect_clients for all to framed_app
  using (id = (select framed.presented_client_id())) with check (id = (select framed.presented_client_id()));
create policy connect_requests_presented on framed.connect_requests for all to framed_app
  using (request_hash = (select framed.presented_key_hash())) with check (request_hash = (select framed.presented_key_hash()));
create policy connect_grants_current on framed.connect_grants for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy connect_codes_current on framed.connect_codes for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy connect_codes_presented on framed.connect_codes for select to framed_app
  using (code_hash = (select framed.presented_key_hash()));
create policy connect_tokens_current on framed.connect_tokens for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy connect_tokens_presented on framed.connect_tokens for select to framed_app
  using (token_hash = (select framed.presented_key_hash()));

grant select, insert (id, name, redirect_uris), update (consented_at) on framed.connect_clients to framed_app;
grant select, insert (request_hash, client_id, client_name, redirect_uri, redirect_state, code_challenge, resource, expires_at),
  update (user_id, decided_at) on framed.connect_requests to framed_app;
grant select, insert (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at),
  update (activated_at, last_used_at, expires_at, revoked_at, revoked_because) on framed.connect_grants to framed_app;
grant select, insert (code_hash, workspace_id, grant_id, redirect_uri, code_challenge, expires_at), update (used_at) on framed.connect_codes to framed_app;
grant select, insert (token_hash, kind, workspace_id, grant_id, expires_at), update (used_at) on framed.connect_tokens to framed_app;

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
      'role', membership.role, 'grants', coalesce(to_jsonb(membership.grants), '[]'::jsonb)) end);
end
$$;
comment on function framed.present_principal(jsonb, uuid) is
  'Who presented {key_hash}, {token_hash, audiences} or {user_id} and how they stand to the workspace; null where the key or token is dead, unknown or made out for another place. Leaves the transaction speaking for that workspace, or for none where it is out of reach.';

create function framed.admit_stranger(stranger uuid, everyone uuid, limits jsonb) returns double precision
  language plpgsql security definer set search_path = ''
as $$
declare
  wait double precision;
begin
  perform set_config('framed.bucket_id', stranger::text, true);
  wait := framed.take_call(stranger, (limits ->> 'stranger_step')::double precision, (limits ->> 'stranger_room')::double precision);
  if wait <= 0 then
    perform set_config('framed.bucket_id', everyone::text, true);
    wait := framed.take_call(everyone, (limits ->> 'everyone_step')::double precision, (limits ->> 'everyone_room')::double precision);
  end if;
  perform set_config('framed.bucket_id', '', true);
  return greatest(wait, 0);
end
$$;
comment on function framed.admit_stranger(uuid, uuid, jsonb) is
  'Takes a request of who has not said who they are from the bucket of their address and from everyone''s: 0 where it may go on, else the seconds to wait.';

create function framed.end_grant(of_grant uuid, because text, log_event jsonb) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  ended framed.connect_grants;
begin
  update framed.connect_grants g set revoked_at = now(), revoked_because = because
   where g.id = of_grant and g.workspace_id = framed.current_workspace_id() and g.revoked_at is null
  returning * into ended;
  if not found then return false; end if;
  perform framed.append_event(ended.workspace_id, jsonb_build_object('principal', jsonb_build_object(
      'kind', 'connect_token', 'id', ended.id, 'name', (select m.name from framed.members m
         where m.workspace_id = ended.workspace_id and m.user_id = ended.user_id)))
    || log_event
    || jsonb_build_object('event', 'connect.revoked', 'outcome', 'ok', 'detail', jsonb_build_object(
      'connect_token_id', ended.id, 'user_id', ended.user_id, 'client', ended.client_name, 'because', because)));
  return true;
end
$$;
comment on function framed.end_grant(uuid, text, jsonb) is
  'Ends a grant of the transaction''s workspace with all its tokens, once, with its row in the log, in which the grant itself is who did it where log_event names no principal. False where it had ended before.';

create function framed.issue_tokens(granted framed.connect_grants, issued jsonb) returns jsonb
  language plpgsql set search_path = ''
as $$
declare
  refresh_until constant timestamptz := now() + make_interval(secs => (issued ->> 'refresh_seconds')::double precision);
begin
  insert into framed.connect_tokens (token_hash, kind, workspace_id, grant_id, expires_at) values
    (decode(issued ->> 'access_hash', 'hex'), 'access', granted.workspace_id, granted.id,
      now() + make_interval(secs => (issued ->> 'access_seconds')::double precision)),
    (decode(issued ->> 'refresh_hash', 'hex'), 'refresh', granted.workspace_id, granted.id, refresh_until);
  update framed.connect_grants g set activated_at = coalesce(g.activated_at, now()), expires_at = refresh_until where g.id = granted.id;
  return jsonb_build_object('grant_id', granted.id, 'resource', granted.resource);
end
$$;
comment on function framed.issue_tokens(framed.connect_grants, jsonb) is 'Stores the next access and refresh token of a grant, which then lives as long as the latter.';

create function framed.redeem_code(presented jsonb, issued jsonb, log_event jsonb) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
declare
  code framed.connect_codes;
  granted framed.connect_grants;
begin
  perform set_config('framed.key_hash', presented ->> 'code_hash', true);
  select * into code from framed.connect_codes c where c.code_hash = framed.presented_key_hash();
  if not found then return null; end if;
  perform set_config('framed.workspace_id', code.workspace_id::text, true);
  update framed.connect_codes c set used_at = now() where c.code_hash = code.code_hash and c.used_at is null;
  if not found then
    perform framed.end_grant(code.grant_id, 'reuse', log_event);
    return null;
  end if;
  -- Used up, whatever is wrong with the rest: who cannot prove to have asked for it gets no second try.
  select g.* into granted from framed.connect_grants g
    join framed.members m on m.workspace_id = g.workspace_id and m.user_id = g.user_id
   where g.id = code.grant_id and g.revoked_at is null and g.client_id = presented ->> 'client_id' and code.expires_at > now()
     and (presented ->> 'redirect_uri' is null or code.redirect_uri = presented ->> 'redirect_uri')
     and code.code_challenge = presented ->> 'code_challenge'
     and (presented ->> 'resource' is null or g.resource = presented ->> 'resource')
     for update of g;
  if not found then return null; end if;
  return framed.issue_tokens(granted, issued);
end
$$;
comment on function framed.redeem_code(jsonb, jsonb, jsonb) is
  'Makes the tokens of {code_hash, client_id, redirect_uri, code_challenge, resource} where all of it that is given is what was consented to; null where it is not. A code is used up by its first use; a second one ends the grant.';

create function framed.rotate_token(presented jsonb, issued jsonb, log_event jsonb) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
declare
  token framed.connect_tokens;
  granted framed.connect_grants;
begin
  perform set_config('framed.key_hash', presented ->> 'token_hash', true);
  select * into token from framed.connect_tokens t where t.token_hash = framed.presented_key_hash() and t.kind = 'refresh';
  if not found then return null; end if;
  perform set_config('framed.workspace_id', token.workspace_id::text, true);
  update framed.connect_tokens t set used_at = now() from framed.connect_grants g, framed.members m
   where t.token_hash = token.token_hash and t.used_at is null and t.expires_at > now()
     and g.id = t.grant_id and g.revoked_at is null and g.client_id = presented ->> 'client_id'
     and (presented ->> 'resource' is null or g.resource = presented ->> 'resource')
     and m.workspace_id = g.workspace_id and m.user_id = g.user_id
  returning g.* into granted;
  if found then return framed.issue_tokens(granted, issued); end if;
  -- Read anew: whoever used it at the same time has done so by now.
  perform from framed.connect_tokens t where t.token_hash = token.token_hash and t.used_at is not null;
  if found then perform framed.end_grant(token.grant_id, 'reuse', log_event); end if;
  return null;
end
$$;
comment on function framed.rotate_token(jsonb, jsonb, jsonb) is
  'Makes the next tokens of {token_hash, client_id, resource}, a refresh token that stands; null where it does not. A second use ends the grant.';

create function framed.revoke_token(presented jsonb, log_event jsonb) returns boolean
  language plpgsql security definer set search_path = ''
as $$
declare
  token framed.connect_tokens;
begin
  perform set_config('framed.key_hash', presented ->> 'token_hash', true);
  select * into token from framed.connect_tokens t where t.token_hash = framed.presented_key_hash();
  if not found then return false; end if;
  perform set_config('framed.workspace_id', token.workspace_id::text, true);
  perform from framed.connect_grants g where g.id = token.grant_id
    and (presented ->> 'client_id' is null or g.client_id = presented ->> 'client_id');
  return found and framed.end_grant(token.grant_id, 'client', log_event);
end
$$;
comment on function framed.revoke_token(jsonb, jsonb) is
  'Ends the grant that {token_hash, client_id} belongs to, whichever of its tokens it is. False where there was nothing to end.';

-- An owner needs create on the schema for as long as it takes to become the owner.
grant create on schema framed to framed_app;
alter function framed.admit_stranger(uuid, uuid, jsonb) owner to framed_app;
alter function framed.redeem_code(jsonb, jsonb, jsonb) owner to framed_app;
alter function framed.rotate_token(jsonb, jsonb, jsonb) owner to framed_app;
alter function framed.revoke_token(jsonb, jsonb) owner to framed_app;
revoke create on schema framed from framed_app;
revoke all on function framed.presented_client_id(), framed.admit_stranger(uuid, uuid, jsonb), framed.end_grant(uuid, text, jsonb),
  framed.issue_tokens(framed.connect_grants, jsonb), framed.redeem_code(jsonb, jsonb, jsonb), framed.rotate_token(jsonb, jsonb, jsonb),
  framed.revoke_token(jsonb, jsonb) from public;
grant execute on function framed.presented_client_id(), framed.end_grant(uuid, text, jsonb),
  framed.issue_tokens(framed.connect_grants, jsonb) to framed_app;
-- The owner of the schema connects and calls these; it reaches them as a member of framed_app.
do $$
begin
  execute format('grant execute on function framed.admit_stranger(uuid, uuid, jsonb), framed.redeem_code(jsonb, jsonb, jsonb), '
    'framed.rotate_token(jsonb, jsonb, jsonb), framed.revoke_token(jsonb, jsonb) to %I', current_user);
end
$$;
