/** Clients that registered and requests that wait for consent. Neither belongs to a workspace: each is reached by what is presented. */

import { type Database, onlyRow, type Queryable, untilSent } from "../db/client.ts";
import { inTransaction } from "../db/transaction.ts";
import { NO_WORK, type Work } from "../outcome/work.ts";
import { ok } from "../outcome/result.ts";
import type { Client } from "./client.ts";

/** Stores a client that registered. */
export async function insertClient(db: Database, { id, name, redirectUris }: Client): Promise<void> {
  await inTransaction<string, void>(db, {
    opening: (sql) => presentClient(sql, id),
    async work(tx) {
      await tx`insert into framed.connect_clients (id, name, redirect_uris)
        values (${id}, ${name}, ${JSON.stringify(redirectUris)}::text::jsonb)`;
      return ok(undefined);
    },
  });
}

/** A client by the id it was given. */
export async function findClient(db: Database, { id }: { id: string }): Promise<Client | null> {
  const found = await inTransaction<string, Client | null>(db, {
    opening: (sql) => presentClient(sql, id),
    async work(tx) {
      const [client] = await tx<Client[]>`
        select id, name, redirect_uris as "redirectUris" from framed.connect_clients where id = ${id}`;
      return ok(client ?? null);
    },
  });
  return found.ok ? found.value : null;
}

/** What a client asks a person to consent to. */
export interface NewConsentRequest {
  readonly hash: string;
  readonly client: Pick<Client, "id" | "name">;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly codeChallenge: string;
  readonly resource: string;
  readonly lifeSeconds: number;
}

/** Stores a request for `lifeSeconds`, by the hash of its id. */
export async function insertRequest(db: Database, request: NewConsentRequest): Promise<void> {
  const { hash, client, redirectUri, state, codeChallenge, resource, lifeSeconds } = request;
  await inTransaction<string, void>(db, {
    opening: (sql) => presentHash(sql, hash),
    async work(tx) {
      await tx`insert into framed.connect_requests
          (request_hash, client_id, client_name, redirect_uri, redirect_state, code_challenge, resource, expires_at)
        values (decode(${hash}, 'hex'), ${client.id}, ${client.name}, ${redirectUri}, ${state}, ${codeChallenge},
          ${resource}, now() + make_interval(secs => ${lifeSeconds}))`;
      return ok(undefined);
    },
  });
}

/** A request that waits for the person's consent. */
export interface ConsentRequest {
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uri: string;
  readonly state: string | null;
  readonly code_challenge: string;
  readonly resource: string;
  /** In ISO 8601. */
  readonly expires_at: string;
}

/**
 * The request as the person's from now on: nobody else can look at it or decide it any more. Null where it is unknown,
 * another's, decided or expired.
 */
export async function claimRequest(
  tx: Queryable,
  { hash, userId }: { hash: string; userId: string },
): Promise<ConsentRequest | null> {
  await tx`select ${presentHash(tx, hash)}`;
  const [request] = await tx<ConsentRequest[]>`
    update framed.connect_requests set user_id = ${userId}
     where request_hash = decode(${hash}, 'hex') and (user_id is null or user_id = ${userId})
       and decided_at is null and expires_at > now()
    returning ${requestColumns(tx)}`;
  return request ?? null;
}

/** Decides the request, once, by the person it belongs to. Null where it is not theirs, decided or expired. */
export async function decideRequest(
  tx: Queryable,
  { hash, userId }: { hash: string; userId: string },
): Promise<ConsentRequest | null> {
  await tx`select ${presentHash(tx, hash)}`;
  const [request] = await tx<ConsentRequest[]>`
    update framed.connect_requests set user_id = ${userId}, decided_at = now()
     where request_hash = decode(${hash}, 'hex') and (user_id is null or user_id = ${userId})
       and decided_at is null and expires_at > now()
    returning ${requestColumns(tx)}`;
  return request ?? null;
}

/** Remembers that a person let the client in, if it is one that registered: it is then not forgotten. */
export async function noteConsent(tx: Queryable, { clientId }: { clientId: string }): Promise<void> {
  await tx`select ${presentClient(tx, clientId)}`;
  await tx`update framed.connect_clients set consented_at = now() where id = ${clientId}`;
}

/** Seconds until whoever has not said who they are may ask again; 0 where they may now, and then it is counted. */
export async function admitStranger(
  db: Database,
  { stranger, everyone, limits }: {
    /** The bucket of their address, and the one of all. */
    stranger: string;
    everyone: string;
    limits: Readonly<Record<string, number>>;
  },
): Promise<number> {
  const rows = await untilSent(() =>
    db<{ wait: number }[]>`
    select framed.admit_stranger(${stranger}::uuid, ${everyone}::uuid, ${
      JSON.stringify(limits)
    }::text::jsonb) as wait`
  );
  return onlyRow(rows).wait;
}

/** The most rows of a table that one tick forgets. */
const MAX_FORGOTTEN = 10_000;

/**
 * Forgets what is of no use any more, by the database's clock: requests that expired, tokens a day after they did, grants
 * with their codes 90 days after they ended (a day where the code never was redeemed), clients that hold no grant 90 days
 * after a person last let them in, or 7 after they registered. Nobody waits for it, so it counts as no work. As the owner
 * of the database. Safe to run twice at once.
 */
export async function forgetConnections(db: Database): Promise<Work> {
  await db`delete from framed.connect_requests where request_hash in (
    select request_hash from framed.connect_requests where expires_at < now() limit ${MAX_FORGOTTEN})`;
  await db`delete from framed.connect_tokens where token_hash in (
    select token_hash from framed.connect_tokens where expires_at < now() - interval '1 day' limit ${MAX_FORGOTTEN})`;
  await db`delete from framed.connect_grants where id in (
    select id from framed.connect_grants
     where expires_at < now() - case when activated_at is null then interval '1 day' else interval '90 days' end
        or revoked_at < now() - interval '90 days' limit ${MAX_FORGOTTEN})`;
  await db`delete from framed.connect_clients where id in (
    select c.id from framed.connect_clients c
     where coalesce(c.consented_at, c.created_at) < now() - case when c.consented_at is null then interval '7 days' else interval '90 days' end
       and not exists (select from framed.connect_grants g where g.client_id = c.id::text) limit ${MAX_FORGOTTEN})`;
  return NO_WORK;
}

function requestColumns(sql: Queryable) {
  return sql`client_id, client_name, redirect_uri, redirect_state as state, code_challenge, resource,
    to_json(expires_at) #>> '{}' as expires_at`;
}

/** From here on the transaction reaches the one row that goes by this hash. */
function presentHash(sql: Queryable, hash: string): ReturnType<Queryable> {
  return sql`set_config('framed.key_hash', ${hash}, true)`;
}

function presentClient(sql: Queryable, id: string): ReturnType<Queryable> {
  return sql`set_config('framed.client_id', ${id}, true)`;
}
