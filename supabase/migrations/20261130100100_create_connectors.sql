-- What: tools, their versions, the secrets they name, and what their reads kept.
-- Why:  one row of v2_connectors is one tool; a secret's name belongs to one host and is either a credential or a
--       setting, which the database itself guarantees: a use of a name points at the row that binds it.
-- Locks: creates only.

create table framed.v2_connectors (
  id uuid constraint v2_connectors_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint v2_connectors_workspace_fkey references framed.workspaces (id) on delete cascade,
  slug text collate "C" not null constraint v2_connectors_slug check (slug ~ '^[a-z][a-z0-9_]{1,62}$'),
  name text not null,
  description text not null,
  kind text not null constraint v2_connectors_kind check (kind in ('request', 'fixture', 'mcp')),
  access text constraint v2_connectors_access check (access in ('read', 'write', 'sensitive')),
  version integer not null default 1 constraint v2_connectors_version check (version > 0),
  file json not null,
  digest bytea not null constraint v2_connectors_digest_length check (octet_length(digest) = 32),
  host text,
  declared_capabilities jsonb,
  capabilities text[] not null default '{}',
  follow_up jsonb,
  request_config jsonb not null default '{}',
  runs_as_read boolean not null default false,
  origin text not null default 'file' constraint v2_connectors_origin check (origin in ('file', 'blueprint', 'seeded', 'installed')),
  shared_across_account boolean not null default false,
  partner_provided boolean not null default false,
  owner_user_id uuid,
  owner_key_kind text constraint v2_connectors_owner_key_kind check (owner_key_kind in ('raw', 'reseller')),
  owner_account_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint v2_connectors_slug_unique unique (workspace_id, slug),
  constraint v2_connectors_in_workspace unique (workspace_id, id),
  constraint v2_connectors_access_but_mcp check (access is not null or kind = 'mcp')
);
comment on table framed.v2_connectors is 'Tools. One row is what a file became on a workspace.';
comment on column framed.v2_connectors.slug is 'Sorted by code point, so that lists come out of the index that keeps it unique.';
comment on column framed.v2_connectors.file is 'The file as it was defined, key order and all; json, not jsonb, so that it reads back equal.';
comment on column framed.v2_connectors.digest is 'SHA-256 of the file''s canonical JSON: an equal file changes nothing.';
comment on column framed.v2_connectors.host is 'The host as the file writes it, template included, with a port that is not 443; null where the tool is not live.';
comment on column framed.v2_connectors.declared_capabilities is 'What the file declares. Not `capabilities`.';
comment on column framed.v2_connectors.capabilities is 'Internal grants such as read:insights. A file never touches them.';
comment on column framed.v2_connectors.request_config is 'defined_from marks a tool that a file defined.';
comment on column framed.v2_connectors.runs_as_read is 'An administrator has looked at this request and says that it only reads.';
create index v2_connectors_of_account_idx on framed.v2_connectors (workspace_id, owner_account_id, slug)
  where owner_user_id is null and owner_key_kind = 'reseller';

create table framed.v2_connector_versions (
  connector_id uuid not null,
  workspace_id uuid not null,
  version integer not null,
  file json not null,
  digest bytea not null,
  defined_by jsonb not null,
  defined_at timestamptz not null default now(),
  constraint v2_connector_versions_pkey primary key (connector_id, version),
  constraint v2_connector_versions_connector_fkey foreign key (workspace_id, connector_id)
    references framed.v2_connectors (workspace_id, id) on delete cascade
);
comment on table framed.v2_connector_versions is 'Every definition a tool ever had, the current one too.';
comment on column framed.v2_connector_versions.defined_by is 'Who: {kind, id, name}.';

create table framed.workspace_data_keys (
  id uuid constraint workspace_data_keys_pkey primary key,
  workspace_id uuid not null constraint workspace_data_keys_workspace_fkey references framed.workspaces (id) on delete cascade,
  kid text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  constraint workspace_data_keys_one unique (workspace_id),
  constraint workspace_data_keys_in_workspace unique (workspace_id, id)
);
comment on table framed.workspace_data_keys is 'The key that seals a workspace''s secrets, itself sealed by the master key `kid` of FRAMED_SECRET_KEYS.';

create table framed.v2_connector_secrets (
  workspace_id uuid not null constraint v2_connector_secrets_workspace_fkey references framed.workspaces (id) on delete cascade,
  name text not null constraint v2_connector_secrets_name check (name ~ '^CONNECTOR_[A-Z0-9_]{1,55}$'),
  host text not null,
  is_credential boolean not null,
  sealed bytea,
  data_key_id uuid,
  set_by uuid,
  set_at timestamptz,
  constraint v2_connector_secrets_pkey primary key (workspace_id, name),
  constraint v2_connector_secrets_binding_unique unique (workspace_id, name, host, is_credential),
  constraint v2_connector_secrets_data_key_fkey foreign key (workspace_id, data_key_id)
    references framed.workspace_data_keys (workspace_id, id),
  constraint v2_connector_secrets_all_or_nothing
    check ((sealed is null) = (data_key_id is null) and (sealed is null) = (set_at is null))
);
comment on table framed.v2_connector_secrets is 'A secret''s name, the one host it belongs to, and its sealed value once pasted.';
comment on column framed.v2_connector_secrets.is_credential is
  'Whether the value is a proof of who calls, which is taken out of all that leaves, and no setting, which is told openly. Stays as long as the name does.';
comment on column framed.v2_connector_secrets.sealed is 'AES-256-GCM, bound to workspace, name and data key; null until a value is pasted.';

create table framed.v2_connector_secret_uses (
  connector_id uuid not null,
  workspace_id uuid not null,
  credential_key text not null constraint v2_connector_secret_uses_key
    check (credential_key in ('secret', 'clientId', 'clientSecret', 'redirectUri', 'accessToken', 'administrationId')),
  name text not null,
  host text not null,
  is_credential boolean not null generated always as (credential_key in ('secret', 'clientSecret', 'accessToken')) stored,
  allowed_at timestamptz,
  allowed_by uuid,
  constraint v2_connector_secret_uses_pkey primary key (connector_id, credential_key),
  constraint v2_connector_secret_uses_connector_fkey foreign key (workspace_id, connector_id)
    references framed.v2_connectors (workspace_id, id) on delete cascade,
  constraint v2_connector_secret_uses_one_binding foreign key (workspace_id, name, host, is_credential)
    references framed.v2_connector_secrets (workspace_id, name, host, is_credential)
);
comment on table framed.v2_connector_secret_uses is 'Which tool uses which name, and whether an administrator stands behind that.';
comment on column framed.v2_connector_secret_uses.allowed_at is 'Null: defined by someone who is no administrator, and not allowed yet.';
create index v2_connector_secret_uses_name_idx on framed.v2_connector_secret_uses (workspace_id, name);

create table framed.v2_kept_reads (
  id uuid constraint v2_kept_reads_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null,
  connector_id uuid not null,
  call_digest bytea not null constraint v2_kept_reads_digest_length check (octet_length(call_digest) = 32),
  operation text,
  args json not null,
  version integer not null,
  result json not null,
  next_args json,
  first_row json,
  row_count integer constraint v2_kept_reads_count check (row_count >= 0),
  read_at timestamptz not null,
  constraint v2_kept_reads_call_unique unique (connector_id, call_digest),
  constraint v2_kept_reads_connector_fkey foreign key (workspace_id, connector_id)
    references framed.v2_connectors (workspace_id, id) on delete cascade
);
comment on table framed.v2_kept_reads is 'What a live read answered, per tool and canonical call; the next read of the same call replaces it.';
comment on column framed.v2_kept_reads.call_digest is 'SHA-256 of the canonical JSON of {args, capability, operation}.';
comment on column framed.v2_kept_reads.version is 'Of the definition it was read under. Under another one it is not there: that may withhold what this one let out.';
comment on column framed.v2_kept_reads.result is 'Only the fields that leave. json, not jsonb: an answer may hold what jsonb cannot (NUL escapes) and keeps its digits.';
comment on column framed.v2_kept_reads.next_args is 'The arguments that read the page after this one; JSON null where there is one that no arguments reach, null where there is none.';
comment on column framed.v2_kept_reads.row_count is 'Null: a single answer, kept because the caller asked.';
create index v2_kept_reads_newest_idx on framed.v2_kept_reads (connector_id, read_at desc, id desc);
create index v2_kept_reads_age_idx on framed.v2_kept_reads (read_at);

create table framed.v2_results (
  id uuid constraint v2_results_pkey primary key,
  workspace_id uuid not null,
  connector_id uuid not null,
  version integer not null,
  result json not null,
  read_at timestamptz not null,
  constraint v2_results_connector_fkey foreign key (workspace_id, connector_id)
    references framed.v2_connectors (workspace_id, id) on delete cascade
);
comment on table framed.v2_results is 'Whole answers of reads that were too long to go out at once, read in pages under their id, for a day.';
comment on column framed.v2_results.version is 'As in v2_kept_reads: under another definition it is not there.';
create index v2_results_connector_idx on framed.v2_results (connector_id, read_at);
create index v2_results_age_idx on framed.v2_results (read_at);

alter table framed.v2_connectors enable row level security;
alter table framed.v2_connector_versions enable row level security;
alter table framed.workspace_data_keys enable row level security;
alter table framed.v2_connector_secrets enable row level security;
alter table framed.v2_connector_secret_uses enable row level security;
alter table framed.v2_kept_reads enable row level security;
alter table framed.v2_results enable row level security;

create policy v2_connectors_current on framed.v2_connectors for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_connector_versions_current on framed.v2_connector_versions for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy workspace_data_keys_current on framed.workspace_data_keys for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_connector_secrets_current on framed.v2_connector_secrets for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_connector_secret_uses_current on framed.v2_connector_secret_uses for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_kept_reads_current on framed.v2_kept_reads for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_results_current on framed.v2_results for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));

-- A file never touches `capabilities`, `origin` or `shared_across_account`: the role cannot.
grant select, delete on framed.v2_connectors to framed_app;
grant insert (id, workspace_id, slug, name, description, kind, access, version, file, digest, host, declared_capabilities,
  follow_up, request_config, runs_as_read, partner_provided, owner_user_id, owner_key_kind, owner_account_id)
  on framed.v2_connectors to framed_app;
grant update (name, description, kind, access, version, file, digest, host, declared_capabilities, follow_up, request_config,
  runs_as_read, partner_provided, owner_user_id, owner_key_kind, owner_account_id, updated_at)
  on framed.v2_connectors to framed_app;
grant select, insert on framed.v2_connector_versions to framed_app;
grant select, insert, update (kid, wrapped) on framed.workspace_data_keys to framed_app;
grant select, insert, delete, update (host, sealed, data_key_id, set_by, set_at) on framed.v2_connector_secrets to framed_app;
grant select, insert, delete, update (allowed_at, allowed_by) on framed.v2_connector_secret_uses to framed_app;
grant select, insert, delete, update (version, result, next_args, first_row, row_count, read_at) on framed.v2_kept_reads to framed_app;
grant select, insert, delete on framed.v2_results to framed_app;
