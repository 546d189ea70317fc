/**
 * What a Supabase database has before the first migration and a bare PostgreSQL has not, as far as the migrations and
 * `supabase db push` count on it. Never part of a migration: on Supabase it is there already.
 */

import type postgres from "postgres";

/** Roles of the data API, which the migrations keep away from the schema `framed`. Safe to run again. */
export async function bootstrapDatabase(sql: postgres.Sql): Promise<void> {
  await sql`
    do $$
    declare
      wanted text;
    begin
      foreach wanted in array array['anon', 'authenticated', 'service_role'] loop
        if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
          execute format('create role %I nologin noinherit', wanted);
        end if;
      end loop;
    end
    $$`.simple();
}
