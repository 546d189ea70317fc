-- What: the schema `framed`, its least-privileged role, and who is who: accounts, workspaces, members, API keys.
-- Why:  everything else hangs on a workspace, and every row of it is guarded by row security keyed on the
--       transaction's workspace, so that one forgotten `where` never shows a stranger's row.
-- Locks: creates only.

create schema framed;
comment on schema framed is 'Framed tools. Not exposed by the data API; reached by the functions alone, as framed_app.';
revoke all on schema framed from public;

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'framed_app') then
    create role framed_app nologin noinherit;
  end if;
  -- The functions connect as the owner and drop to this role in every transaction.
  execute format('grant framed_app to %I with set true', current_user);
end
$$;
grant usage on schema framed to framed_app;

-- Who the transaction speaks for. Each is set with set_config(…, is_local => true); empty means nobody, and sees nothing.
-- Bodies that are bound when they are made are inlined into the policies. A search path would keep them from that, and
-- every query of every call would parse and plan them anew: the first round trip of a read takes three times as long then.
create function framed.current_workspace_id() returns uuid
  language sql stable
  return nullif(current_setting('framed.workspace_id', true), '')::uuid;
comment on function framed.current_workspace_id() is 'The workspace of this transaction; null sees no workspace''s rows.';

create function framed.current_user_id() returns uuid
  language sql stable
  return nullif(current_setting('framed.user_id', true), '')::uuid;
comment on function framed.current_user_id() is 'The person of this transaction: may read their own memberships across workspaces.';

create function framed.presented_key_hash() returns bytea
  language sql stable
  return decode(nullif(current_setting('framed.key_hash', true), ''), 'hex');
comment on function framed.presented_key_hash() is 'SHA-256 of the key this transaction presented: may read that one key.';

create table framed.accounts (
  id uuid constraint accounts_pkey primary key default gen_random_uuid(),
  name text not null constraint accounts_name_length check (char_length(name) between 1 and 200),
  created_at timestamptz not null default now()
);
comment on table framed.accounts is 'A customer or reseller; owns workspaces.';

create table framed.workspaces (
  id uuid constraint workspaces_pkey primary key default gen_random_uuid(),
  account_id uuid not null constraint workspaces_account_fkey references framed.accounts (id),
  name text not null constraint workspaces_name_length check (char_length(name) between 1 and 200),
  settings jsonb not null default '{}' constraint workspaces_settings_object check (jsonb_typeof(settings) = 'object'),
  created_at timestamptz not null default now(),
  constraint workspaces_in_account unique (id, account_id)
);
comment on table framed.workspaces is 'Where tools live; the unit of row security.';
create index workspaces_account_idx on framed.workspaces (account_id);

create table framed.members (
  workspace_id uuid not null constraint members_workspace_fkey references framed.workspaces (id) on delete cascade,
  user_id uuid not null,
  role text not null constraint members_role check (role in ('admin', 'member')),
  grants text[] not null default '{}' constraint members_grants check (grants <@ array['use_connectors']),
  name text not null constraint members_name_length check (char_length(name) between 1 and 200),
  email text not null constraint members_email_length check (char_length(email) between 3 and 320),
  created_at timestamptz not null default now(),
  constraint members_pkey primary key (workspace_id, user_id)
);
comment on table framed.members is 'A person on a workspace. user_id is the subject of their Supabase Auth sessions.';
create index members_user_idx on framed.members (user_id);

create table framed.api_keys (
  id uuid constraint api_keys_pkey primary key default gen_random_uuid(),
  kind text not null constraint api_keys_kind check (kind in ('raw', 'reseller')),
  account_id uuid not null constraint api_keys_account_fkey references framed.accounts (id),
  workspace_id uuid,
  user_id uuid,
  name text not null constraint api_keys_name_length check (char_length(name) between 1 and 80),
  key_hash bytea not null constraint api_keys_hash_unique unique constraint api_keys_hash_length check (octet_length(key_hash) = 32),
  created_by uuid,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- A raw key's account is its workspace's own; a reseller key has no workspace, and is not held to it.
  constraint api_keys_workspace_fkey foreign key (workspace_id, account_id)
    references framed.workspaces (id, account_id) on delete cascade,
  constraint api_keys_raw_acts_as_person
    check ((kind = 'raw') = (user_id is not null) and (kind = 'raw') = (workspace_id is not null))
);
comment on table framed.api_keys is 'Raw keys act as the administrator who issued them, on one workspace; reseller keys reach their account''s workspaces with no person behind.';
comment on column framed.api_keys.key_hash is 'SHA-256 of the whole key; the key itself is shown once and stored nowhere.';
comment on column framed.api_keys.last_used_at is 'To the minute: written at most once a minute.';
create index api_keys_workspace_idx on framed.api_keys (workspace_id);
create index api_keys_account_idx on framed.api_keys (account_id);

alter table framed.accounts enable row level security;
alter table framed.workspaces enable row level security;
alter table framed.members enable row level security;
alter table framed.api_keys enable row level security;

create policy accounts_of_workspace on framed.accounts for select to framed_app
  using (id = (select w.account_id from framed.workspaces w where w.id = (select framed.current_workspace_id())));
create policy workspaces_current on framed.workspaces for select to framed_app
  using (
    id = (select framed.current_workspace_id())
    or id in (select m.workspace_id from framed.members m where m.user_id = (select framed.current_user_id()))
  );
create policy workspaces_settings on framed.workspaces for update to framed_app
  using (id = (select framed.current_workspace_id())) with check (id = (select framed.current_workspace_id()));
create policy members_current on framed.members for all to framed_app
  using (workspace_id = (select framed.current_workspace_id()))
  with check (workspace_id = (select framed.current_workspace_id()));
create policy members_own on framed.members for select to framed_app
  using (user_id = (select framed.current_user_id()));
create policy api_keys_current on framed.api_keys for all to framed_app
  using (workspace_id = (select framed.current_workspace_id()))
  with check (workspace_id = (select framed.current_workspace_id()));
create policy api_keys_presented on framed.api_keys for select to framed_app
  using (key_hash = (select framed.presented_key_hash()));
create policy api_keys_presented_use on framed.api_keys for update to framed_app
  using (key_hash = (select framed.presented_key_hash())) with check (key_hash = (select framed.presented_key_hash()));

grant select on framed.accounts to framed_app;
grant select, update (name, settings) on framed.workspaces to framed_app;
grant select, insert, update, delete on framed.members to framed_app;
grant select, insert, update (last_used_at, revoked_at) on framed.api_keys to framed_app;
-- What is created as a function is everybody's to run until this is taken back.
revoke all on function framed.current_workspace_id(), framed.current_user_id(), framed.presented_key_hash() from public;
grant execute on function framed.current_workspace_id(), framed.current_user_id(), framed.presented_key_hash() to framed_app;
