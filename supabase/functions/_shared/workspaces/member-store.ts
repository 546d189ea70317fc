/** The people of a workspace in the database. Says nothing about who may change them. */

import type { Queryable } from "../db/client.ts";

/** A person as they stand on a workspace. */
export interface NewMember {
  /** The subject of their Supabase Auth sessions. */
  readonly userId: string;
  readonly role: "admin" | "member";
  readonly grants: readonly string[];
  readonly name: string;
  readonly email: string;
}

/** A person of a workspace, as those who may see all of it do. Instants in ISO 8601. */
export interface StoredMember {
  readonly user_id: string;
  readonly role: "admin" | "member";
  readonly grants: readonly string[];
  readonly name: string;
  readonly email: string;
  readonly created_at: string;
}

/** The people of the workspace, the longest there first, at most `limit`, after the one at `after`. */
export async function listMembers(
  db: Queryable,
  { workspaceId, limit, after }: {
    workspaceId: string;
    limit: number;
    after: Pick<StoredMember, "created_at" | "user_id"> | null;
  },
): Promise<StoredMember[]> {
  return await db<StoredMember[]>`
    select ${member(db)} from framed.members m
     where m.workspace_id = ${workspaceId}
       and ${
    after === null
      ? db`true`
      : db`(m.created_at, m.user_id) > (${after.created_at}::text::timestamptz, ${after.user_id}::uuid)`
  }
     order by m.created_at, m.user_id limit ${limit}`;
}

/** The ids of the workspace's administrators, none of whom anybody else changes until the transaction ends. */
export async function lockAdministrators(
  db: Queryable,
  { workspaceId }: { workspaceId: string },
): Promise<string[]> {
  const rows = await db<{ user_id: string }[]>`
    select user_id from framed.members where workspace_id = ${workspaceId} and role = 'admin'
     order by user_id for update`;
  return rows.map(({ user_id }) => user_id);
}

/** The person as they stand there, whom nobody else changes until the transaction ends; null where they are no member. */
export async function lockMember(
  db: Queryable,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<StoredMember | null> {
  const [row] = await db<StoredMember[]>`
    select ${
    member(db)
  } from framed.members m where m.workspace_id = ${workspaceId} and m.user_id = ${userId} for update`;
  return row ?? null;
}

/** Adds the person, or makes them what is given. */
export async function putMember(
  db: Queryable,
  { workspaceId, person: { userId, role, grants, name, email } }: { workspaceId: string; person: NewMember },
): Promise<StoredMember> {
  const [row] = await db<StoredMember[]>`
    with m as (
      insert into framed.members (workspace_id, user_id, role, grants, name, email)
      values (${workspaceId}, ${userId}, ${role},
        array(select jsonb_array_elements_text(${JSON.stringify(grants)}::text::jsonb)), ${name}, ${email})
      on conflict on constraint members_pkey do update
        set role = excluded.role, grants = excluded.grants, name = excluded.name, email = excluded.email
      returning *
    )
    select ${member(db)} from m`;
  return row!;
}

/** Takes the person off the workspace. */
export async function deleteMember(
  db: Queryable,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<void> {
  await db`delete from framed.members where workspace_id = ${workspaceId} and user_id = ${userId}`;
}

function member(db: Queryable) {
  return db`m.user_id, m.role, to_jsonb(m.grants) as grants, m.name, m.email,
    to_json(m.created_at) #>> '{}' as created_at`;
}
