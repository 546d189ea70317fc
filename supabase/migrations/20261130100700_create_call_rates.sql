-- What: how many calls a caller and a workspace have made of late, and what takes one more or tells how long to wait.
-- Why:  one caller must not use up what others need. Each (a person with all their keys, a reseller key) has a bucket that
--       drains steadily and holds so many calls; the whole of a bucket is one instant, so that taking a call is one guarded
--       update. Not logged to disk ahead: it is worth nothing after a crash, and a commit that touches nothing else waits
--       for no disk.
-- Locks: creates only.

create function framed.current_bucket_id() returns uuid
  language sql stable
  return nullif(current_setting('framed.bucket_id', true), '')::uuid;
comment on function framed.current_bucket_id() is 'The caller''s bucket, which this transaction may take from: of the person behind it, or of the key where none is.';

-- Room on each page lets an update stay on it.
create unlogged table framed.call_rates (
  bucket uuid constraint call_rates_pkey primary key,
  drained_at timestamptz not null,
  refused integer not null default 0 constraint call_rates_refused check (refused >= 0),
  noted_at timestamptz
) with (fillfactor = 50);
comment on table framed.call_rates is 'The bucket of each caller and workspace that has called of late; the tick forgets those long drained.';
comment on column framed.call_rates.bucket is 'Whose: the id of a person, of a key with none behind it, or of a workspace.';
comment on column framed.call_rates.drained_at is 'When the bucket is empty again: every call moves it on by what one call takes to drain.';
comment on column framed.call_rates.refused is 'Refused calls of the principal since noted_at, which have no row in the log.';
comment on column framed.call_rates.noted_at is 'When a refused call of the principal last had its row in the log.';

alter table framed.call_rates enable row level security;
create policy call_rates_own on framed.call_rates for all to framed_app
  using (bucket = (select framed.current_bucket_id()) or bucket = (select framed.current_workspace_id()))
  with check (bucket = (select framed.current_bucket_id()) or bucket = (select framed.current_workspace_id()));
grant select, insert (bucket, drained_at), update (drained_at, refused, noted_at) on framed.call_rates to framed_app;

create function framed.take_call(of_bucket uuid, step double precision, room double precision) returns double precision
  language plpgsql set search_path = ''
as $$
declare
  taken_at constant timestamptz := clock_timestamp();
  latest constant timestamptz := taken_at + make_interval(secs => room - step);
  drained timestamptz;
begin
  insert into framed.call_rates as r (bucket, drained_at) values (of_bucket, taken_at + make_interval(secs => step))
  on conflict on constraint call_rates_pkey do update
    set drained_at = greatest(r.drained_at, taken_at) + make_interval(secs => step)
    where r.drained_at <= latest
  returning r.drained_at into drained;
  if found then return least(date_part('epoch', drained - taken_at) - room, 0); end if;
  select r.drained_at into drained from framed.call_rates r where r.bucket = of_bucket;
  return greatest(date_part('epoch', drained - latest), 0.001);
end
$$;
comment on function framed.take_call(uuid, double precision, double precision) is
  'Takes one call, which drains in `step` seconds, from a bucket that holds `room` seconds of them. Above 0 nothing was taken, and it is the seconds until one can be; else less 0 is what is left.';

create function framed.take_workspace_call(workspace uuid, limits jsonb, principal_left double precision) returns double precision
  language sql
  return framed.take_call(workspace, (limits ->> 'workspace_step')::double precision, greatest(
    (limits ->> 'workspace_step')::double precision,
    -- Who has used up their own bucket sees half of the workspace's: the rest is for those who call now and then.
    (limits ->> 'workspace_room')::double precision * (1 + principal_left / (limits ->> 'principal_room')::double precision) / 2));
comment on function framed.take_workspace_call(uuid, jsonb, double precision) is
  'Takes a call from the workspace''s bucket for a principal that has `principal_left` seconds of room in its own.';

create function framed.note_refused(principal_id uuid) returns integer
  language plpgsql set search_path = ''
as $$
declare
  rate framed.call_rates;
begin
  select * into rate from framed.call_rates r where r.bucket = principal_id for update;
  if rate.noted_at > clock_timestamp() - interval '1 minute' then
    update framed.call_rates r set refused = r.refused + 1 where r.bucket = principal_id;
    return null;
  end if;
  update framed.call_rates r set refused = 0, noted_at = clock_timestamp() where r.bucket = principal_id;
  return coalesce(rate.refused, 0);
end
$$;
comment on function framed.note_refused(uuid) is
  'For a call that is over the limit: how many refused ones have had no row in the log since the last that had one; null where that is less than a minute ago, and this one has none either.';

create function framed.admit_request(presented jsonb, workspace uuid, limits jsonb) returns json
  language plpgsql security definer set search_path = ''
as $$
declare
  principal jsonb := framed.present_principal(presented, workspace);
  wait double precision;
begin
  -- What is nobody's leaves no row behind.
  if principal is null then return null; end if;
  wait := framed.take_call(framed.current_bucket_id(), (limits ->> 'principal_step')::double precision,
    (limits ->> 'principal_room')::double precision);
  if wait > 0 then return json_build_object('limited_by', 'principal', 'wait', wait); end if;
  if framed.current_workspace_id() is null then return null; end if;
  wait := framed.take_workspace_call(framed.current_workspace_id(), limits, -wait);
  return case when wait > 0 then json_build_object('limited_by', 'workspace', 'wait', wait) end;
end
$$;
comment on function framed.admit_request(jsonb, uuid, jsonb) is
  'Takes from the buckets what a request beside calls takes: null where it may go on, else whose limit it is over and the seconds to wait. Who nobody stands behind is let through, to be refused as such.';

grant create on schema framed to framed_app;
alter function framed.admit_request(jsonb, uuid, jsonb) owner to framed_app;
revoke create on schema framed from framed_app;
revoke all on function framed.current_bucket_id(), framed.take_call(uuid, double precision, double precision),
  framed.take_workspace_call(uuid, jsonb, double precision), framed.note_refused(uuid), framed.admit_request(jsonb, uuid, jsonb)
  from public;
grant execute on function framed.current_bucket_id(), framed.take_call(uuid, double precision, double precision),
  framed.take_workspace_call(uuid, jsonb, double precision), framed.note_refused(uuid) to framed_app;
-- The owner of the schema connects and calls this one; it reaches it as a member of framed_app.
do $$
begin
  execute format('grant execute on function framed.admit_request(jsonb, uuid, jsonb) to %I', current_user);
end
$$;
