-- What: the log's chain: one link for each sealed row, one seal for each batch of them, and where a workspace's chain stands.
-- Why:  whoever changes, removes, inserts or reorders rows of the log afterwards breaks the chain, and a command names the
--       first broken row. Seals stand beside the log, so that its rows never change and appending costs nothing more.
--       framed_app reads the chain and writes none of it: what appends cannot seal. The tick seals and removes as the owner.
-- Locks: creates only.

create table framed.log_chains (
  workspace_id uuid constraint log_chains_pkey primary key
    constraint log_chains_workspace_fkey references framed.workspaces (id) on delete cascade,
  start_seal bigint not null default 0,
  start_id bigint not null default 0,
  start_hash bytea not null default decode(repeat('00', 32), 'hex') constraint log_chains_start_length check (octet_length(start_hash) = 32),
  last_seal bigint not null default 0,
  last_id bigint not null default 0,
  last_hash bytea not null default decode(repeat('00', 32), 'hex') constraint log_chains_last_length check (octet_length(last_hash) = 32),
  sealed_at timestamptz,
  horizon_id bigint,
  horizon_xid xid8,
  constraint log_chains_order check (start_seal <= last_seal and start_id <= last_id),
  constraint log_chains_horizon check ((horizon_id is null) = (horizon_xid is null))
);
comment on table framed.log_chains is 'Where a workspace''s chain starts and ends. Its row is the lock under which a tick seals or removes.';
comment on column framed.log_chains.start_hash is 'The hash the first row that is kept follows: zeros, or the last one that retention removed.';
comment on column framed.log_chains.horizon_id is 'Everything up to this id is settled once every transaction before horizon_xid has ended; null where nothing waits.';

create table framed.log_seals (
  workspace_id uuid not null constraint log_seals_workspace_fkey references framed.workspaces (id) on delete cascade,
  number bigint not null,
  first_id bigint not null,
  last_id bigint not null,
  row_count integer not null constraint log_seals_count check (row_count > 0),
  hash bytea not null constraint log_seals_hash_length check (octet_length(hash) = 32),
  newest_at timestamptz not null,
  sealed_at timestamptz not null,
  constraint log_seals_pkey primary key (workspace_id, number)
);
comment on table framed.log_seals is 'One batch of sealed rows, numbered without gaps; hash is that of its last row.';

create table framed.log_links (
  workspace_id uuid not null constraint log_links_workspace_fkey references framed.workspaces (id) on delete cascade,
  event_id bigint not null,
  seal bigint not null,
  previous_hash bytea not null constraint log_links_previous_length check (octet_length(previous_hash) = 32),
  hash bytea not null constraint log_links_hash_length check (octet_length(hash) = 32),
  constraint log_links_pkey primary key (workspace_id, event_id)
);
comment on table framed.log_links is 'One sealed row: hash = SHA-256(previous_hash, canonical row). No foreign key to the row: a link has to outlive it to tell that it is gone.';

alter table framed.log_chains enable row level security;
alter table framed.log_seals enable row level security;
alter table framed.log_links enable row level security;
create policy log_chains_read on framed.log_chains for select to framed_app
  using (workspace_id = (select framed.current_workspace_id()));
create policy log_seals_read on framed.log_seals for select to framed_app
  using (workspace_id = (select framed.current_workspace_id()));
create policy log_links_read on framed.log_links for select to framed_app
  using (workspace_id = (select framed.current_workspace_id()));
grant select on framed.log_chains, framed.log_seals, framed.log_links to framed_app;
