/** A workspace with everyone who may call it, on a database of its own, asked through the front door. */

import { createApp } from "../../supabase/functions/api/app.ts";
import {
  createCredential,
  createKey,
  hashKey,
  TOKEN_PREFIX,
} from "../../supabase/functions/_shared/auth/keys.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { createEgress, type Egress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import type { Limits } from "../../supabase/functions/_shared/limits/limits.ts";
import { createServices } from "../../supabase/functions/_shared/http/services.ts";
import { generateKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { NO_LIMITS } from "./limits.ts";
import type { TelemetrySettings } from "../../supabase/functions/_shared/telemetry/settings.ts";
import type { Telemetry } from "../../supabase/functions/_shared/telemetry/telemetry.ts";
import { openTestDatabase, type TestCluster, type TestDatabase } from "./database.ts";

/** Who can ask: people by session, keys, a second account's administrator and key, and nobody. */
export const CALLERS = [
  "admin",
  "member",
  "bare_member",
  "second_admin",
  "admin_key",
  "reseller_key",
  "stranger",
  "stranger_key",
  "stranger_reseller_key",
  "nobody",
] as const;
/** The same people through a program that they let in over Connect. */
export const TOKEN_CALLERS = ["admin_token", "member_token", "stranger_token"] as const;
export type CallerName = (typeof CALLERS)[number] | (typeof TOKEN_CALLERS)[number];

/** Where the tests' sign-in and functions are said to be: nothing listens there. */
const SUPABASE_URL = "http://127.0.0.1:1";

export const CRON_SECRET = "cron-secret-of-a-test";

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly text: string;
}

export interface TestWorkspace {
  readonly database: TestDatabase;
  /** Null unless it was opened with settings. */
  readonly telemetry: Telemetry | null;
  readonly accountId: string;
  readonly id: string;
  /** A workspace of the same account. */
  readonly siblingId: string;
  /** A workspace of another account, which only strangers reach. */
  readonly strangersId: string;
  readonly people: Readonly<Record<"admin" | "member" | "bare_member" | "second_admin" | "stranger", string>>;
  readonly keys: Readonly<
    Record<"admin_key" | "reseller_key" | "stranger_key" | "stranger_reseller_key", string>
  >;
  readonly tokens: Readonly<Record<(typeof TOKEN_CALLERS)[number], string>>;
  /** Asks the front door as `caller`; a body that is no text or bytes goes as JSON. */
  ask(
    path: string,
    options: { as: CallerName; method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answered>;
  /** Answers a request as the front door does, for programs that ask over a socket. */
  fetch(request: Request): Promise<Response>;
  /** Defines a file as `caller`. */
  define(tool: JsonObject, as?: CallerName): Promise<Answered>;
  /** Calls a tool as `caller`. */
  call(slug: string, body?: JsonObject, as?: CallerName): Promise<Answered>;
  /** Pastes a value as the administrator. */
  paste(slug: string, options: { name: string; value: string }): Promise<Answered>;
  /** Ticks as the stack's own clock does, at `now` where it is given. */
  tick(now?: Date): Promise<Answered>;
  /** All log rows, oldest first. */
  // deno-lint-ignore no-explicit-any
  log(): Promise<any[]>;
  close(): Promise<void>;
}

/**
 * Opens one. Sessions are not signed here: the token is the person's id (`auth/session.test.ts` checks real ones).
 * `upstreams` says where a host's connection really goes, `databaseUrl` by which way the app reaches its database.
 */
export async function openTestWorkspace(
  {
    upstreams,
    extraCa,
    egress,
    keyRingText = generateKeyRing("k1"),
    databaseUrl = (direct) => direct,
    limits = NO_LIMITS,
    telemetry = null,
    cluster,
  }: {
    upstreams?: ReadonlyMap<string, URL>;
    extraCa?: string;
    egress?: Egress;
    keyRingText?: string | undefined;
    databaseUrl?: (direct: string) => string;
    limits?: Limits;
    telemetry?: TelemetrySettings | null;
    cluster?: TestCluster;
  } = {},
): Promise<TestWorkspace> {
  const database = await openTestDatabase(cluster === undefined ? {} : { cluster });
  const { sql } = database;
  const seeded = await seed(sql);
  const opened = await createServices({
    databaseUrl: databaseUrl(database.url),
    supabaseUrl: SUPABASE_URL,
    publishableKey: "unused",
    keyRingText,
    consoleUrl: "https://console.example",
    consoleOrigins: ["https://console.example"],
    limits,
    telemetry,
  });
  const way = egress ??
    createEgress({ ...(upstreams ? { upstreams } : {}), ...(extraCa ? { extraCa } : {}) });
  const services = {
    ...opened,
    egress: way,
    cronSecret: CRON_SECRET,
    takesNow: true,
    verifySession: (token: string) =>
      Promise.resolve(token.startsWith("session.") ? token.slice("session.".length) : null),
  };
  const app = createApp(services);

  const ask: TestWorkspace["ask"] = async (path, { as, method, body, headers = {} }) => {
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const response = await app.request(`/api${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...credentialsOf(as),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? body as BodyInit : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: /\bjson\b/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : null,
    };
  };
  function credentialsOf(caller: CallerName): Record<string, string> {
    if (caller === "nobody") return {};
    if (caller in seeded.tokens) {
      return { authorization: `Bearer ${seeded.tokens[caller as keyof typeof seeded.tokens]}` };
    }
    if (caller in seeded.keys) return { "x-framed-api-key": seeded.keys[caller as keyof typeof seeded.keys] };
    return { authorization: `Bearer session.${seeded.people[caller as keyof typeof seeded.people]}` };
  }

  return {
    database,
    telemetry: opened.telemetry,
    ...seeded,
    ask,
    tick: (now) =>
      ask("/cron/tick", {
        as: "nobody",
        body: now === undefined ? {} : { now: now.toISOString() },
        headers: { authorization: `Bearer ${CRON_SECRET}` },
      }),
    fetch: async (request) => await app.fetch(request),
    define: (tool, as = "admin") => ask("/tools/define", { as, body: { workspace_id: seeded.id, tool } }),
    call: (slug, body = { args: {} }, as = "member") =>
      ask(`/tools/${slug}/call`, { as, body: { workspace_id: seeded.id, ...body } }),
    paste: (slug, { name, value }) =>
      ask(`/tools/${slug}/secrets/${name}`, {
        as: "admin",
        method: "PUT",
        body: { workspace_id: seeded.id, value },
      }),
    log: async () => [...await sql`select * from framed.log_events order by id`],
    async close() {
      await opened.close();
      if (egress === undefined) await way.close();
      await database.drop();
    },
  };
}

async function seed(sql: TestDatabase["sql"]) {
  const person = () => crypto.randomUUID();
  const people = {
    admin: person(),
    member: person(),
    bare_member: person(),
    second_admin: person(),
    stranger: person(),
  };
  const account = async (name: string) =>
    (await sql`insert into framed.accounts (name) values (${name}) returning id`)[0]!.id as string;
  const workspace = async (accountId: string) =>
    (await sql`insert into framed.workspaces (account_id, name) values (${accountId}, 'Test') returning id`)[
      0
    ]!.id as string;
  const accountId = await account("Own");
  const [id, siblingId] = [await workspace(accountId), await workspace(accountId)];
  const strangersAccount = await account("Other");
  const strangersId = await workspace(strangersAccount);
  const members = [
    [id, people.admin, "admin", "{}", "Ada Admin"],
    [id, people.second_admin, "admin", "{}", "Sam Second"],
    [id, people.member, "member", "{use_connectors}", "Mo Member"],
    [id, people.bare_member, "member", "{}", "Bo Bare"],
    [strangersId, people.stranger, "admin", "{}", "Sal Stranger"],
  ] as const;
  for (const [workspaceId, userId, role, grants, name] of members) {
    await sql`insert into framed.members (workspace_id, user_id, role, grants, name, email)
      values (${workspaceId}, ${userId}, ${role}, ${grants}::text[], ${name}, ${`${
      name.split(" ")[0]!.toLowerCase()
    }@people.example`})`;
  }
  const key = async (
    row: {
      kind: "raw" | "reseller";
      account_id: string;
      workspace_id?: string;
      user_id?: string;
      name: string;
    },
  ) => {
    const text = createKey();
    await sql`insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash)
      values (${row.kind}, ${row.account_id}, ${row.workspace_id ?? null}, ${
      row.user_id ?? null
    }, ${row.name}, decode(${hashKey(text)}, 'hex'))`;
    return text;
  };
  const keys = {
    admin_key: await key({
      kind: "raw",
      account_id: accountId,
      workspace_id: id,
      user_id: people.admin,
      name: "Ada's key",
    }),
    reseller_key: await key({ kind: "reseller", account_id: accountId, name: "Partner" }),
    stranger_key: await key({
      kind: "raw",
      account_id: strangersAccount,
      workspace_id: strangersId,
      user_id: people.stranger,
      name: "Sal's key",
    }),
    stranger_reseller_key: await key({
      kind: "reseller",
      account_id: strangersAccount,
      name: "Other partner",
    }),
  };
  const token = async (workspaceId: string, userId: string) => {
    const text = createCredential(TOKEN_PREFIX);
    await sql`
      with g as (
        insert into framed.connect_grants (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at, activated_at)
        values (${workspaceId}, ${userId}, 'a-client', 'A host', 'host.example', ${`${SUPABASE_URL}/functions/v1/connect/mcp`},
          now() + interval '1 day', now())
        returning id
      )
      insert into framed.connect_tokens (token_hash, kind, workspace_id, grant_id, expires_at)
      select decode(${
      hashKey(text)
    }, 'hex'), 'access', ${workspaceId}, g.id, now() + interval '1 day' from g`;
    return text;
  };
  const tokens = {
    admin_token: await token(id, people.admin),
    member_token: await token(id, people.member),
    stranger_token: await token(strangersId, people.stranger),
  };
  return { accountId, id, siblingId, strangersId, people, keys, tokens };
}
