/** What every table and function of the schema `framed` has to be, read from the catalog: one that is new is held to it too. */

import { assertEquals, assertNotEquals } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";

const { sql } = await openTestDatabase();

const tables = await sql<{ name: string; secured: boolean; comment: string | null; policies: string }[]>`
  select c.relname as name, c.relrowsecurity as secured, obj_description(c.oid, 'pg_class') as comment,
    (select count(*) from pg_policy p where p.polrelid = c.oid) as policies
  from pg_class c where c.relnamespace = 'framed'::regnamespace and c.relkind in ('r', 'p') order by c.relname`;

/** Everything framed_app may do to tables. A grant that is not here has to be argued for here first. */
const GRANTS: Readonly<Record<string, string>> = {
  accounts: "select",
  api_keys: "insert, select, update(last_used_at revoked_at)",
  call_rates: "insert(bucket drained_at), select, update(drained_at noted_at refused)",
  connect_clients: "insert(id name redirect_uris), select, update(consented_at)",
  connect_codes:
    "insert(code_challenge code_hash expires_at grant_id redirect_uri workspace_id), select, update(used_at)",
  connect_grants:
    "insert(client_id client_name expires_at redirect_host resource user_id workspace_id), select, " +
    "update(activated_at expires_at last_used_at revoked_at revoked_because)",
  connect_requests:
    "insert(client_id client_name code_challenge expires_at redirect_state redirect_uri request_hash resource), select, " +
    "update(decided_at user_id)",
  connect_tokens: "insert(expires_at grant_id kind token_hash workspace_id), select, update(used_at)",
  // What appends to the log cannot seal it: the chain is written by the owner's tick alone.
  log_chains: "select",
  // Neither id nor at: what appends says what happened, and never when.
  log_events:
    "insert(answer_bytes args connector_id database_ms detail event operation outcome principal queue_ms request_id tool " +
    "total_ms upstream_ms version workspace_id), select",
  log_links: "select",
  log_seals: "select",
  members: "delete, insert, select, update",
  // What was asked, by whom and for how long is nobody's to change, and nothing is deleted.
  v2_approval_calls:
    "insert, select, update(began_at detail ended_at lost reason result result_gone_at result_id sealed_key_id sealed_result " +
    "sent_args status)",
  v2_approvals:
    "insert, select, update(decided_at decided_by ended_at lease_until outcome reject_reason sender settled status " +
    "superseded_because superseded_by)",
  v2_connector_secret_uses: "delete, insert, select, update(allowed_at allowed_by)",
  v2_connector_secrets: "delete, insert, select, update(data_key_id host sealed set_at set_by)",
  v2_connector_versions: "insert, select",
  // No origin, shared_across_account or capabilities: a file never touches them.
  v2_connectors: "delete, " +
    "insert(access declared_capabilities description digest file follow_up host id kind name owner_account_id owner_key_kind " +
    "owner_user_id partner_provided request_config runs_as_read slug version workspace_id), select, " +
    "update(access declared_capabilities description digest file follow_up host kind name owner_account_id owner_key_kind " +
    "owner_user_id partner_provided request_config runs_as_read updated_at version)",
  v2_findings: "insert, select, update(changed_at)",
  v2_follow_up_turns: "delete, insert, select, update(due_at)",
  v2_follow_ups:
    "insert, select, update(alarmed_at checks due_at ended_at finding_id last_check_at last_check_outcome lease next_check_at " +
    "status stopped_by)",
  v2_host_failures: "delete, insert(connector_id host workspace_id), select, update(failed_at)",
  v2_inner_lists: "insert, select, update(era listed_at)",
  v2_inner_tools:
    "delete, insert, select, update(accepted accepted_at accepted_by accepted_digest digest position told)",
  v2_kept_reads: "delete, insert, select, update(first_row next_args read_at result row_count version)",
  // How a delivery went is written by the owner's tick; a workspace's own requests note, move and drop.
  v2_notices: "insert(due_at kind next_attempt_at noted_at subject workspace_id), select, " +
    "update(attempts due_at ended_at last_attempt_at last_status message_at message_id next_attempt_at noted_at status)",
  v2_results: "delete, insert, select",
  v2_webhooks: "insert(workspace_id), select, " +
    "update(data_key_id due_at failing_since gone_at last_delivered_at last_failed_at last_failure lease lease_until " +
    "sealed secret_made_at)",
  workspace_data_keys: "insert, select, update(kid wrapped)",
  workspaces: "select, update(name settings)",
};

databaseTest("framed: every table has row security, a policy and a comment", () => {
  assertNotEquals(tables.length, 0);
  const bare = tables.filter(({ secured, comment, policies }) =>
    !secured || comment === null || Number(policies) === 0
  );
  assertEquals(bare.map(({ name }) => name), []);
});

databaseTest("framed: every policy is for framed_app and says what it lets through", async () => {
  const loose = await sql`
    select p.polname, p.polrelid::regclass::text as on_table from pg_policy p join pg_class c on c.oid = p.polrelid
     where c.relnamespace = 'framed'::regnamespace
       and (p.polroles <> array['framed_app'::regrole::oid]
         or not p.polpermissive
         or p.polcmd <> 'a' and (p.polqual is null or pg_get_expr(p.polqual, p.polrelid) = 'true')
         or p.polcmd in ('a', '*') and (p.polwithcheck is null or pg_get_expr(p.polwithcheck, p.polrelid) = 'true'))`;
  assertEquals([...loose], []);
});

databaseTest("framed: every constraint has a name somebody chose", async () => {
  // What PostgreSQL calls one that was given no name: <table>_<columns>_fkey, …_key, …_check, and for a key <table>_pkey.
  const unnamed = await sql`
    select k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
     where c.relnamespace = 'framed'::regnamespace and case k.contype
       when 'c' then k.conname ~ '_check[0-9]*$'
       when 'p' then k.conname <> c.relname || '_pkey'
       when 'u' then k.conname ~ '_key[0-9]*$'
       when 'f' then k.conname like c.relname || '%' || (
         select string_agg(a.attname, '_' order by u.at) from unnest(k.conkey) with ordinality u(num, at)
           join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.num) || '_fkey%'
       else k.contype <> 'n' end`;
  assertEquals([...unnamed], []);
});

databaseTest("framed: framed_app may do to each table what is listed and nothing more", async () => {
  const granted = await sql<{ name: string; privilege: string; columns: string | null }[]>`
    with held as (
      select c.relname as name, lower(x.privilege_type) as privilege, null as column_name
        from pg_class c cross join aclexplode(c.relacl) x
       where c.relnamespace = 'framed'::regnamespace and x.grantee = 'framed_app'::regrole
      union all
      select c.relname, lower(x.privilege_type), a.attname
        from pg_class c join pg_attribute a on a.attrelid = c.oid cross join aclexplode(a.attacl) x
       where c.relnamespace = 'framed'::regnamespace and x.grantee = 'framed_app'::regrole
    )
    select name, privilege, string_agg(column_name, ' ' order by column_name) as columns from held
     group by name, privilege order by name, privilege`;
  const found: Record<string, string> = {};
  for (const { name, privilege, columns } of granted) {
    const says = columns === null ? privilege : `${privilege}(${columns})`;
    found[name] = found[name] === undefined ? says : `${found[name]}, ${says}`;
  }
  assertEquals(found, GRANTS);
  assertEquals(tables.map(({ name }) => name), Object.keys(GRANTS));
});

databaseTest("framed: nobody but its owner and framed_app holds any privilege in it", async () => {
  const held = await sql`
    with acls as (
      select n.nspname::text as what, n.nspowner as owner, coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl
        from pg_namespace n where n.nspname = 'framed'
      union all
      select c.relname, c.relowner, coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
        from pg_class c where c.relnamespace = 'framed'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      union all
      select c.relname || '.' || a.attname, c.relowner, a.attacl
        from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'framed'::regnamespace and a.attacl is not null
      union all
      select p.oid::regprocedure::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
        from pg_proc p where p.pronamespace = 'framed'::regnamespace
    )
    select what, case x.grantee when 0 then 'public' else x.grantee::regrole::text end as grantee, x.privilege_type as privilege
      from acls cross join aclexplode(acl) x
     where x.grantee not in (owner, 'framed_app'::regrole, current_user::regrole)`;
  assertEquals([...held], []);
});

databaseTest("framed: anon, authenticated and public reach nothing", async () => {
  for (const role of ["anon", "authenticated", "service_role"]) {
    const [reach] = await sql`
      select has_schema_privilege(${role}, 'framed', 'usage') or has_schema_privilege(${role}, 'framed', 'create') as schema,
        (select count(*)::int from pg_class c where c.relnamespace = 'framed'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
          and (has_table_privilege(${role}, c.oid, 'select, insert, update, delete, truncate, references, trigger')
            or has_any_column_privilege(${role}, c.oid, 'select, insert, update, references'))) as tables,
        (select count(*)::int from pg_proc p where p.pronamespace = 'framed'::regnamespace
          and has_function_privilege(${role}, p.oid, 'execute')) as functions,
        pg_has_role(${role}, 'framed_app', 'member') as is_app`;
    assertEquals({ ...reach }, { schema: false, tables: 0, functions: 0, is_app: false }, role);
  }
  const defaults = await sql`select from pg_default_acl where defaclnamespace = 'framed'::regnamespace`;
  assertEquals(defaults.length, 0, "what is created later in the schema gets no grants by itself");
});

databaseTest(
  "framed: every function has a comment, names bound when it was made or an empty search path, and runs as framed_app at most",
  async () => {
    const loose = await sql`
    select p.proname from pg_proc p where p.pronamespace = 'framed'::regnamespace
       and (obj_description(p.oid, 'pg_proc') is null
         or p.prosqlbody is null and not coalesce(p.proconfig @> array['search_path=""'], false)
         or p.prosecdef and p.proowner <> 'framed_app'::regrole)`;
    assertEquals([...loose], []);
  },
);

databaseTest(
  "framed_app is nobody but itself: no login, no bypass, no tables, no rights to create",
  async () => {
    const [role] = await sql`
    select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolcreatedb, rolreplication, rolinherit,
      (select count(*)::int from pg_auth_members m where m.member = r.oid) as member_of,
      (select count(*)::int from pg_class c where c.relowner = r.oid) as owns,
      has_schema_privilege(r.oid, 'framed', 'create') as creates_here,
      has_schema_privilege(r.oid, 'public', 'create') as creates_in_public,
      has_database_privilege(r.oid, current_database(), 'create') as creates_schemas
    from pg_roles r where rolname = 'framed_app'`;
    assertEquals({ ...role }, {
      rolsuper: false,
      rolbypassrls: false,
      rolcanlogin: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolinherit: false,
      member_of: 0,
      owns: 0,
      creates_here: false,
      creates_in_public: false,
      creates_schemas: false,
    });
  },
);
