-- What: the minute tick: a job of pg_cron that posts to the function `cron` through pg_net, with address and secret from
--       the vault; and a job that clears what pg_cron writes down about it.
-- Why:  follow-ups, approved calls and the seal of the log move by the tick alone. Neither address nor secret can stand
--       in a migration: an operator puts both into the vault (docs/operate.md), before or after this, and changes them there.
-- Where pg_cron, pg_net or the vault is not to be had, nothing is scheduled: another clock then posts to the function.
-- Locks: creates only.

create function framed.send_tick() returns bigint
  language plpgsql set search_path = ''
as $$
declare
  address text := (select s.decrypted_secret from vault.decrypted_secrets s where s.name = 'framed_tick_url');
  secret text := (select s.decrypted_secret from vault.decrypted_secrets s where s.name = 'framed_cron_secret');
begin
  if address is null or secret is null then
    raise exception 'The vault holds no %; see docs/operate.md.',
      case when address is null then 'framed_tick_url' else 'framed_cron_secret' end;
  end if;
  return net.http_post(
    url => address,
    headers => pg_catalog.jsonb_build_object('Authorization', 'Bearer ' || secret, 'Content-Type', 'application/json'),
    body => '{}'::jsonb,
    timeout_milliseconds => 55000);
end
$$;
comment on function framed.send_tick() is
  'Asks the function `cron` for one tick and returns the id of the request in pg_net. Run by pg_cron each minute, as who migrates.';
revoke all on function framed.send_tick() from public;

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values ('supabase_vault', 'vault'), ('pg_net', 'extensions'), ('pg_cron', 'pg_catalog')) as e (name, place)
     where e.name in (select a.name from pg_catalog.pg_available_extensions a)
  loop
    if pg_catalog.to_regnamespace(wanted.place) is null then
      execute pg_catalog.format('create schema %I', wanted.place);
    end if;
    execute pg_catalog.format('create extension if not exists %I with schema %I', wanted.name, wanted.place);
  end loop;
  if pg_catalog.to_regnamespace('cron') is null or pg_catalog.to_regproc('net.http_post') is null
    or pg_catalog.to_regclass('vault.decrypted_secrets') is null
  then
    raise notice 'The tick is not scheduled: this database has not all of pg_cron, pg_net and supabase_vault.';
    return;
  end if;
  -- By name: run again, it changes the job and makes no second one.
  perform cron.schedule('framed-tick', '* * * * *', 'select framed.send_tick()');
  perform cron.schedule('framed-tick-history', '17 4 * * *',
    'delete from cron.job_run_details d where d.end_time < now() - interval ''7 days'' '
    'and d.jobid in (select j.jobid from cron.job j where j.jobname in (''framed-tick'', ''framed-tick-history''))');
end
$$;
