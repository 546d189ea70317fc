/**
 * Two accounts with a row in every table for tests that try to cross from one to the other: a workspace and its
 * sibling on the first account, a stranger's workspace on the second.
 */

import type postgres from "postgres";
import { createKey, hashKey } from "../../supabase/functions/_shared/auth/keys.ts";
import type { Foreseen } from "../../supabase/functions/_shared/calls/store.ts";

/** A person with a role on one workspace. */
export interface TestPerson {
  readonly id: string;
  readonly name: string;
}

/** A workspace with its people and one tool that uses one secret. */
export interface TestWorkspace {
  readonly id: string;
  readonly accountId: string;
  readonly admin: TestPerson;
  /** Has the grant use_connectors. */
  readonly member: TestPerson;
  /** A raw key of `admin`. */
  readonly rawKey: string;
  readonly connectorId: string;
}

export interface TwoAccounts {
  readonly here: TestWorkspace;
  /** Another workspace of the same account. */
  readonly sibling: TestWorkspace;
  /** A workspace of the other account. */
  readonly stranger: TestWorkspace;
  /** Keys of each account with no person behind. */
  readonly resellerKey: string;
  readonly strangersResellerKey: string;
}

/** The slug of the tool on each of the workspaces, and the name of the secret it uses for `ledger.example`. */
export const TEST_SLUG = "ledger_open_invoices";
export const TEST_SECRET = "CONNECTOR_LEDGER";
/** What a call of that tool is opened with where nothing is foreseen. */
export const TEST_FORESEEN: Foreseen = {
  event: {
    event: "tool.called",
    request_id: "req_test",
    tool: TEST_SLUG,
    operation: null,
    args: {},
    total_ms: 0,
  },
};

/** Puts the accounts into a fresh database, as its owner. */
export async function addTwoAccounts(sql: postgres.Sql): Promise<TwoAccounts> {
  const accountId = await addAccount(sql, "Harbor Street Bakery");
  const strangersId = await addAccount(sql, "Elsewhere Ltd");
  const reseller = { kind: "reseller", accountId, workspaceId: null, userId: null } as const;
  return {
    here: await addWorkspace(sql, { accountId, name: "Bakery office" }),
    sibling: await addWorkspace(sql, { accountId, name: "Bakery shop" }),
    stranger: await addWorkspace(sql, { accountId: strangersId, name: "Elsewhere office" }),
    resellerKey: await addKey(sql, reseller),
    strangersResellerKey: await addKey(sql, { ...reseller, accountId: strangersId }),
  };
}

/** What `framed.present_principal` is given for a key. */
export function presentedKey(key: string): { key_hash: string } {
  return { key_hash: hashKey(key) };
}

/** Stores a new key as it is described, dead ones too, and returns it. */
export async function addKey(
  sql: postgres.Sql,
  { kind, accountId, workspaceId, userId, expiresAt = null, revokedAt = null }: {
    kind: "raw" | "reseller";
    accountId: string;
    workspaceId: string | null;
    userId: string | null;
    expiresAt?: Date | null;
    revokedAt?: Date | null;
  },
): Promise<string> {
  const key = createKey();
  await sql`
    insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash, expires_at, revoked_at)
    values (${kind}, ${accountId}, ${workspaceId}, ${userId}, 'Test key', decode(${
    hashKey(
      key,
    )
  }, 'hex'),
      ${expiresAt}, ${revokedAt})`;
  return key;
}

/** Stores a new token of a new grant as it is described, dead ones too; its hash. */
export async function addToken(
  sql: postgres.Sql,
  {
    workspaceId,
    userId,
    resource,
    kind = "access",
    expiresAt = new Date(Date.now() + 60_000),
    revokedAt = null,
  }: {
    workspaceId: string;
    userId: string;
    resource: string;
    kind?: "access" | "refresh";
    expiresAt?: Date;
    revokedAt?: Date | null;
  },
): Promise<string> {
  const hash = hashKey(crypto.randomUUID());
  await sql`
    with g as (
      insert into framed.connect_grants
        (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at, activated_at, revoked_at, revoked_because)
      values (${workspaceId}, ${userId}, 'a-client', 'A host', 'host.example', ${resource}, ${expiresAt}, now(), ${revokedAt},
        ${revokedAt === null ? null : "person"})
      returning id
    )
    insert into framed.connect_tokens (token_hash, kind, workspace_id, grant_id, expires_at)
    select decode(${hash}, 'hex'), ${kind}, ${workspaceId}, g.id, ${expiresAt} from g`;
  return hash;
}

/** A member of the workspace, new to it. */
export async function addMember(
  sql: postgres.Sql,
  { workspaceId, role, grants, name, userId = crypto.randomUUID() }: {
    workspaceId: string;
    role: "admin" | "member";
    grants: readonly string[];
    name: string;
    userId?: string;
  },
): Promise<TestPerson> {
  await sql`
    insert into framed.members (workspace_id, user_id, role, grants, name, email)
    values (${workspaceId}, ${userId}, ${role},
      (select coalesce(array_agg(g), '{}') from jsonb_array_elements_text(${
    JSON.stringify(grants)
  }::text::jsonb) g),
      ${name}, ${`${userId}@framed.example`})`;
  return { id: userId, name };
}

async function addAccount(sql: postgres.Sql, name: string): Promise<string> {
  const [account] = await sql<
    { id: string }[]
  >`insert into framed.accounts (name) values (${name}) returning id`;
  return account!.id;
}

async function addWorkspace(
  sql: postgres.Sql,
  { accountId, name }: { accountId: string; name: string },
): Promise<TestWorkspace> {
  const [workspace] = await sql<{ id: string }[]>`
    insert into framed.workspaces (account_id, name) values (${accountId}, ${name}) returning id`;
  const workspaceId = workspace!.id;
  const admin = await addMember(sql, { workspaceId, role: "admin", grants: [], name: `Admin of ${name}` });
  const member = await addMember(sql, {
    workspaceId,
    role: "member",
    grants: ["use_connectors"],
    name: `Member of ${name}`,
  });
  return {
    id: workspaceId,
    accountId,
    admin,
    member,
    rawKey: await addKey(sql, { kind: "raw", accountId, workspaceId, userId: admin.id }),
    connectorId: await addTool(sql, { workspaceId, admin }),
  };
}

/** The tool with everything that hangs on one: a version, a stored value, a kept read, a long result, a tool of an outside server, a log row and its seal, an approval, a webhook. */
async function addTool(
  sql: postgres.Sql,
  { workspaceId, admin }: { workspaceId: string; admin: TestPerson },
): Promise<string> {
  const file = JSON.stringify({ format: "framed-tool/1", slug: TEST_SLUG, name: "Open invoices" });
  const principal = JSON.stringify({ kind: "session", id: admin.id, name: admin.name });
  const dataKeyId = crypto.randomUUID();
  const bytes = new Uint8Array(32).fill(7);
  return await sql.begin(async (tx) => {
    const [tool] = await tx<{ id: string }[]>`
      insert into framed.v2_connectors (workspace_id, slug, name, description, kind, access, file, digest, host, request_config, owner_user_id)
      values (${workspaceId}, ${TEST_SLUG}, 'Open invoices', 'The open invoices.', 'request', 'read', ${file}::text::json, ${bytes},
        'ledger.example', '{"defined_from": "framed-tool/1"}', ${admin.id}) returning id`;
    const { id } = tool!;
    await tx`
      insert into framed.v2_connector_versions (connector_id, workspace_id, version, file, digest, defined_by)
      values (${id}, ${workspaceId}, 1, ${file}::text::json, ${bytes}, ${principal}::text::jsonb)`;
    await tx`
      insert into framed.workspace_data_keys (id, workspace_id, kid, wrapped) values (${dataKeyId}, ${workspaceId}, 'test', ${bytes})`;
    await tx`
      insert into framed.v2_connector_secrets (workspace_id, name, host, is_credential, sealed, data_key_id, set_by, set_at)
      values (${workspaceId}, ${TEST_SECRET}, 'ledger.example', true, ${bytes}, ${dataKeyId}, ${admin.id}, now())`;
    await tx`
      insert into framed.v2_connector_secret_uses (connector_id, workspace_id, credential_key, name, host, allowed_at, allowed_by)
      values (${id}, ${workspaceId}, 'secret', ${TEST_SECRET}, 'ledger.example', now(), ${admin.id})`;
    await tx`
      insert into framed.v2_kept_reads (workspace_id, connector_id, call_digest, args, version, result, row_count, read_at)
      values (${workspaceId}, ${id}, ${bytes}, '{}', 1, '[]', 0, now())`;
    await tx`
      insert into framed.v2_results (id, workspace_id, connector_id, version, result, read_at)
      values (gen_random_uuid(), ${workspaceId}, ${id}, 1, '[]', now())`;
    await tx`
      insert into framed.v2_host_failures (workspace_id, connector_id, host) values (${workspaceId}, ${id}, 'ledger.example')`;
    await tx`
      insert into framed.v2_inner_lists (workspace_id, url, era, first_listed_at, listed_at)
      values (${workspaceId}, 'https://mcp.example/', 'modern', now(), now())`;
    await tx`
      insert into framed.v2_inner_tools (workspace_id, url, name, position, told, digest)
      values (${workspaceId}, 'https://mcp.example/', 'search', 1, '{}', ${bytes})`;
    await tx`
      insert into framed.log_events (workspace_id, event, request_id, principal, outcome, total_ms)
      values (${workspaceId}, 'tool.defined', 'req_test', ${principal}::text::jsonb, 'ok', 1)`;
    await tx`insert into framed.call_rates (bucket, drained_at) values (${workspaceId}, now()), (${admin.id}, now())`;
    await addChain(tx, workspaceId);
    await addConnection(tx, { workspaceId, userId: admin.id });
    await addApproval(tx, { workspaceId, connectorId: id, principal });
    await addWebhook(tx, { workspaceId, dataKeyId });
    return id;
  });
}

/** An approved call with its follow-up, which has joined a finding. */
async function addApproval(
  tx: postgres.TransactionSql,
  { workspaceId, connectorId, principal }: { workspaceId: string; connectorId: string; principal: string },
): Promise<void> {
  const id = crypto.randomUUID();
  const bytes = new Uint8Array(32).fill(5);
  await tx`
    insert into framed.v2_approvals (id, workspace_id, status, digest, proposal_key, needs, requested_by, requested_at, expires_at)
    values (${id}, ${workspaceId}, 'applied', ${bytes}, ${bytes}, 'member', ${principal}::text::jsonb, now(), now() + interval '1 day')`;
  await tx`
    insert into framed.v2_approval_calls (approval_id, n, workspace_id, status, connector_id, version, tool, tool_name, args)
    values (${id}, 0, ${workspaceId}, 'applied', ${connectorId}, 1, ${TEST_SLUG}, 'Open invoices', '{}')`;
  const [finding] = await tx<{ id: string }[]>`
    insert into framed.v2_findings (workspace_id, kind, week, found_at, changed_at)
    values (${workspaceId}, 'follow_ups_waiting', '2026-W49', now(), now()) returning id`;
  await tx`
    insert into framed.v2_follow_ups (approval_id, workspace_id, call, connector_id, tool, what, until, check_tool, check_args,
      done_when, wrote_at, alarm_at, stop_at, next_check_at, due_at, finding_id)
    values (${id}, ${workspaceId}, 0, ${connectorId}, ${TEST_SLUG}, 'An invoice', 'Someone books it', ${TEST_SLUG}, '{}', '{}',
      now(), now() + interval '7 days', now() + interval '30 days', now() + interval '2 hours', now() + interval '2 hours',
      ${finding!.id})`;
  await tx`
    insert into framed.v2_follow_up_turns (workspace_id, due_at) values (${workspaceId}, now() + interval '2 hours')`;
}

/** A webhook with a notice that waits, both made up. */
async function addWebhook(
  tx: postgres.TransactionSql,
  { workspaceId, dataKeyId }: { workspaceId: string; dataKeyId: string },
): Promise<void> {
  await tx`
    insert into framed.v2_webhooks (workspace_id, sealed, data_key_id, secret_made_at)
    values (${workspaceId}, ${new Uint8Array(32).fill(3)}, ${dataKeyId}, now())`;
  await tx`
    insert into framed.v2_notices (workspace_id, kind, subject, noted_at, due_at, next_attempt_at)
    values (${workspaceId}, 'approval_waiting', gen_random_uuid(), now(), now(), now())`;
}

/** A chain of one sealed row, its hashes made up. */
async function addChain(tx: postgres.TransactionSql, workspaceId: string): Promise<void> {
  const hash = new Uint8Array(32).fill(9);
  await tx`insert into framed.log_chains (workspace_id) values (${workspaceId})`;
  await tx`
    insert into framed.log_seals (workspace_id, number, first_id, last_id, row_count, hash, newest_at, sealed_at)
    values (${workspaceId}, 1, 1, 1, 1, ${hash}, now(), now())`;
  await tx`
    insert into framed.log_links (workspace_id, event_id, seal, previous_hash, hash) values (${workspaceId}, 1, 1, ${hash}, ${hash})`;
}

/** A client that was let in by a person, with everything that led to it and came of it. It goes by the workspace's id. */
async function addConnection(
  tx: postgres.TransactionSql,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<void> {
  const [clientId, grantId] = [workspaceId, crypto.randomUUID()];
  const hash = () => crypto.getRandomValues(new Uint8Array(32));
  const redirect = "https://host.example/callback";
  const challenge = "c".repeat(43);
  await tx`
    insert into framed.connect_clients (id, name, redirect_uris) values (${clientId}, 'A host', ${
    JSON.stringify([redirect])
  }::text::jsonb)`;
  await tx`
    insert into framed.connect_requests (request_hash, client_id, client_name, redirect_uri, code_challenge, resource, expires_at)
    values (sha256(${workspaceId}::text::bytea), ${clientId}, 'A host', ${redirect}, ${challenge}, 'https://here.example/mcp', now())`;
  await tx`
    insert into framed.connect_grants (id, workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at)
    values (${grantId}, ${workspaceId}, ${userId}, ${clientId}, 'A host', 'host.example', 'https://here.example/mcp', now())`;
  await tx`
    insert into framed.connect_codes (code_hash, workspace_id, grant_id, redirect_uri, code_challenge, expires_at)
    values (${hash()}, ${workspaceId}, ${grantId}, ${redirect}, ${challenge}, now())`;
  await tx`
    insert into framed.connect_tokens (token_hash, kind, workspace_id, grant_id, expires_at)
    values (${hash()}, 'access', ${workspaceId}, ${grantId}, now() + interval '1 hour')`;
}
