/** What people let clients do: grants with their codes and tokens, all of them by hash. */

import { type Database, onlyRow, type Queryable, untilSent } from "../db/client.ts";
import type { JsonObject } from "../definition/json.ts";
import type { ConsentRequest } from "./store.ts";

/** A grant as its person and the administrators know it: never a token. Instants in ISO 8601. */
export interface StoredGrant {
  readonly id: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_host: string;
  readonly user_id: string;
  /** Null for who is no member any more. */
  readonly user_name: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string;
  readonly revoked_at: string | null;
}

/**
 * Makes a grant of what was consented to, with the code that a client gets for it. The transaction's workspace.
 *
 * Null where the person is no member any more. Whoever removes them meanwhile waits, and then finds the grant to end.
 */
export async function insertGrant(
  tx: Queryable,
  { workspaceId, userId, request, redirectHost, code }: {
    workspaceId: string;
    userId: string;
    request: ConsentRequest;
    redirectHost: string;
    code: { readonly hash: string; readonly lifeSeconds: number };
  },
): Promise<{ id: string } | null> {
  const { client_id, client_name, redirect_uri, code_challenge, resource } = request;
  const [granted] = await tx<{ id: string }[]>`
    with granted as (
      insert into framed.connect_grants (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at)
      select m.workspace_id, m.user_id, ${client_id}, ${client_name}, ${redirectHost}, ${resource},
          now() + make_interval(secs => ${code.lifeSeconds})
        from framed.members m where m.workspace_id = ${workspaceId} and m.user_id = ${userId}
         for share of m
      returning id, workspace_id, expires_at
    )
    insert into framed.connect_codes (code_hash, workspace_id, grant_id, redirect_uri, code_challenge, expires_at)
    select decode(${code.hash}, 'hex'), g.workspace_id, g.id, ${redirect_uri}, ${code_challenge}, g.expires_at from granted g
    returning grant_id as id`;
  return granted ?? null;
}

/** The tokens that are to be stored, by hash, and how long each is good. */
export interface NewTokens {
  readonly access_hash: string;
  readonly refresh_hash: string;
  readonly access_seconds: number;
  readonly refresh_seconds: number;
}

/** The members of a log row that the store does not know by itself. */
export type EventFrame = JsonObject;

/** Stores the tokens of a code where all that is presented is what was consented to; see framed.redeem_code. */
export async function redeemCode(
  db: Database,
  { presented, issued, event }: {
    presented: {
      code_hash: string;
      client_id: string;
      redirect_uri: string | null;
      code_challenge: string;
      resource: string | null;
    };
    issued: NewTokens;
    event: EventFrame;
  },
): Promise<boolean> {
  const rows = await untilSent(() =>
    db<{ granted: object | null }[]>`
    select framed.redeem_code(${JSON.stringify(presented)}::text::jsonb, ${
      JSON.stringify(issued)
    }::text::jsonb,
      ${JSON.stringify(event)}::text::jsonb) as granted`
  );
  return onlyRow(rows).granted !== null;
}

/** Stores the next tokens of a refresh token that stands; see framed.rotate_token. */
export async function rotateToken(
  db: Database,
  { presented, issued, event }: {
    presented: { token_hash: string; client_id: string; resource: string | null };
    issued: NewTokens;
    event: EventFrame;
  },
): Promise<boolean> {
  const rows = await untilSent(() =>
    db<{ granted: object | null }[]>`
    select framed.rotate_token(${JSON.stringify(presented)}::text::jsonb, ${
      JSON.stringify(issued)
    }::text::jsonb,
      ${JSON.stringify(event)}::text::jsonb) as granted`
  );
  return onlyRow(rows).granted !== null;
}

/** Ends the grant of a token, whichever it is; see framed.revoke_token. */
export async function revokeToken(
  db: Database,
  { presented, event }: { presented: { token_hash: string; client_id: string | null }; event: EventFrame },
): Promise<void> {
  await untilSent(() =>
    db`select framed.revoke_token(${JSON.stringify(presented)}::text::jsonb, ${
      JSON.stringify(event)
    }::text::jsonb)`
  );
}

/** Where a page of grants begins: after the last of the page before. */
export type GrantPlace = Pick<StoredGrant, "created_at" | "id">;

/** Grants of a workspace that came to a token, dead ones too, newest first: of one person, or with null of everyone. */
export async function listGrants(
  tx: Queryable,
  { workspaceId, userId, limit, after }: {
    workspaceId: string;
    userId: string | null;
    limit: number;
    after: GrantPlace | null;
  },
): Promise<StoredGrant[]> {
  return await tx<StoredGrant[]>`
    select ${grantColumns(tx)} from framed.connect_grants g
     where g.workspace_id = ${workspaceId} and g.activated_at is not null
       and ${userId === null ? tx`true` : tx`g.user_id = ${userId}`}
       and ${
    after === null
      ? tx`true`
      : tx`(g.created_at, g.id) < (${after.created_at}::text::timestamptz, ${after.id}::uuid)`
  }
     order by g.created_at desc, g.id desc limit ${limit}`;
}

/** A grant of the workspace, dead or not. */
export async function findGrant(
  tx: Queryable,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<StoredGrant | null> {
  const [grant] = await tx<StoredGrant[]>`
    select ${
    grantColumns(tx)
  } from framed.connect_grants g where g.workspace_id = ${workspaceId} and g.id = ${id}`;
  return grant ?? null;
}

/** Why a grant was ended by who may. */
export type EndedBecause = "person" | "member";

/** Ends a grant of the transaction's workspace, with its row in the log; one that had ended stays as it is. */
export async function endGrant(
  tx: Queryable,
  { id, because, event }: { id: string; because: EndedBecause; event: EventFrame },
): Promise<void> {
  await tx`select framed.end_grant(${id}::uuid, ${because}, ${JSON.stringify(event)}::text::jsonb)`;
}

/** Ends every grant of a person on the transaction's workspace. */
export async function endGrantsOf(
  tx: Queryable,
  { workspaceId, userId, because, event }: {
    workspaceId: string;
    userId: string;
    because: EndedBecause;
    event: EventFrame;
  },
): Promise<void> {
  await tx`
    select framed.end_grant(g.id, ${because}, ${
    JSON.stringify(event)
  }::text::jsonb) from framed.connect_grants g
     where g.workspace_id = ${workspaceId} and g.user_id = ${userId} and g.revoked_at is null`;
}

/** The columns of `StoredGrant`, of a row named `g`. To the microsecond, so that a page begins exactly where one ended. */
function grantColumns(sql: Queryable) {
  return sql`g.id, g.client_id, g.client_name, g.redirect_host, g.user_id,
    (select m.name from framed.members m where m.workspace_id = g.workspace_id and m.user_id = g.user_id) as user_name,
    to_json(g.created_at) #>> '{}' as created_at, to_json(g.last_used_at) #>> '{}' as last_used_at,
    to_json(g.expires_at) #>> '{}' as expires_at, to_json(g.revoked_at) #>> '{}' as revoked_at`;
}
