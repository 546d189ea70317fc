/**
 * The people, sessions and refresh tokens of the local sign-in, in a schema of their own beside the migrated ones. It
 * exists on local stacks only: on Supabase, Supabase Auth has its own.
 */

import { createHash, randomBytes } from "node:crypto";
import type postgres from "postgres";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

/** What a refresh token opened: a session with its next token, or why not. */
export type Refreshed =
  | { outcome: "refreshed"; user: User; sessionId: string; refreshToken: string }
  | { outcome: "unknown" | "reused" };

/** Two tabs may refresh at once with the same token; later, a used token means that somebody copied it. */
const REUSE_WITHIN_SECONDS = 10;

const USER_COLUMNS = "id, email, name, created_at, last_sign_in_at";

/** Makes the schema when it is not there. Safe to run again. */
export async function prepareSignIn(sql: postgres.Sql): Promise<void> {
  await sql`
    create schema if not exists local_sign_in;
    create table if not exists local_sign_in.users (
      id uuid primary key,
      email text not null unique,
      name text not null,
      password bytea not null,
      created_at timestamptz not null default now(),
      last_sign_in_at timestamptz
    );
    create table if not exists local_sign_in.sessions (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references local_sign_in.users on delete cascade,
      created_at timestamptz not null default now()
    );
    create table if not exists local_sign_in.refresh_tokens (
      token_hash bytea primary key,
      session_id uuid not null references local_sign_in.sessions on delete cascade,
      used_at timestamptz
    );`.simple();
}

/** Adds the person; nothing happens when their id is there already. */
export async function addUser(
  sql: postgres.ISql,
  user: { id: string; email: string; name: string; password: Uint8Array },
): Promise<void> {
  await sql`
    insert into local_sign_in.users (id, email, name, password)
    values (${user.id}, ${user.email}, ${user.name}, ${user.password})
    on conflict (id) do nothing`;
}

/** The person with this address, in any case, and what their password is kept as. */
export async function findByEmail(
  sql: postgres.Sql,
  email: string,
): Promise<{ user: User; password: Uint8Array } | null> {
  const [row] = await sql`
    select ${
    sql.unsafe(USER_COLUMNS)
  }, password from local_sign_in.users where email = ${email.toLowerCase()}`;
  return row === undefined ? null : { user: toUser(row), password: row.password };
}

/** Opens a session and returns its first refresh token. */
export async function openSession(
  sql: postgres.Sql,
  userId: string,
): Promise<{ sessionId: string; refreshToken: string }> {
  return await sql.begin(async (tx) => {
    await tx`update local_sign_in.users set last_sign_in_at = now() where id = ${userId}`;
    const [session] = await tx<{ id: string }[]>`
      insert into local_sign_in.sessions (user_id) values (${userId}) returning id`;
    return { sessionId: session!.id, refreshToken: await addToken(tx, session!.id) };
  });
}

/** The person of a session that is still open. */
export async function findBySession(sql: postgres.Sql, sessionId: string): Promise<User | null> {
  const [row] = await sql`
    select ${sql.unsafe(USER_COLUMNS)} from local_sign_in.users
     where id = (select user_id from local_sign_in.sessions where id = ${sessionId})`;
  return row === undefined ? null : toUser(row);
}

/** Changes a refresh token for the next one. A token that comes back later than it may ends its session. */
export async function refreshSession(sql: postgres.Sql, refreshToken: string): Promise<Refreshed> {
  return await sql.begin(async (tx) => {
    const [row] = await tx`
      update local_sign_in.refresh_tokens set used_at = coalesce(used_at, now())
       where token_hash = ${hashToken(refreshToken)}
      returning session_id, used_at < now() - make_interval(secs => ${REUSE_WITHIN_SECONDS}) as reused`;
    if (row === undefined) return { outcome: "unknown" };
    const sessionId: string = row.session_id;
    if (row.reused) {
      await tx`delete from local_sign_in.sessions where id = ${sessionId}`;
      return { outcome: "reused" };
    }
    const [user] = await tx`
      select ${tx.unsafe(USER_COLUMNS)} from local_sign_in.users
       where id = (select user_id from local_sign_in.sessions where id = ${sessionId})`;
    return {
      outcome: "refreshed",
      user: toUser(user!),
      sessionId,
      refreshToken: await addToken(tx, sessionId),
    };
  });
}

/** Ends this session, all others of the person, or all. */
export async function endSessions(
  sql: postgres.Sql,
  { sessionId, scope }: { sessionId: string; scope: "local" | "others" | "global" },
): Promise<void> {
  await sql`
    delete from local_sign_in.sessions
     where user_id = (select user_id from local_sign_in.sessions where id = ${sessionId})
       and case ${scope} when 'local' then id = ${sessionId} when 'others' then id <> ${sessionId} else true end`;
}

async function addToken(sql: postgres.TransactionSql, sessionId: string): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  await sql`
    insert into local_sign_in.refresh_tokens (token_hash, session_id) values (${
    hashToken(token)
  }, ${sessionId})`;
  return token;
}

function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

function toUser(row: postgres.Row): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  };
}
