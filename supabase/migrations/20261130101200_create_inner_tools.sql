-- What: what outside MCP servers list, and what was accepted of each of their tools.
-- Why:  a server may say another thing of a tool tomorrow than what was looked at today. What it said at first is what
--       is believed, until an administrator accepts something else; and what it said lately need not be asked again.
-- Locks: creates only.

create table framed.v2_inner_lists (
  workspace_id uuid not null constraint v2_inner_lists_workspace_fkey references framed.workspaces (id) on delete cascade,
  url text collate "C" not null,
  era text not null constraint v2_inner_lists_era check (era in ('modern', 'legacy')),
  first_listed_at timestamptz not null,
  listed_at timestamptz not null,
  constraint v2_inner_lists_pkey primary key (workspace_id, url),
  constraint v2_inner_lists_in_order check (listed_at >= first_listed_at)
);
comment on table framed.v2_inner_lists is
  'When an outside server was asked for its tools. By workspace and address, and no tool''s own: defining one again forgets nothing.';
comment on column framed.v2_inner_lists.url is 'In the one spelling that framed.server_address() gives, however the file writes it.';
comment on column framed.v2_inner_lists.era is 'How it spoke when it was last asked: by the 2026-07-28 revision, or by an earlier one.';

create table framed.v2_inner_tools (
  workspace_id uuid not null,
  url text collate "C" not null,
  name text collate "C" not null constraint v2_inner_tools_name check (char_length(name) between 1 and 128),
  position integer,
  told json not null,
  digest bytea not null constraint v2_inner_tools_digest_length check (octet_length(digest) = 32),
  accepted json,
  accepted_digest bytea constraint v2_inner_tools_accepted_digest_length check (octet_length(accepted_digest) = 32),
  accepted_at timestamptz,
  accepted_by uuid,
  constraint v2_inner_tools_pkey primary key (workspace_id, url, name),
  constraint v2_inner_tools_list_fkey foreign key (workspace_id, url) references framed.v2_inner_lists (workspace_id, url)
    on delete cascade,
  constraint v2_inner_tools_accepted_all_or_nothing
    check ((accepted is null) = (accepted_digest is null) and (accepted is null) = (accepted_at is null)
      and (accepted is not null or accepted_by is null)),
  constraint v2_inner_tools_listed_or_accepted check (position is not null or accepted is not null)
);
comment on table framed.v2_inner_tools is
  'The tools of outside servers: what each is told to be, and what was accepted of it. In quarantine where the two differ.';
comment on column framed.v2_inner_tools.position is 'Where it stands in the last list; null where that did not have it any more.';
comment on column framed.v2_inner_tools.told is 'json, not jsonb: a server''s text may hold escapes that jsonb cannot.';
comment on column framed.v2_inner_tools.accepted is 'What was told when it was accepted; null for one that appeared after the first list.';
comment on column framed.v2_inner_tools.accepted_by is 'The administrator; null for what stood in the first list.';
create index v2_inner_tools_quarantined_idx on framed.v2_inner_tools (workspace_id, url)
  where position is not null and accepted_digest is distinct from digest;

alter table framed.v2_inner_lists enable row level security;
alter table framed.v2_inner_tools enable row level security;
create policy v2_inner_lists_current on framed.v2_inner_lists for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
create policy v2_inner_tools_current on framed.v2_inner_tools for all to framed_app
  using (workspace_id = (select framed.current_workspace_id())) with check (workspace_id = (select framed.current_workspace_id()));
grant select, insert, update (era, listed_at) on framed.v2_inner_lists to framed_app;
grant select, insert, delete, update (position, told, digest, accepted, accepted_digest, accepted_at, accepted_by)
  on framed.v2_inner_tools to framed_app;

create function framed.server_address(host text, url text) returns text
  language plpgsql immutable
  set search_path = ''
as $$
declare
  rest text := pg_catalog.regexp_replace(url, '^https://[^/?#]*', '', 'i');
  encoded text;
  path text;
begin
  for encoded in select distinct m[1] from pg_catalog.regexp_matches(rest, '%([0-9A-Fa-f]{2})', 'g') m loop
    rest := pg_catalog.replace(rest, '%' || encoded, case
      when encoded ~* '^(2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])$'
        then pg_catalog.chr(pg_catalog.get_byte(pg_catalog.decode(encoded, 'hex'), 0))
      else '%' || pg_catalog.upper(encoded) end);
  end loop;
  path := pg_catalog.split_part(rest, '?', 1);
  rest := pg_catalog.substr(rest, pg_catalog.length(path) + 2);
  return 'https://' || host || coalesce(nullif(pg_catalog.rtrim(path, '/'), ''), '/')
    || case when rest = '' then '' else '?' || rest end;
end
$$;
comment on function framed.server_address(text, text) is
  'The one spelling of the server that a file writes as `url`, with its host as v2_connectors.host has it: serverAddress() in inner-tools.';

create function framed.has_quarantine(connector framed.v2_connectors) returns boolean
  language sql stable
  return connector.kind = 'mcp' and exists (
    select from framed.v2_inner_tools t
     where t.workspace_id = connector.workspace_id
       and t.url = framed.server_address(connector.host, connector.file #>> '{mcp,url}')
       and t.position is not null and t.accepted_digest is distinct from t.digest);
comment on function framed.has_quarantine(framed.v2_connectors) is
  'Whether the tool''s server lists something that nobody has looked at. Runs as whoever asks.';

create function framed.read_inner_list(workspace uuid, server_url text) returns json
  language plpgsql security definer set search_path = ''
as $$
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  return (
    select json_build_object('era', l.era, 'listed_at', l.listed_at, 'tools', coalesce((
      select json_agg(json_build_object('told', t.told, 'digest', encode(t.digest, 'hex'), 'accepted', t.accepted,
          'accepted_digest', encode(t.accepted_digest, 'hex')) order by t.position)
        from framed.v2_inner_tools t
       where t.workspace_id = workspace and t.url = server_url and t.position is not null), '[]'))
      from framed.v2_inner_lists l where l.workspace_id = workspace and l.url = server_url);
end
$$;
comment on function framed.read_inner_list(uuid, text) is
  'What an outside server last listed and when, with what was accepted of each of its tools; null where it never was asked.';

create function framed.store_inner_list(workspace uuid, server_url text, spoken_era text, asked_at timestamptz, tools json)
  returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  is_first boolean;
  last_listed timestamptz;
begin
  perform set_config('framed.workspace_id', workspace::text, true);
  insert into framed.v2_inner_lists (workspace_id, url, era, first_listed_at, listed_at)
  values (workspace, server_url, spoken_era, asked_at, asked_at)
  on conflict on constraint v2_inner_lists_pkey do nothing;
  is_first := found;
  -- Lists of one server are stored one after another; one that was asked for before another is no news.
  select l.listed_at into last_listed from framed.v2_inner_lists l
   where l.workspace_id = workspace and l.url = server_url for update;
  if asked_at >= last_listed then
    update framed.v2_inner_lists l set era = spoken_era, listed_at = asked_at
     where l.workspace_id = workspace and l.url = server_url;
    -- What was never accepted and is gone leaves nothing behind, or a server of ever new names would fill the table.
    delete from framed.v2_inner_tools t
     where t.workspace_id = workspace and t.url = server_url and t.accepted is null
       and t.name not in (select e -> 'told' ->> 'name' from json_array_elements(tools) e);
    update framed.v2_inner_tools t set position = null
     where t.workspace_id = workspace and t.url = server_url and t.position is not null
       and t.name not in (select e -> 'told' ->> 'name' from json_array_elements(tools) e);
    insert into framed.v2_inner_tools as t (workspace_id, url, name, position, told, digest, accepted, accepted_digest, accepted_at)
    select workspace, server_url, e -> 'told' ->> 'name', nth, e -> 'told', decode(e ->> 'digest', 'hex'),
        case when is_first then e -> 'told' end, case when is_first then decode(e ->> 'digest', 'hex') end,
        case when is_first then asked_at end
      from json_array_elements(tools) with ordinality listed (e, nth)
    on conflict on constraint v2_inner_tools_pkey do update
      set position = excluded.position, told = excluded.told, digest = excluded.digest
      where (t.position, t.digest) is distinct from (excluded.position, excluded.digest);
  end if;
  return coalesce((
    select json_agg(json_build_object('told', t.accepted, 'digest', encode(t.accepted_digest, 'hex')))
      from framed.v2_inner_tools t
     where t.workspace_id = workspace and t.url = server_url and t.accepted is not null), '[]');
end
$$;
comment on function framed.store_inner_list(uuid, text, text, timestamptz, json) is
  'Stores what a server answered when it was asked at `asked_at`, tools as [{told, digest}]: the first list is accepted as it is, a later one only as far as it says the same. Answers everything that is accepted.';

grant create on schema framed to framed_app;
alter function framed.read_inner_list(uuid, text) owner to framed_app;
alter function framed.store_inner_list(uuid, text, text, timestamptz, json) owner to framed_app;
revoke create on schema framed from framed_app;
revoke all on function framed.has_quarantine(framed.v2_connectors), framed.server_address(text, text), framed.read_inner_list(uuid, text),
  framed.store_inner_list(uuid, text, text, timestamptz, json) from public;
grant execute on function framed.has_quarantine(framed.v2_connectors), framed.server_address(text, text) to framed_app;
-- The owner of the schema connects and calls these; it reaches them as a member of framed_app.
do $$
begin
  execute format('grant execute on function framed.read_inner_list(uuid, text), '
    'framed.store_inner_list(uuid, text, text, timestamptz, json) to %I', current_user);
end
$$;
